// What a checkpoint holds, in a form that tests can compare; and the steps of a conversion one by one.
#pragma once

#include <map>
#include <string>

#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/target/megatron_target.h"
#include "tests/support/memory_file_system.h"

namespace test {

struct CheckpointView {
    std::map<std::string, std::string> tensors;  // "file name": type, shape and bytes
    std::map<std::string, std::string> args;     // saved arguments, as text
    std::map<std::string, std::string> texts;    // tracker, training arguments, config
};

// Of a Megatron checkpoint.
CheckpointView view_of(MemoryFileSystem& fs, const base::Path& root);

// "" when equal; else the names that only one has, or whose values differ.
std::string difference(const std::map<std::string, std::string>& a, const std::map<std::string, std::string>& b);

// A conversion to Megatron up to the plan.
struct PlannedMegatron {
    ckpt::Source source;
    ckpt::MegatronTarget target;
    ckpt::ConversionPlan plan;
};
PlannedMegatron plan_megatron(MemoryFileSystem& fs, const ckpt::ConvertOptions& options);

// Writes the weights of a plan below `directory`, with tiles of any size.
void write_megatron(MemoryFileSystem& fs, const PlannedMegatron& planned, const ckpt::ConvertOptions& options,
                    int threads, std::uint64_t tile_bytes);

}  // namespace test
