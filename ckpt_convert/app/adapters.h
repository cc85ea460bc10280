// Merging LoRA adapters while a checkpoint is read: those that it holds, and one that is named besides.
#pragma once

#include <optional>
#include <string>

#include "ckpt_convert/app/options.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/mapping/adapter_format.h"

namespace ckpt {

// A note on what was merged; nullopt when there was nothing.
base::Result<std::optional<std::string>> merge_adapters(base::FileSystem& fs, MegatronCheckpoint& checkpoint,
                                                        const AdapterFormats& formats, const SourceOptions& options);
base::Result<std::optional<std::string>> merge_adapters(base::FileSystem& fs, HfCheckpoint& checkpoint,
                                                        const AdapterFormats& formats, const SourceOptions& options);

}  // namespace ckpt
