#include "ckpt_convert/plan/composer.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"

namespace ckpt {
namespace {

class Composer {
public:
    Composer(const Model& model, const ActiveRule& active, Share share, std::uint32_t layer)
        : model_(model), active_(active), rule_(*active.rule), share_(share), groups_(active.rounds[layer]) {}

    Result<LayoutTensor> compose(std::uint32_t layer, std::uint32_t expert) {
        TRY(find_weights(layer, expert));
        if (beyond_groups()) TRY(require_heads());
        LayoutTensor out;
        out.optional = rule_.optional;
        out.copy = rule_.copy;
        out.apart = rule_.apart ? &*rule_.apart : nullptr;
        out.extra_state = rule_.extra_state;
        out.plus = rule_.plus;
        out.scalar = rule_.scalar;
        out.of_experts = rule_.each == Each::expert;
        out.fill_like = ids_.front();
        TRY(join(out));
        if (active_.padded_rows > out.shape[0]) {
            out.fill_rows = active_.padded_rows - out.shape[0];
            out.fill_zero = rule_.padded() != nullptr && rule_.padded()->with_zeros;
            out.shape[0] = active_.padded_rows;
        }
        if (!rule_.shard || share_.count == 1) return out;
        if (rule_.interleaved() != nullptr || rule_.padded() != nullptr) TRY(cut_whole(out));
        else TRY(cut_each_weight(out));
        return out;
    }

private:
    std::size_t axis() const { return rule_.axis; }
    std::size_t shard_axis() const { return *rule_.shard; }
    bool repeats() const { return rule_.interleaved() != nullptr && !rule_.interleaved()->repeat.empty(); }
    const std::string& rounds_text() const { return rule_.interleaved()->rounds.text(); }

    Status find_weights(std::uint32_t layer, std::uint32_t expert) {
        for (const std::string& weight : rule_.weights) {
            auto id = model_.tensor(weight, layer, expert);
            if (!id)
                return base::fail(ErrorKind::rule_data,
                                  base::format("\"{}\" is stored, but the model does not have it", weight),
                                  model_.mapping().origin);
            ids_.push_back(*id);
        }
        return {};
    }

    // More ranks than KV groups, which therefore share groups.
    bool beyond_groups() const { return active_.sharing != KvSharing::refuse && repeats() && share_.count > groups_; }

    // Copies of key and value heads make as many groups as ranks.
    std::uint64_t rounds() const {
        return beyond_groups() && active_.sharing == KvSharing::repeat ? share_.count : groups_;
    }

    bool repeated(const std::string& weight) const {
        return repeats() && base::contains(rule_.interleaved()->repeat, weight);
    }

    // All weights, one after the other in every round.
    Status join(LayoutTensor& out) {
        out.shape = model_.tensors()[ids_[0]].shape;
        out.shape[axis()] = 0;
        for (std::uint64_t round = 0; round < rounds(); ++round) {
            for (std::size_t i = 0; i < ids_.size(); ++i) {
                std::uint64_t copies = repeated(rule_.weights[i]) ? rounds() / groups_ : 1;
                bool again = std::count(ids_.begin(), ids_.begin() + static_cast<std::ptrdiff_t>(i), ids_[i]) > 0;
                for (Piece& piece : slices_of(ids_[i])) {
                    piece.again = again;
                    TRY(append(out, std::move(piece), rounds() / copies, round / copies));
                }
            }
        }
        return {};
    }

    // A weight as it is, or its slices along an axis.
    std::vector<Piece> slices_of(std::uint32_t id) const {
        const Shape& shape = model_.tensors()[id].shape;
        std::vector<Piece> out(1, {id, Shape(shape.size(), 0), Shape(shape.size(), 0), shape});
        if (rule_.unzipped() == nullptr) return out;
        const std::size_t axis = rule_.unzipped()->axis;
        out.front().extent[axis] = 1;
        out.resize(shape[axis], out.front());
        for (std::size_t i = 0; i < out.size(); ++i) out[i].in_logical[axis] = i;
        return out;
    }

