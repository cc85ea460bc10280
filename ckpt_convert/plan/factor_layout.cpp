#include "ckpt_convert/plan/factor_layout.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <span>

#include "base/format.h"
#include "base/sha256.h"
#include "ckpt_convert/checkpoint/zeros.h"

namespace ckpt {
namespace {

// Where the ranks of the adapters of a tensor's weights lie: right factors of one place are one below the other.
class RankPlaces {
public:
    RankPlaces(const LayoutTensor& weight, const AdapterFactors& factors) : factors_(factors) {
        for (const Piece& piece : weight.pieces) {
            Place& place = places_[key(piece)];
            std::uint64_t rank = factors.ranks[piece.logical];
            any_ |= rank > 0;
            plain_ &= rank > 0;
            if (rank > 0 && place.begin.emplace(factors.number(Factor::right, piece.logical), place.used).second)
                place.used += rank;
            plain_ &= place.begin.size() <= 1;
        }
        for (const auto& [where, place] : places_) used_ = std::max(used_, place.used);
    }

    bool any() const { return any_; }
    // All weights have adapters, and none beside those of another.
    bool plain() const { return plain_; }
    // The most that is in one place.
    std::uint64_t used() const { return used_; }
    std::uint64_t used_at(const Piece& piece) const { return places_.at(key(piece)).used; }
    std::uint64_t begin(const Piece& piece) const {
        return places_.at(key(piece)).begin.at(factors_.number(Factor::right, piece.logical));
    }

private:
    struct Place {
        std::map<std::uint32_t, std::uint64_t> begin;  // by right factor
        std::uint64_t used = 0;
    };

    static Shape key(const Piece& piece) { return factor_piece(piece, Factor::right, 1).in_stored; }

    const AdapterFactors& factors_;
    std::map<Shape, Place> places_;
    bool any_ = false;
    bool plain_ = true;
    std::uint64_t used_ = 0;
};

// Where a file has the matrices of a weight with their rows as columns, it has a product of the factors the other way round:
// the right one first, with the rank as columns.
void transpose(LayoutTensor& tensor) {
    std::size_t axes = tensor.shape.size();
    std::vector<std::size_t> order(axes);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::swap(order[axes - 2], order[axes - 1]);
    tensor.strides.assign(axes, 1);
    tensor.file_shape.clear();
    for (std::size_t axis : order) tensor.file_shape.push_back(tensor.shape[axis]);
    for (std::size_t i = axes - 1; i-- > 0;)
        tensor.strides[order[i]] = tensor.strides[order[i + 1]] * tensor.shape[order[i + 1]];
}

// Lays out the factors of one weight tensor.
class FactorTensor {
public:
    FactorTensor(const Model& weights, AdapterFactors& factors, const LayoutTensor& weight, Factor factor,
                 const RankPlaces& places, std::uint64_t rank)
        : weights_(weights), factors_(factors), weight_(weight), factor_(factor), places_(places), rank_(rank) {}

    LayoutTensor make() {
        out_.file = weight_.file;
        out_.copy = weight_.copy;
        out_.of_experts = weight_.of_experts;
        out_.alike = weight_.alike;
        out_.shape = weight_.shape;
        out_.shape[weight_.shape.size() - 2 + rank_axis(factor_)] = rank_;
        if (factor_ == Factor::left) out_.fill_rows = weight_.fill_rows;
        for (const Piece& piece : weight_.pieces) add(piece);
        if (!out_.pieces.empty()) out_.fill_like = out_.pieces.front().logical;
        return std::move(out_);
    }

private:
    void add(const Piece& of_weight) {
        std::uint64_t own = factors_.ranks[of_weight.logical];
        std::uint64_t begin = own > 0 ? places_.begin(of_weight) : 0;
        if (own > 0) add_part(of_weight, begin, own, factors_.number(factor_, of_weight.logical));
        if (factor_ == Factor::left) {
            add_zeros(of_weight, 0, begin);
            add_zeros(of_weight, begin + own, rank_);
        } else {
            add_zeros(of_weight, places_.used_at(of_weight), rank_);
        }
    }

    void add_part(const Piece& of_weight, std::uint64_t begin, std::uint64_t rank, std::uint32_t logical) {
        Piece piece = factor_piece(of_weight, factor_, rank);
        piece.in_stored[piece.in_stored.size() - 2 + rank_axis(factor_)] = begin;
        piece.logical = logical;
        bool known = std::any_of(out_.pieces.begin(), out_.pieces.end(), [&](const Piece& other) {
            return other.logical == piece.logical && other.in_stored == piece.in_stored &&
                   other.in_logical == piece.in_logical;
        });
        if (!known) out_.pieces.push_back(std::move(piece));
    }

    void add_zeros(Piece of_weight, std::uint64_t begin, std::uint64_t end) {
        if (begin >= end) return;
        of_weight.in_logical.assign(2, 0);
        add_part(of_weight, begin, end - begin, zeros());
    }

    // A tensor of zeros that is as large as any factor.
    std::uint32_t zeros() {
        auto& number = factors_.zeros[static_cast<std::size_t>(factor_)];
        if (number) return *number;
        Shape shape(2, 1);
        for (const LogicalTensor& weight : weights_.tensors()) {
            if (weight.shape.size() != 2) continue;
            for (std::size_t axis : {0, 1}) shape[axis] = std::max(shape[axis], weight.shape[axis]);
        }
        shape[rank_axis(factor_)] = rank_;
        auto tensors = factors_.model.tensors();
        number = static_cast<std::uint32_t>(tensors.size());
        tensors.push_back({"zeros", std::move(shape)});
        factors_.model = factors_.model.with_tensors(std::move(tensors));
        return *number;
    }

