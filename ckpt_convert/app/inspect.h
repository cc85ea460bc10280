// inspect: what is in a checkpoint or a weight file, for people and as JSON.
#pragma once

#include <string>

#include "ckpt_convert/app/options.h"
#include "ckpt_convert/base_names.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

// Of a Hugging Face directory, a Megatron directory or that of one of its ranks, or a single weight file.
Result<std::string> inspect(base::FileSystem& fs, const Knowledge& knowledge, const InspectOptions& options, bool json,
                            const base::Language& language = {});

}  // namespace ckpt