    // Part `index` of `parts` of a piece of a weight.
    Status append(LayoutTensor& out, Piece piece, std::uint64_t parts, std::uint64_t index) {
        const LogicalTensor& logical = model_.tensors()[piece.logical];
        if (piece.extent[axis()] % parts != 0) {
            return base::fail(ErrorKind::usage, base::format("{} has {} rows, which do not divide into {} parts",
                                                             logical.name, piece.extent[axis()], parts));
        }
        piece.extent[axis()] /= parts;
        piece.in_logical[axis()] = piece.extent[axis()] * index;
        piece.in_stored[axis()] = out.shape[axis()];
        out.shape[axis()] += piece.extent[axis()];
        for (std::size_t i = 0; i < out.shape.size(); ++i) {
            if (i != axis()) out.shape[i] = piece.extent[i];
        }
        out.pieces.push_back(std::move(piece));
        return {};
    }

    // A contiguous share of the joined tensor.
    Status cut_whole(LayoutTensor& out) const {
        if (rule_.interleaved() != nullptr && !beyond_groups()) TRY(require_groups());
        std::uint64_t rows = out.shape[shard_axis()];
        if (rule_.padded() != nullptr) TRY(require_vocabulary(rows));
        else TRY(require_divisible(rows, all_size_names(shard_axis())));
        std::uint64_t step = rows / share_.count, begin = step * share_.index;
        std::vector<Piece> kept;
        for (Piece& piece : out.pieces) {
            if (cut(piece, shard_axis(), begin, begin + step)) kept.push_back(std::move(piece));
        }
        std::uint64_t weight_rows = rows - out.fill_rows;
        out.fill_rows = begin + step - std::min(begin + step, std::max(begin, weight_rows));
        out.pieces = std::move(kept);
        out.shape[shard_axis()] = step;
        return {};
    }

    // Keeps the part of a piece that lies in [begin, end) of the stored tensor, which then starts at 0.
    static bool cut(Piece& piece, std::size_t axis, std::uint64_t begin, std::uint64_t end) {
        std::uint64_t first = std::max(piece.in_stored[axis], begin);
        std::uint64_t last = std::min(piece.in_stored[axis] + piece.extent[axis], end);
        if (first >= last) return false;
        piece.in_logical[axis] += first - piece.in_stored[axis];
        piece.in_stored[axis] = first - begin;
        piece.extent[axis] = last - first;
        return true;
    }

    // A share of every weight: a rank's gated MLP is its gate rows, then its up rows.
    Status cut_each_weight(LayoutTensor& out) const {
        std::size_t axis = shard_axis();
        std::uint64_t at = 0;
        for (Piece& piece : out.pieces) {
            auto position = std::find(ids_.begin(), ids_.end(), piece.logical) - ids_.begin();
            TRY(require_divisible(piece.extent[axis], size_name(static_cast<std::size_t>(position), axis)));
            piece.extent[axis] /= share_.count;
            piece.in_logical[axis] += piece.extent[axis] * share_.index;
            if (axis == this->axis()) {
                piece.in_stored[axis] = at;
                at += piece.extent[axis];
            }
        }
        out.shape[axis] = axis == this->axis() ? at : out.shape[axis] / share_.count;
        return {};
    }

    // What the mapping calls the size of an axis: "vocab", "heads * head_dim".
    std::string size_name(std::size_t position, std::size_t axis) const {
        for (const WeightRule& weight : model_.mapping().weights) {
            if (weight.name == rule_.weights[position]) return weight.shape[axis].text();
        }
        return model_.tensors()[ids_[position]].name;
    }

    // "heads * head_dim + kv_groups * head_dim + kv_groups * head_dim"
    std::string all_size_names(std::size_t axis) const {
        std::vector<std::string> names;
        for (std::size_t i = 0; i < ids_.size(); ++i) names.push_back(size_name(i, axis));
        return base::joined(names, " + ");
    }

    Status require_divisible(std::uint64_t size, const std::string& what) const {
        if (size % share_.count == 0) return {};
        return base::fail(ErrorKind::usage, base::format("{} {} does not divide {} ({}) of the {} model", share_.kind,
                                                         share_.count, what, size, model_.mapping().family));
    }

