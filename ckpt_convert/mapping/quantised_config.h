// What config.json says about quantisation.
#pragma once

namespace ckpt {

inline constexpr const char* kQuantisation[] = {"quantization_config", "compression_config", "quantize"};

}  // namespace ckpt
