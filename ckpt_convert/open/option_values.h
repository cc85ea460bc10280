// The values of options: numbers, sizes, lists.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/open/source_options.h"
#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

// A message when `text` is not a whole number from 1 to `most`, else empty, as the parser asks for.
std::string is_count(const std::string& text, std::uint64_t most);

// "-1", "64". Fails with usage and names the option.
Result<std::int64_t> whole_option(const std::string& option, const std::string& text);

// "16,16". Fails with usage and names the option, as do the others.
Result<std::vector<std::uint32_t>> number_list(const std::string& option, const std::string& text);

// "5GB", "512MB", "1000000".
Result<std::uint64_t> byte_count(const std::string& option, const std::string& text);

// "bf16", "fp16", "fp32"; nullopt for "", which leaves the element types as they are.
std::optional<DType> weight_dtype(const std::string& params_dtype);

// "hf" or "mg"; empty: unknown.
Result<Side> side(const std::string& option, const std::string& text);

}  // namespace ckpt
