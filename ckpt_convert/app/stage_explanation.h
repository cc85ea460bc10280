// What a stage holds, tensor by tensor, in parts that add up to its peak: --explain of a plan.
#pragma once

#include "base/json_writer.h"
#include "base/language.h"
#include "ckpt_convert/app/training_plan.h"
#include "ckpt_convert/memory/saved_tensors.h"

namespace ckpt {

struct ExplainedTensor {
    std::string_view name;
    double bytes = 0;  // per token on a device
    bool is_freed = false;
};

// The layers of one kind.
struct ExplainedKind {
    std::size_t kind = 0;
    std::int64_t layers = 0;                  // of the model
    std::int64_t whole = 0, without_mlp = 0;  // see StageMemory
    std::vector<ExplainedTensor> tensors;
    LayerBytes kept;         // per token
    double activations = 0;  // bytes
};

struct StageExplanation {
    std::size_t number = 0;
    StageMemory stage;
    std::int64_t tokens = 0;  // of a micro-batch on a rank
    std::vector<ExplainedKind> kinds;

    // What the kinds and all else keep: the stage's activations.
    double activations() const;
};

// Of the first plan. Fails with usage where it has no such stage.
Result<StageExplanation> explained_stage(const TrainingPlan& plan, int number);

std::string explanation_text(const StageExplanation& explained, const base::Language& say);
void add_explanation(base::JsonWriter& json, const StageExplanation& explained);

}  // namespace ckpt
