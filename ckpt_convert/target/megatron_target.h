// The Megatron checkpoint that the options ask for: its layout, its arguments, its training flags.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/execute/megatron_output.h"
#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/arguments.h"
#include "ckpt_convert/plan/conversion_plan.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

struct MegatronTarget {
    const Target* target = nullptr;
    ParallelLayout parallel;
    std::string layers;  // "local", "te": what the run has, whatever the names are
    VocabFill fill = VocabFill::zero;
    std::string title;      // "Megatron TP 2 x PP 2 for MindSpeed-LLM"
    std::string iteration;  // "1", "release"
    std::string directory;  // "iter_0000001", "release"
};

// Fails with usage when sizes do not divide.
Result<MegatronTarget> megatron_target(const Knowledge& knowledge, const Model& model, const ConvertOptions& options);

// Every flag of the model's mapping, for a run that loads such a checkpoint with weights of `dtype`.
Result<std::vector<TrainingFlag>> megatron_flags(const Knowledge& knowledge, const MegatronTarget& target,
                                                 const Source& source, DType dtype, const ConvertOptions& options);

struct MegatronTexts {
    CheckpointState state;
    std::vector<std::string> flags;  // of a training run, one per line
};

// `dtype`: what the model computes with.
Result<MegatronTexts> megatron_texts(const Knowledge& knowledge, const MegatronTarget& target, const Source& source,
                                     DType dtype, const ConvertOptions& options);

}  // namespace ckpt
