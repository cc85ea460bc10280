// inspect: what is in a checkpoint or a weight file, for people and as JSON.
#pragma once

#include <string>

#include "base/file_system.h"
#include "ckpt_convert/app/source.h"

namespace ckpt {

// `path`: a Hugging Face directory, a Megatron directory or that of one of its ranks, or a single weight file.
base::Result<std::string> inspect(base::FileSystem& fs, const Knowledge& knowledge, const base::Path& path, bool json);

}  // namespace ckpt