    // Ranks that share a group have whole query heads each, which are as high as the group's key head.
    Status require_heads() const {
        if (share_.count % groups_ != 0) {
            return base::fail(ErrorKind::usage, base::format("TP {} must be a multiple of {} ({})", share_.count,
                                                             rounds_text(), groups_));
        }
        auto rows = [&](std::size_t i) { return model_.tensors()[ids_[i]].shape[axis()]; };
        std::uint64_t head_rows = 1;
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (repeated(rule_.weights[i])) head_rows = rows(i) / groups_;
        }
        for (std::size_t i = 0; i < ids_.size(); ++i) {
            if (!repeated(rule_.weights[i])) TRY(require_divisible(rows(i) / head_rows, "the heads"));
        }
        return {};
    }

    Status require_groups() const {
        if (rounds() % share_.count == 0) return {};
        std::string more;
        if (share_.count > groups_ && repeats()) {
            more =
                ". With more ranks than groups, choose: --tp-beyond-kv-groups repeat copies key and value heads, split "
                "gives every rank a part of a group, which megatron-core 0.16 and later reads";
        }
        return base::fail(ErrorKind::usage,
                          base::format("TP {} does not divide {} ({}) of the {} model{}", share_.count, rounds_text(),
                                       groups_, model_.mapping().family, more));
    }

    Status require_vocabulary(std::uint64_t rows) const {
        if (rows % share_.count == 0) return {};
        return base::fail(
            ErrorKind::usage,
            base::format(
                "TP {} does not divide the vocabulary of {} rows; pad it with --make-vocab-size-divisible-by 1 "
                "(to {} rows), --padded-vocab-size N or --vocab-padding",
                share_.count, rows, (rows / share_.count + 1) * share_.count));
    }

