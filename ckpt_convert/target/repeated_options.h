// RepeatedOptions: options that say what the input says itself are compared with it; only a contradiction is refused.
#pragma once

#include "ckpt_convert/open/source.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

// ConvertOptions::claims, and the layers for multi-token prediction of a Megatron input. Fails with usage and says both numbers.
Status check_claims(const ConvertOptions& options, const Source& source);

// For an output without a layout: the options of one must be those of the input. Fails with usage and says both.
Status check_repeated_layout(const ConvertOptions& options, const Source& source);

}  // namespace ckpt