    const Model& weights_;
    AdapterFactors& factors_;
    const LayoutTensor& weight_;
    Factor factor_;
    const RankPlaces& places_;
    std::uint64_t rank_;
    LayoutTensor out_;
};

std::optional<std::string> name_in(const std::vector<AdapterFormat>& formats, Factor factor,
                                   const std::string& weight) {
    for (const AdapterFormat& format : formats) {
        if (auto name = format.name_of(factor, weight)) return name;
    }
    return std::nullopt;
}

// False when two factors would have one place.
bool apart(const LayoutTensor& tensor) {
    std::map<Shape, std::uint32_t> places;
    return std::all_of(tensor.pieces.begin(), tensor.pieces.end(),
                       [&](const Piece& piece) { return places.emplace(piece.in_stored, piece.logical).second; });
}

}  // namespace

std::uint64_t joined_rank(const AdapterFactors& factors, const Layout& weights) {
    std::uint64_t most = 0;
    bool plain = true;
    for (const LayoutTensor& weight : weights.tensors) {
        RankPlaces places(weight, factors);
        if (!places.any() || weight.optional) continue;
        plain &= places.plain();
        most = std::max(most, places.used());
    }
    return plain ? 0 : most;
}

Result<Layout> factor_layout(const Model& model, AdapterFactors& factors, const Layout& weights,
                             const std::vector<AdapterFormat>& formats, std::uint64_t rank) {
    Layout out;
    out.by_file = weights.by_file;
    for (const LayoutTensor& weight : weights.tensors) {
        RankPlaces places(weight, factors);
        if (!places.any() || weight.optional) continue;
        bool turned = weight.strides.size() > 1 && weight.strides.back() > weight.strides[weight.strides.size() - 2];
        for (Factor factor : kFactors) {
            LayoutTensor tensor =
                FactorTensor(model, factors, weight, factor, places, rank > 0 ? rank : places.used()).make();
            Factor in_file = turned == (factor == Factor::left) ? Factor::right : Factor::left;
            if (turned) transpose(tensor);
            auto name = name_in(formats, in_file, weight.name);
            if (!name || !apart(tensor)) {
                return base::fail(
                    ErrorKind::unsupported,
                    base::format("the adapter of {} has no place here: {}; without --save-lora it is "
                                 "merged",
                                 weight.name,
                                 name ? "its weights are joined along their columns and have left factors "
                                        "of their own"
                                      : base::format("the names of \"{}\" are of modules with one weight",
                                                     formats.back().name)));
            }
            tensor.name = std::move(*name);
            out.tensors.push_back(std::move(tensor));
        }
    }
    return out;
}

Status share_equal_factors(AdapterFactors& factors, const TensorIndex& index, SourceBinding& binding) {
    std::vector<bool> right(binding.tensors.size(), false);
    for (std::uint32_t i = 0; i < factors.ranks.size(); ++i) {
        if (factors.ranks[i] > 0) right[factors.number(Factor::right, i)] = true;
    }
    std::map<std::string, std::uint32_t> known;  // by the hash of type, shape and values
    std::vector<std::uint32_t> renumbered;
    std::vector<LogicalTensor> tensors;
    SourceBinding bound{{}, std::move(binding.notes)};
    std::string bytes;
    for (std::size_t i = 0; i < right.size(); ++i) {
        auto number = static_cast<std::uint32_t>(tensors.size());
        const IndexedTensor& stored = index.tensors[binding.tensors[i].pieces.front().tensor];
        if (right[i] && stored.contiguous && binding.tensors[i].pieces.size() == 1) {
            bytes.resize(stored.bytes());
            TRY(index.files[stored.file]->read_at(stored.offset, std::as_writable_bytes(std::span(bytes))));
            std::string like =
                base::format("{} {} {}", name(stored.dtype), to_string(stored.shape), base::sha256_hex(bytes));
            number = known.emplace(std::move(like), number).first->second;
        }
        renumbered.push_back(number);
        if (number < tensors.size()) continue;
        tensors.push_back(factors.model.tensors()[i]);
        bound.tensors.push_back(std::move(binding.tensors[i]));
    }
    for (auto& numbers : factors.of_weight) {
        for (std::uint32_t& number : numbers) number = renumbered[number];
    }
    factors.model = factors.model.with_tensors(std::move(tensors));
    binding = std::move(bound);
    return {};
}

void bind_zeros(const AdapterFactors& factors, TensorIndex& index, SourceBinding& binding) {
    binding.tensors.resize(factors.model.tensors().size());
    for (Factor factor : kFactors) {
        auto number = factors.zeros[static_cast<std::size_t>(factor)];
        if (!number) continue;
        auto adapted = std::find_if(factors.ranks.begin(), factors.ranks.end(), [](auto rank) { return rank > 0; });
        auto weight = static_cast<std::uint32_t>(adapted - factors.ranks.begin());
        LogicalSource& source = binding.tensors[*number];
        const Shape& shape = factors.model.tensors()[*number].shape;
        source.dtype = binding.tensors[factors.number(factor, weight)].dtype;
        source.pieces = {{add_zeros(index, source.dtype, shape), Shape(2, 0), Shape(2, 0), shape}};
    }
}

}  // namespace ckpt
