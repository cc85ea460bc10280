// ConversionPlan: which boxes move from which source tensors to which target tensors. Pure data, made before any
// payload is read; proven complete before any byte is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/plan/layout.h"

namespace ckpt {

// A box of a logical tensor inside a stored one; offsets and extent in elements.
struct StoredPiece {
    std::uint32_t tensor = 0;  // source: index into TensorIndex::tensors; target: into ConversionPlan::targets
    Shape in_stored;
    Shape in_logical;
    Shape extent;
};

// Everything that happens to one logical tensor.
struct LogicalMove {
    std::uint32_t logical = 0;
    std::string name;
    Shape shape;
    DType dtype = DType::f32;
    std::vector<StoredPiece> sources;  // cover the tensor once
    std::vector<StoredPiece> targets;
};

struct TargetTensor {
    std::string name;
    std::uint32_t file = 0;
    DType dtype = DType::f32;
    Shape shape;
};

struct ConversionPlan {
    std::vector<LogicalMove> moves;  // in the order of their first source byte
    std::vector<TargetTensor> targets;
    std::vector<std::string> notes;  // what a user should know: tensors that were ignored, and why

    std::uint64_t source_bytes() const;  // bytes read, each once
    std::uint64_t target_bytes() const;  // bytes written, without headers
};

// Joins the two layouts over the logical tensors. `ignored`: decides which unexpected source tensors carry no weights.
// Fails with bad_input: missing, unexpected or misshapen source tensors, or element types that differ inside one
// target tensor. The result is proven (see plan_proof.h).
base::Result<ConversionPlan> make_plan(const Model& model, const TensorIndex& index, const Layout& source,
                                       const Layout& target, const std::function<bool(std::string_view)>& ignored);

}  // namespace ckpt
