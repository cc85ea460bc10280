#include "ckpt_convert/open/legacy_checkpoint.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/open/wanted_values.h"
#include "ckpt_convert/plan/adapter_source.h"

namespace ckpt {
namespace {

constexpr std::uint64_t kQkvParts = 3;

// Where a rank has the rows of a part of a head: the first, and the step from one to the next.
struct QkvRows {
    std::uint64_t heads = 0;
    std::uint64_t elements = 0;
    QkvOrder order{};

    std::uint64_t step(QkvAxis axis) const {
        std::uint64_t out = 1;
        for (auto inner = order.rbegin(); *inner != axis; ++inner)
            out *= *inner == QkvAxis::part ? kQkvParts : *inner == QkvAxis::head ? heads : elements;
        return out;
    }
};

// Adapters and layers of Transformer Engine are younger than these orders, so nobody knows theirs.
Status refuse_younger(const Knowledge& knowledge, const MegatronCheckpoint& checkpoint) {
    const double version = checkpoint.version.value_or(0);
    if (knowledge.legacy.order(version) == kHeadByHead) return {};
    TensorIndex index = checkpoint.index;
    TRY_ASSIGN(const TensorIndex factors, take_adapters(index, knowledge.adapters, true));
    const bool young = std::any_of(index.tensors.begin(), index.tensors.end(), [&](const IndexedTensor& tensor) {
        return knowledge.legacy.is_younger(split_key(tensor.name).name);
    });
    if (factors.tensors.empty() && !young) return {};
    return base::fail(ErrorKind::unsupported,
                      base::format("{} in a legacy checkpoint of checkpoint_version {}: nothing says how their rows of "
                                   "Q, K and V are ordered",
                                   young ? "layers of Transformer Engine" : "low-rank adapters", version),
                      checkpoint.directory);
}

// The tensor in parts, of which each is Q, K or V of one head.
void add_qkv_parts(const IndexedTensor& tensor, const QkvRows& rows, std::vector<IndexedTensor>& out) {
    IndexedTensor part = tensor;
    part.whole_shape = tensor.shape;
    part.shape.set(0, rows.elements);
    part.strides.set(0, tensor.strides[0] * rows.step(QkvAxis::element));
    part.contiguous = part.strides == row_major_strides(part.shape);
    part.part_offset = Shape(tensor.shape.size(), 0);
    for (std::uint64_t head = 0; head < rows.heads; ++head) {
        for (std::uint64_t which = 0; which < kQkvParts; ++which) {
            const std::uint64_t first = head * rows.step(QkvAxis::head) + which * rows.step(QkvAxis::part);
            part.offset = tensor.offset + first * tensor.strides[0] * bits(tensor.dtype) / 8;
            part.part_offset.set(0, (head * kQkvParts + which) * rows.elements);
            out.push_back(part);
        }
    }
}

}  // namespace

Status name_as_core(const Knowledge& knowledge, MegatronCheckpoint& checkpoint) {
    auto& tensors = checkpoint.index.tensors;
    checkpoint.legacy =
        !checkpoint.torch_dist && std::any_of(tensors.begin(), tensors.end(), [&](const IndexedTensor& tensor) {
            return knowledge.legacy.tells(split_key(tensor.name).name);
        });
    if (!checkpoint.legacy) return {};
    std::set<std::pair<std::uint32_t, std::string>> names;
    for (IndexedTensor& tensor : tensors) {
        const auto [chunk, name] = split_key(tensor.name);
        if (const RefusedTensors* refused = knowledge.legacy.refuses(name))
            return base::fail(ErrorKind::unsupported,
                              base::format("{}: {} in legacy checkpoints are not read; {}", tensor.name.get(),
                                           refused->what, refused->instead),
                              checkpoint.index.files[tensor.file]->path());
        if (knowledge.legacy.is_of_core(name))
            return base::fail(ErrorKind::bad_input,
                              base::format("{} is a name of megatron-core among those of a legacy checkpoint: the "
                                           "files of two checkpoints lie in one directory",
                                           tensor.name.get()),
                              checkpoint.index.files[tensor.file]->path());
        std::string core = base::format("{}/{}", chunk, knowledge.legacy.in_core(name));
        if (!names.emplace(tensor.file, core).second)
            return base::fail(ErrorKind::bad_input,
                              base::format("{} is there twice, under an old name and a newer one", tensor.name.get()),
                              checkpoint.index.files[tensor.file]->path());
        tensor.name = std::move(core);
    }
    return refuse_younger(knowledge, checkpoint);
}

Result<MegatronCheckpoint> open_megatron(base::FileSystem& fs, const Knowledge& knowledge, const Path& directory) {
    TRY_ASSIGN(MegatronCheckpoint out, open_megatron_checkpoint(fs, directory));
    TRY(name_as_core(knowledge, out));
    return out;
}

Status order_qkv(const LegacyNames& names, MegatronCheckpoint& checkpoint, Source& source) {
    const double version = checkpoint.version.value_or(0);
    const auto order = names.order(version);
    if (!order)
        return base::fail(
            ErrorKind::unsupported,
            base::format("checkpoint_version {} of a legacy checkpoint is not known: nothing says how its "
                         "rows of Q, K and V are ordered",
                         version),
            checkpoint.directory);
    source.notes.push_back(
        base::format("a legacy checkpoint, from before megatron-core, with the rows of Q, K and V of "
                     "checkpoint_version {}: it is read as one of megatron-core",
                     version));
    const bool says_sizes = checkpoint.args.object() != nullptr && !checkpoint.args.object()->empty();
    if (source.config && !says_sizes)
        source.notes.push_back(
            base::format("no arguments are saved with the weights, and no shape tells how many heads there are: the {} "
                         "of config.json are taken",
                         value_or_zero(source.model.values(), "heads")));
    if (*order == kHeadByHead) return {};
    source.reordered = true;
    const auto heads = static_cast<std::uint64_t>(value_or_zero(source.model.values(), "heads"));
    const auto tp = static_cast<std::uint64_t>(checkpoint.tp);
    if (heads == 0 || heads % tp != 0 ||
        value_or_zero(source.model.values(), "kv_groups") != static_cast<std::int64_t>(heads))
        return base::fail(ErrorKind::unsupported,
                          base::format("checkpoint_version {} has an order of Q, K and V for models in which each head "
                                       "has keys and values of its own, and as many heads on each rank",
                                       version),
                          checkpoint.directory);
    std::vector<IndexedTensor> ordered;
    for (IndexedTensor& tensor : checkpoint.index.tensors) {
        const std::uint64_t rows = tensor.shape.empty() ? 0 : tensor.shape[0];
        const bool fits = rows > 0 && rows % (kQkvParts * (heads / tp)) == 0;
        if (fits && names.is_ordered(tensor.name))
            add_qkv_parts(tensor, {heads / tp, rows / kQkvParts / (heads / tp), *order}, ordered);
        else ordered.push_back(std::move(tensor));
    }
    checkpoint.index.tensors = std::move(ordered);
    return {};
}

}  // namespace ckpt
