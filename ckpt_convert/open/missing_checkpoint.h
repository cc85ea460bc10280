// missing_checkpoint: what is said of a checkpoint that is not there: a mistyped path, or a model of the Hugging Face Hub.
#pragma once

#include "ckpt_convert/base_names.h"

namespace ckpt {

base::Error missing_checkpoint(base::FileSystem& fs, const Path& path);

}  // namespace ckpt
