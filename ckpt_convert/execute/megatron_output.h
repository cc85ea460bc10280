// The rank files of a Megatron `torch` checkpoint, laid out.
#pragma once

#include <string>

#include "base/json.h"
#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/plan/topology.h"

namespace ckpt {

struct MegatronOutputOptions {
    std::uint64_t iteration = 1;  // as MindSpeed-LLM writes it
    int tp = 1;
    std::string dialect = "local";
};

// One model_optim_rng.pt per rank below iter_NNNNNNN/. `config`: config.json, for the arguments that come from it.
base::Result<OutputPlan> megatron_output(const ConversionPlan& plan, const Model& model, const Placement& placement,
                                         const base::JsonDocument& config, const MegatronOutputOptions& options);

std::string iteration_directory(std::uint64_t iteration);  // "iter_0000001"

}  // namespace ckpt
