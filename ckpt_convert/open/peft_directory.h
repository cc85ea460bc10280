// A directory with a PEFT adapter: adapter_config.json and one file of weights.
#pragma once

#include <string>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

inline constexpr const char* kPeftConfig = "adapter_config.json";
inline constexpr const char* kPeftWeights = "adapter_model";  // and an ending

struct PeftDirectory {
    TensorIndex index;
    JsonDocument config;
};

bool is_peft_directory(base::FileSystem& fs, const Path& directory);

// Fails with bad_input when a file is missing, with unsupported when parts of the adapter are scaled otherwise than the rest.
Result<PeftDirectory> open_peft(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
