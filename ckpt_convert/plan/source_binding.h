// SourceBinding: joins a layout with the tensors that a checkpoint really has: where each logical tensor is read.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/tensor/shared.h"

namespace ckpt {

// A box of a logical tensor inside a stored one; offsets and extent in elements. The stored box may have more axes, in front:
// there the piece has the extent 1.
struct StoredPiece {
    std::uint32_t tensor = 0;  // source: index into TensorIndex::tensors; target: into ConversionPlan::targets
    SharedShape in_stored;
    SharedShape in_logical;
    SharedShape extent;
    SharedShape strides = {};  // source: of the stored box; empty: those of the tensor

    // The extent along an axis of the stored box.
    std::uint64_t stored_extent(std::size_t axis) const {
        std::size_t in_front = in_stored.size() - extent.size();
        return axis < in_front ? 1 : extent[axis - in_front];
    }
    // How many elements of the file it is: along an axis with the stride 0 there is one.
    std::uint64_t stored_elements() const {
        std::uint64_t count = 1;
        for (std::size_t axis = 0; axis < in_stored.size(); ++axis) {
            if (strides.empty() || strides[axis] != 0) count *= stored_extent(axis);
        }
        return count;
    }
};

struct LowRankSum;

// Where one logical tensor is read.
struct LogicalSource {
    DType dtype = DType::f32;
    float plus = 0;                     // see StoredRule
    std::vector<StoredPiece> pieces;    // cover the tensor once
    std::vector<StoredPiece> replicas;  // boxes that other files hold again: norms on every TP rank, a tied head
    std::shared_ptr<const LowRankSum> adapter = {};  // what is added to what the pieces hold
    bool absent = false;  // the checkpoint has none of it, and the pieces are zeros: see WeightRule::unused
};

// scale * left * right, as low-rank adapters change a matrix of m x n: left is m x rank, right is rank x n.
struct LowRankSum {
    LogicalSource left;
    LogicalSource right;
    std::uint64_t rank = 0;
    float scale = 1;
};

// A box that repeats what is read elsewhere, under another name or in another part of the model. That its bits are the same
// is still to be seen.
struct TensorCopy {
    std::uint32_t logical = 0;
    DType dtype = DType::f32;
    StoredPiece box;
    const Setting* apart = nullptr;  // see StoredRule
};

struct SourceBinding {
    std::vector<LogicalSource> tensors;     // by Model::tensors()
    std::vector<std::string> notes;         // what was left out, and why
    std::vector<TensorCopy> copies = {};    // of rank files one for each box, not one for each rank
    std::vector<StoredPiece> padding = {};  // rows that are not read and should be zeros, see StoredRule::pad_zero
};

// Why a source tensor that the layout does not have may be left out; nullopt when it would be a loss.
using LeaveOut = std::function<std::optional<std::string>(std::string_view tensor)>;

// Which of the model's tensors the index is to have.
enum class Bound { all, parameters };  // the latter: without buffers of modules

// Fails with bad_input, naming all of them: missing tensors, tensors without a place, wrong shapes, element types that
// differ inside one logical tensor. Weights that the model does not use may be missing, see bind_absent().
Result<SourceBinding> bind_source(const Model& model, const TensorIndex& index, const Layout& layout,
                                  const LeaveOut& leave_out, Bound bound = Bound::all);

// Gives weights that the checkpoint may lack, and does, zeros to be read, of the element type of the weight before them.
void bind_absent(const Model& model, TensorIndex& index, SourceBinding& binding);

}  // namespace ckpt
