// The files of a DeepSpeed engine with ZeRO, laid out for the ranks of a run; zero_checkpoint.h draws what is in them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/execute/named_training.h"
#include "ckpt_convert/execute/output_plan.h"

namespace ckpt {

inline constexpr const char* kZeroTracker = "latest";

// How the run that loads the files has its state.
struct ZeroRun {
    std::uint32_t stage = 0;
    std::uint32_t ranks = 0;
    DType parameters = DType::bf16;  // that the model computes with
    std::uint64_t sub_group = 0;     // sub_group_size of ZeRO 3: elements of a rank
    // Names that share the bytes of others: {"lm_head.weight", "model.embed_tokens.weight"}.
    std::vector<std::pair<std::string, std::string>> aliases;
};

// "global_step20"
std::string zero_directory(const NamedTraining& training);

// Gives the weights and moments of the plan, which are float32, their places in the vectors of the ranks, and adds the copies that
// the module has. The groups' names are in the order in which the run has its parameters. The plan is proven again.
Result<OutputPlan> zero_output(ConversionPlan& plan, const TensorIndex& source, const NamedTraining& training,
                               const ZeroRun& run);

}  // namespace ckpt
