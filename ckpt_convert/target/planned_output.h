// PlannedOutput: what a conversion is to write, all of it known before the first byte.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/conversion_plan.h"
#include "ckpt_convert/target/convert_options.h"
#include "ckpt_convert/target/rank_matrix.h"

namespace ckpt {

// A side file of the output, beside the weights.
struct SideFile {
    std::string path;
    std::string content;
};

struct PlannedOutput {
    std::string title;
    ConversionPlan plan;
    OutputPlan output;
    std::vector<SideFile> texts;
    Path companions_from;                 // config and tokenizer; empty: none
    std::vector<std::string> companions;  // their names
    std::string companions_to;            // directory in the output
    std::vector<std::string> last;        // what makes the output visible, in this order
    std::optional<RankMatrix> ranks;      // of rank files
};

PlanOptions plan_options(const ConvertOptions& options, VocabFill fill);

// --save-model-type, or the other side.
Side target_side(const Source& source, const ConvertOptions& options);

// The layout of an output with the names of Hugging Face, or with those of a program. `form`: of tensors that a family stores
// in several ways; empty: the first. `tp`: of names that are cut for ranks. Fails with usage when the family has no such form.
Result<Layout> written_hf_layout(const Model& model, const std::string& form = {}, const Naming* names = nullptr,
                                 int tp = 1);

}  // namespace ckpt
