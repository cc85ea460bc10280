// Layout: the tensors that a checkpoint of a model holds, and which boxes of which logical tensors each is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/plan/topology.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// An axis-aligned part of a tensor.
struct Box {
    Shape offset;
    Shape extent;
    std::uint64_t elements() const;
};

// A box of a logical tensor at its place in a stored tensor; both boxes have the same extent.
struct Piece {
    std::uint32_t logical = 0;  // index into Model::tensors()
    Shape in_stored;            // offset
    Shape in_logical;           // offset
    Shape extent;
};

struct LayoutTensor {
    std::string name;        // as in TensorIndex: for mcore "<chunk key>/<name>"
    std::uint32_t file = 0;  // mcore: rank number, by pp then tp; Hugging Face: 0
    Shape shape;
    std::vector<Piece> pieces;
    bool optional = false;  // a source may lack it; never written
};

struct Layout {
    std::vector<LayoutTensor> tensors;
};

// The tensors of a Hugging Face checkpoint, layer by layer.
base::Result<Layout> hf_layout(const Model& model);

// The tensors of all ranks of a Megatron checkpoint. Fails with usage when TP does not divide a size.
base::Result<Layout> mcore_layout(const Model& model, const Placement& placement, int tp, const std::string& dialect);

}  // namespace ckpt
