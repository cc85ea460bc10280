// ConversionPlan: which boxes move from which source tensors to which target tensors. Pure data, made before any
// payload is read; proven complete before any byte is written.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/target.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/plan/source_binding.h"
#include "ckpt_convert/tensor/shared.h"

namespace ckpt {

// Everything that happens to one logical tensor.
struct LogicalMove {
    std::uint32_t logical = 0;
    Shared<std::string> name;
    std::string_view state =
        {};  // of kOptimizerStates: what of the weight of this name it is; empty: the weight itself
    SharedShape shape;
    DType dtype = DType::f32;          // of the source
    std::vector<StoredPiece> sources;  // cover the tensor once
    std::vector<StoredPiece> targets;
    float plus = 0;                                  // is added to every value on its way
    std::shared_ptr<const LowRankSum> adapter = {};  // is added to the tensor, before

    std::string title() const;  // for messages
};

struct TargetTensor {
    Shared<std::string> name;
    std::uint32_t file = 0;
    DType dtype = DType::f32;
    SharedShape shape;
    bool extra_state = false;  // see StoredRule
    // See LayoutTensor; empty when the file has the tensor as it is.
    SharedShape file_shape = {};
    SharedShape strides = {};
    bool of_experts = false;
    std::uint32_t alike = 0;  // see LayoutTensor
    bool scalar = false;      // see StoredRule
    bool of_model = true;     // false: the state of a weight
    // Its elements in a vector that several files have shares of: the `file` of a share is its number. Else in none.
    SharedPlace flat = {};

    const Shape& shape_in_file() const {
        static const Shape kNoAxis;
        if (scalar) return kNoAxis;
        return file_shape.empty() ? shape : file_shape;
    }
};

// Rows of a target that no weight fills: padding, mostly of the vocabulary.
struct FilledRows {
    std::uint32_t target = 0;
    std::uint64_t first_row = 0;
    std::uint64_t rows = 0;
    VocabFill fill = VocabFill::zero;  // zero or mean: rows like the last one are ordinary pieces
    std::uint32_t logical = 0;         // the tensor whose mean it is
};

struct ConversionPlan {
    std::vector<LogicalMove> moves;  // in the order of their first source byte
    std::vector<TargetTensor> targets;
    std::vector<FilledRows> fills;
    std::vector<std::string> notes;  // what a user should know: tensors that were ignored, and why

    std::uint64_t source_bytes() const;  // bytes read, each once
    std::uint64_t target_bytes() const;  // bytes written, without headers
};

struct PlanOptions {
    std::optional<DType> dtype;  // of all targets; nullopt: what the source has
    VocabFill fill = VocabFill::zero;
};

// Joins the layouts over the logical tensors. Fails with bad_input when the element types differ inside one target
// tensor, with unsupported when one cannot be cast, or has no place in the target. The result is proven (see plan_proof.h).
using TensorsOf = std::function<Status(const TensorSink& sink)>;  // gives all tensors of a layout
Result<ConversionPlan> make_plan(const Model& model, const TensorIndex& index, const SourceBinding& source,
                                 const TensorsOf& target, const PlanOptions& options);
Result<ConversionPlan> make_plan(const Model& model, const TensorIndex& index, const SourceBinding& source,
                                 const Layout& target, const PlanOptions& options);

}  // namespace ckpt
