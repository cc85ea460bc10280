// Files of safetensors, laid out.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

// A tensor without an axis that a file has beside those of the plan, in float32.
struct FileNumber {
    std::string name;
    float value = 0;
};

// These targets, and the numbers. Wide elements come first, so that every tensor is aligned to its element size.
Result<OutputFile> safetensors_file(const ConversionPlan& plan, std::vector<std::uint32_t> targets, std::string path,
                                    const std::vector<FileNumber>& numbers = {});

// In parts of at most `bytes` of payload each, one at least; a larger tensor gets a part of its own.
std::vector<std::vector<std::uint32_t>> split_by_bytes(const ConversionPlan& plan,
                                                       const std::vector<std::uint32_t>& targets, std::uint64_t bytes);

}  // namespace ckpt
