// A conversion plan as text, for people: what every tensor of the output is made of.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

struct DescribedTensor {
    const TargetTensor* target = nullptr;
    std::string made_of;  // "layers.0.mlp.gate[0:24], layers.0.mlp.up[0:24]"
};

// A file of weights.
struct DescribedFile {
    const OutputFile* file = nullptr;
    std::vector<DescribedTensor> tensors;
};

// File by file, as all together are larger than the plan.
void describe_files(const ConversionPlan& plan, const OutputPlan& output,
                    const std::function<void(const DescribedFile& file)>& visit);

// One line per tensor of the output, under a heading per file:
//
//   iter_0000001/mp_rank_00/model_optim_rng.pt
//     model/decoder.layers.0.mlp.linear_fc1.weight  bf16 [48, 32]  layers.0.mlp.gate[0:24], layers.0.mlp.up[0:24]
//
// Given to `write` in parts.
void write_plan(const ConversionPlan& plan, const OutputPlan& output,
                const std::function<void(std::string_view text)>& write);
std::string plan_text(const ConversionPlan& plan, const OutputPlan& output);

}  // namespace ckpt
