// Layout: the tensors that a checkpoint of a model holds, and which boxes of which logical tensors each is made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/plan/topology.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// A box of a logical tensor at its place in a stored tensor; both boxes have the same extent.
struct Piece {
    std::uint32_t logical = 0;  // index into Model::tensors()
    Shape in_stored;            // offset
    Shape in_logical;           // offset
    Shape extent;
};

struct LayoutTensor {
    std::string name;        // as in TensorIndex: for Megatron "<chunk key>/<name>"
    std::uint32_t file = 0;  // rank files: rank number, by pp then tp; else 0
    Shape shape;
    std::vector<Piece> pieces;
    std::uint64_t fill_rows = 0;  // the last rows hold no weights: padding of the vocabulary
    std::uint32_t fill_like = 0;  // the logical tensor whose rows the padding continues
    bool optional = false;        // a source may lack it; never written
    bool extra_state = false;     // see StoredRule
};

struct Layout {
    std::vector<LayoutTensor> tensors;
    bool by_file = false;  // a tensor is known by its file and name, not by its name alone
};

// How the tensors of a Megatron checkpoint are split: what a user asks for, or what was found in a checkpoint.
struct ParallelLayout {
    int tp = 1;
    Placement placement;
    Dialect dialect;
    std::uint64_t padded_vocab = 0;  // rows of the embedding and the head over all TP ranks; 0: the vocabulary itself
    KvSharing kv_sharing = KvSharing::refuse;
};

// What expressions of a mapping file can use besides the model's values: tp, pp, vpp, slots, padded_vocab,
// stored_kv_groups.
ModelValues layout_facts(const Model& model, const ParallelLayout& layout);

// The tensors of a Hugging Face checkpoint, layer by layer. `prefix`: see ModelMapping::hf_prefixes. `vocab_rows`: rows
// that the embedding and the head really have, when that is more than the model wants; 0: the vocabulary itself.
base::Result<Layout> hf_layout(const Model& model, const std::string& prefix = "", std::uint64_t vocab_rows = 0);

// The tensors of all ranks of a Megatron checkpoint; of a torch_dist one, which has no ranks, the whole tensors.
// Fails with usage when TP does not divide a size.
base::Result<Layout> mcore_layout(const Model& model, const ParallelLayout& parallel);

}  // namespace ckpt