    const Model& model_;
    const ActiveRule& active_;
    const StoredRule& rule_;
    Share share_;
    std::uint64_t groups_;  // rounds that the weights have themselves
    std::vector<std::uint32_t> ids_;
};

// Reads each row of the file as `same` rows. Where a row begins is said by the last axis, whose stride is 1: that of the rows
// is 0.
Status read_once(LayoutTensor& tensor, std::uint64_t same, const Model& model) {
    // Far beyond any model; keeps a corrupt config from using all memory.
    constexpr std::uint64_t kMostRows = 1 << 20;
    if (tensor.shape[0] % same != 0 || tensor.shape[0] / same > kMostRows)
        return base::fail(ErrorKind::bad_input,
                          base::format("{} rows of {} cannot be {} each of the same", tensor.shape[0],
                                       model.tensors()[tensor.pieces.front().logical].name, same));
    const Piece whole = std::move(tensor.pieces.front());
    tensor.once = true;
    tensor.strides = row_major_strides(tensor.shape);
    tensor.file_shape = tensor.shape;
    tensor.file_shape[0] /= same;
    tensor.pieces.assign(tensor.file_shape[0], whole);
    for (std::size_t row = 0; row < tensor.pieces.size(); ++row) {
        Piece& piece = tensor.pieces[row];
        piece.extent[0] = same;
        piece.in_logical[0] = row * same;
        piece.in_stored.back() = row * tensor.strides[0];
    }
    tensor.strides[0] = 0;
    return {};
}

// Halves of each so many rows, a row of each in turn: as a box the rows have three axes, of which the last two are the other
// way round in the file.
Status read_pairs(LayoutTensor& tensor, std::uint64_t rows, const Model& model) {
    // Far beyond any model; keeps a corrupt config from using all memory.
    constexpr std::uint64_t kMostHeads = 1 << 20;
    const Piece whole = std::move(tensor.pieces.front());
    if (rows % 2 != 0 || tensor.shape[0] % rows != 0 || tensor.shape[0] / rows > kMostHeads)
        return base::fail(ErrorKind::bad_input,
                          base::format("{} rows of {} are not pairs in parts of {}", tensor.shape[0],
                                       model.tensors()[whole.logical].name, rows));
    const std::uint64_t heads = tensor.shape[0] / rows, half = rows / 2;
    const auto of_file = row_major_strides(tensor.shape);
    tensor.file_shape = tensor.shape;
    tensor.shape.erase(tensor.shape.begin());
    tensor.shape.insert(tensor.shape.begin(), {heads, 2, half});
    tensor.strides = {rows * of_file[0], of_file[0], 2 * of_file[0]};
    tensor.strides.insert(tensor.strides.end(), of_file.begin() + 1, of_file.end());
    tensor.pieces.clear();
    for (std::uint64_t at = 0; at < 2 * heads; ++at) {
        Piece& piece = tensor.pieces.emplace_back(whole);
        piece.extent[0] = half;
        piece.in_logical[0] = at * half;
        piece.in_stored.insert(piece.in_stored.begin(), {at / 2, at % 2});
    }
    return {};
}

// Where the box lies in the file's tensor. Of a stack, axis a of an expert is axis a + 1 of the box.
void place(LayoutTensor& tensor, const StoredRule& rule) {
    const int in_front = rule.stacks_experts() ? 1 : 0;
    if (rule.unzipped() != nullptr) {
        tensor.unit_axis = rule.unzipped()->axis + static_cast<std::size_t>(in_front);
        tensor.file_shape = tensor.shape;
        tensor.file_shape.erase(tensor.file_shape.begin() + static_cast<std::ptrdiff_t>(*tensor.unit_axis));
        return;
    }
    if (rule.stacked() == nullptr) return;
    const Stacked& stack = *rule.stacked();
    auto axis_of = [&](int word) { return static_cast<std::size_t>(word + in_front); };
    static_assert(Stacked::kExperts == -1);
    tensor.strides.assign(tensor.shape.size(), 1);
    std::uint64_t stride = 1;
    for (std::size_t i = stack.memory.size(); i-- > 0; stride *= tensor.shape[axis_of(stack.memory[i])])
        tensor.strides[axis_of(stack.memory[i])] = stride;
    for (int word : stack.axes.empty() ? stack.memory : std::vector<int>())
        tensor.file_shape.push_back(tensor.shape[axis_of(word)]);
    for (const auto& words : stack.axes) {
        tensor.file_shape.push_back(1);
        for (int word : words) tensor.file_shape.back() *= tensor.shape[axis_of(word)];
    }
    if (tensor.file_shape != tensor.shape || tensor.strides != row_major_strides(tensor.shape)) return;
    tensor.file_shape.clear();
    tensor.strides.clear();
}

}  // namespace

Result<LayoutTensor> compose(const Model& model, const ActiveRule& active, Share share, std::uint32_t layer,
                             std::uint32_t expert) {
    TRY_ASSIGN(LayoutTensor out, Composer(model, active, share, layer).compose(layer, expert));
    if (active.rule->once() != nullptr) TRY(read_once(out, active.same_rows, model));
    else if (active.rule->paired() != nullptr) TRY(read_pairs(out, active.paired_rows, model));
    else place(out, *active.rule);
    return out;
}

Result<LayoutTensor> compose_stack(const Model& model, const ActiveRule& active, const ExpertShare& experts,
                                   std::uint32_t layer) {
    LayoutTensor out;
    for (std::uint32_t i = 0; i < experts.count; ++i) {
        Share share{experts.parts, experts.index, kExpertTp};
        TRY_ASSIGN(LayoutTensor one, Composer(model, active, share, layer).compose(layer, experts.first + i));
        for (Piece& piece : one.pieces) {
            piece.in_stored.insert(piece.in_stored.begin(), i);
            out.pieces.push_back(std::move(piece));
        }
        out.shape = std::move(one.shape);
    }
    out.shape.insert(out.shape.begin(), experts.count);
    out.fill_like = out.pieces.front().logical;
    out.optional = active.rule->optional;
    out.copy = active.rule->copy;
    out.extra_state = active.rule->extra_state;
    out.plus = active.rule->plus;
    out.of_experts = true;
    place(out, *active.rule);
    return out;
}

}  // namespace ckpt
