// The two conversions as straight lines: open, plan, prove, lay out, write, commit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "ckpt_convert/app/options.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

// What a conversion did, or would do.
struct ConvertSummary {
    std::string from;  // "Hugging Face", "Megatron TP 2 x PP 2"
    std::string to;
    std::string family;
    std::uint32_t layers = 0;
    std::uint64_t parameters = 0;
    std::string dtypes;         // "bf16", "bf16, f32"
    std::uint64_t tensors = 0;  // written
    std::uint64_t read_bytes = 0;
    std::uint64_t written_bytes = 0;
    std::vector<std::pair<std::string, std::uint64_t>> files;  // path in the output, bytes
    std::vector<std::string> notes;
    double seconds = 0;
    bool dry_run = false;
};

base::Result<ConvertSummary> convert(base::FileSystem& fs, const MappingRegistry& registry,
                                     const ConvertOptions& options, bool progress);

// Hugging Face companion files are kept here beside a Megatron checkpoint, so that the way back needs nothing else.
inline constexpr const char* kHfConfigDir = "hf_config";

}  // namespace ckpt
