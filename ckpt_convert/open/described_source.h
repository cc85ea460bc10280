// described_source: a model by what describes it, without its weights: a config.json alone, or a Megatron checkpoint's own words.
#pragma once

#include "ckpt_convert/open/source.h"

namespace ckpt {

// The model, its config and, of a Megatron checkpoint, its layout; index and binding stay empty. `options.directory`: a directory
// with a config.json, with or without weights, or a Megatron checkpoint. Layers for multi-token prediction are those that
// `options.mtp_layers` asks for, or that a Megatron checkpoint has. Fails as open_source() does.
Result<Source> described_source(base::FileSystem& fs, const Knowledge& knowledge, const SourceOptions& options);

// Fails where a conversion of the Hugging Face checkpoint that this config.json goes with would, by what the file says: without its
// weights, of a multimodal model as a whole, and of quantised weights.
Status check_described(const Knowledge& knowledge, const JsonDocument& config, const SourceOptions& options);

}  // namespace ckpt
