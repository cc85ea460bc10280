// Layout: the tensors that a checkpoint of a model holds, and which boxes of which logical tensors each is made of.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/mapping/naming.h"
#include "ckpt_convert/plan/topology.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// A box of a logical tensor at its place in a stored tensor; both boxes have the same extent.
// The stored box may have more axes, in front: there the piece has the extent 1.
struct Piece {
    std::uint32_t logical = 0;  // index into Model::tensors()
    Shape in_stored;            // offset
    Shape in_logical;           // offset
    Shape extent;
    bool again = false;  // the tensor has the weight twice, and this is not where it is read
};

struct LayoutTensor {
    std::string name;        // as in TensorIndex: for Megatron "<chunk key>/<name>"
    std::uint32_t file = 0;  // rank files: rank number, by pp, then ep, then tp; else 0
    Shape shape;             // of the box that the pieces make up
    // When the experts of a layer are stacked in one tensor, `shape` has them as its first axis. Where the file has the box
    // otherwise, these say how. Else empty.
    Shape file_shape;
    std::vector<std::uint64_t> strides;    // elements; where the elements of the box lie, when not in its own order
    std::optional<std::size_t> unit_axis;  // an axis of 1 that the file's shape leaves out
    bool once = false;  // each piece is one row of the file, which stands for all rows of the piece: their stride is 0
    std::vector<Piece> pieces;
    std::uint64_t fill_rows = 0;     // the last rows hold no weights: padding, mostly of the vocabulary
    bool fill_zero = false;          // see StoredRule::pad_zero
    std::uint32_t fill_like = 0;     // the logical tensor whose rows the padding continues
    bool optional = false;           // a source may lack it; never written
    bool copy = false;               // a source may lack it when its weights are elsewhere
    const Setting* apart = nullptr;  // see StoredRule; of the model's mapping
    bool extra_state = false;        // see StoredRule
    float plus = 0;                  // see StoredRule
    bool scalar = false;             // see StoredRule; here it has one axis
    bool of_experts = false;         // of one expert, or of several
    std::uint32_t alike = 0;  // torch_dist has the tensors of this many layers in one; 0: of all layers or of none

    // What the file calls its shape.
    const Shape& shape_in_file() const { return file_shape.empty() ? shape : file_shape; }
};

// The model computes nothing with any of its weights.
bool is_unused(const Model& model, const LayoutTensor& tensor);

struct Layout {
    std::vector<LayoutTensor> tensors;
    bool by_file = false;  // a tensor is known by its file and name, not by its name alone
};

// How the tensors of a Megatron checkpoint are split: what a user asks for, or what was found in a checkpoint.
struct ParallelLayout {
    int tp = 1;
    ExpertParallel experts;
    Placement placement;
    Dialect dialect;
    std::uint64_t padded_vocab = 0;  // rows of the embedding and the head over all TP ranks; 0: the vocabulary itself
    KvSharing kv_sharing = KvSharing::refuse;
};

// "TP 2 x PP 4", "TP 2 x PP 4 x EP 8".
std::string parallel_sizes(const ParallelLayout& layout);

// What keeps the sizes of a layout from fitting the model, every message once: the first rank of each stage is looked at, since
// shares differ in their places only. Fails where there is no layout at all.
Result<std::set<std::string>> misfits(const Model& model, const ParallelLayout& parallel);

// What expressions of a mapping file can use besides the model's values: tp, pp, vpp, ep, etp, stage_ranks,
// tp_extends_ep, grouped, mla_split, slots, padded_vocab, stored_kv_groups.
ModelValues layout_facts(const Model& model, const ParallelLayout& layout);

// What differs between checkpoints of one model with whole tensors: Hugging Face's, and those with other names.
struct HfVariant {
    std::string prefix;             // one of ModelMapping::hf_prefixes
    std::string form;               // of StoredRule::form; "": the first
    std::uint64_t vocab_rows = 0;   // of embedding and head, when more than the model wants; 0: the vocabulary itself
    const Naming* names = nullptr;  // whose names the tensors have; nullptr: Hugging Face's. It outlives the layout
    Dialect dialect = {};           // of names that are Megatron's
    int tp = 1;                     // ranks that each have a file with their share, where the names say how it is cut
    bool rank_names = false;        // of these the names begin with rank_front(), instead of the files being known
};

// Fails with usage when the framework cannot run the model, whatever the layout.
Status check_runs(const Model& model);

// The tensor as it is written: of rows that the file has once, the first.
void take_first(LayoutTensor& tensor);

// The tensors of a Hugging Face checkpoint, or of one with other names, layer by layer, as they are read. Fails with
// unsupported when the model has weights without such a name.
Result<Layout> hf_layout(const Model& model, const HfVariant& variant = {});

// The tensors of all ranks of a Megatron checkpoint; of a torch_dist one, which has no ranks, the whole tensors.
// Fails with usage when TP does not divide a size.
Result<Layout> mcore_layout(const Model& model, const ParallelLayout& parallel);

// The same one after the other, for who does not need them all: there can be more of them than weights and ranks together.
using TensorSink = std::function<Status(LayoutTensor tensor)>;
Status each_mcore_tensor(const Model& model, const ParallelLayout& parallel, const TensorSink& sink);

}  // namespace ckpt
