// Shard: the part of a conversion that one of several workers does: whole files of the output.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

struct Shard {
    std::uint32_t number = 1;  // 1 .. count
    std::uint32_t count = 1;

    bool is_first() const { return number == 1; }
    std::string text() const;  // "3/16"
};

// Leaves the files that are wanted in `output`, and of `plan` what they are made of.
void keep_files(ConversionPlan& plan, OutputPlan& output, const std::function<bool(const OutputFile&)>& wanted);

// Leaves the files of the shard in `output`, and of `plan` what they are made of. The shards of a conversion have every file
// once, neighbouring ones together, and about the same number of bytes each; with more shards than files some have none.
void take_shard(ConversionPlan& plan, OutputPlan& output, const Shard& shard);

}  // namespace ckpt
