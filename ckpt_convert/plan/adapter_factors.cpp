#include "ckpt_convert/plan/adapter_factors.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/format.h"
#include "ckpt_convert/plan/adapter_source.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

constexpr Factor kFactors[] = {Factor::left, Factor::right};

bool is_matrix(const LayoutTensor& tensor) {
    return !tensor.unit_axis && std::all_of(tensor.pieces.begin(), tensor.pieces.end(),
                                            [](const Piece& piece) { return piece.extent.size() == 2; });
}

// Which axis of a weight its factor has in the adapter's rank instead: the columns of the left, the rows of the right one.
std::size_t rank_axis(Factor factor) { return factor == Factor::left ? 1 : 0; }

// A piece of a weight's factor; its logical tensor is still that of the weight.
Piece factor_piece(Piece piece, Factor factor, std::uint64_t rank) {
    std::size_t axis = rank_axis(factor), in_front = piece.in_stored.size() - piece.extent.size();
    piece.in_stored[in_front + axis] = piece.in_logical[axis] = 0;
    piece.extent[axis] = rank;
    return piece;
}

// Weights whose factors lie in one place, by the first of them.
class Sharing {
public:
    explicit Sharing(std::size_t weights) : first_(weights) { std::iota(first_.begin(), first_.end(), 0u); }

    std::uint32_t first(std::uint32_t weight) const {
        while (first_[weight] != weight) weight = first_[weight];
        return weight;
    }

    void join(std::uint32_t a, std::uint32_t b) {
        a = first(a);
        b = first(b);
        first_[std::max(a, b)] = std::min(a, b);
    }

private:
    std::vector<std::uint32_t> first_;
};

class FactorFinder {
public:
    FactorFinder(const Model& weights, const Layout& layout, const TensorIndex& stored)
        : weights_(weights), layout_(layout), stored_(stored), sharing_(2, Sharing(weights.tensors().size())) {
        out_.ranks.assign(weights.tensors().size(), 0);
    }

    Result<AdapterFactors> find() {
        for (const IndexedTensor& tensor : stored_.tensors) {
            auto weight = stored_factor_names().weight_of(Factor::left, tensor.name);
            if (weight) unplaced_.emplace(key(tensor.file, std::move(*weight)), &tensor);
        }
        for (const LayoutTensor& tensor : layout_.tensors) {
            auto left = unplaced_.find(key(tensor.file, tensor.name));
            if (left == unplaced_.end()) continue;
            TRY(add(tensor, *left->second));
            unplaced_.erase(left);
        }
        if (!unplaced_.empty()) {
            const auto& [weight, left] = *unplaced_.begin();
            return base::fail(
                ErrorKind::bad_input,
                base::format("there is an adapter of {}, which is no weight of this model ({}); is it the "
                             "model that the adapter was trained on?",
                             weight.second, weights_.mapping().family),
                stored_.files[left->file]->path());
        }
        number_factors();
        return std::move(out_);
    }

private:
    std::pair<std::uint32_t, std::string> key(std::uint32_t file, std::string name) const {
        return {layout_.by_file ? file : 0, std::move(name)};
    }

    Status add(const LayoutTensor& tensor, const IndexedTensor& left) {
        const Shape& shape = left.whole_shape.empty() ? left.shape : left.whole_shape;
        if (!is_matrix(tensor) || shape.size() < 2 || shape.back() == 0) {
            return base::fail(ErrorKind::unsupported,
                              base::format("{} has an adapter, which only matrices can have", tensor.name),
                              stored_.files[left.file]->path());
        }
        for (const Piece& piece : tensor.pieces) {
            std::uint64_t& rank = out_.ranks[piece.logical];
            if (rank != 0 && rank != shape.back()) {
                return base::fail(ErrorKind::bad_input,
                                  base::format("the adapter of {} has the rank {}, but {} elsewhere", tensor.name,
                                               shape.back(), rank),
                                  stored_.files[left.file]->path());
            }
            rank = shape.back();
        }
        for (Factor factor : kFactors) share(tensor, factor, shape.back());
        return {};
    }

    void share(const LayoutTensor& tensor, Factor factor, std::uint64_t rank) {
        std::map<std::tuple<Shape, Shape, Shape>, std::uint32_t> places;
        for (const Piece& weight : tensor.pieces) {
            Piece piece = factor_piece(weight, factor, rank);
            auto [place, added] =
                places.emplace(std::tuple(piece.in_stored, piece.in_logical, piece.extent), piece.logical);
            if (!added) sharing_[static_cast<std::size_t>(factor)].join(place->second, piece.logical);
        }
    }

    void number_factors() {
        std::vector<LogicalTensor> factors;
        for (Factor factor : kFactors) {
            auto& numbers = out_.of_weight[static_cast<std::size_t>(factor)];
            numbers.assign(out_.ranks.size(), 0);
            for (std::uint32_t i = 0; i < out_.ranks.size(); ++i) {
                if (out_.ranks[i] == 0) continue;
                std::uint32_t first = sharing_[static_cast<std::size_t>(factor)].first(i);
                numbers[i] = first == i ? static_cast<std::uint32_t>(factors.size()) : numbers[first];
                if (first != i) continue;
                const LogicalTensor& weight = weights_.tensors()[i];
                Shape shape = weight.shape;
                shape[rank_axis(factor)] = out_.ranks[i];
                factors.push_back({*stored_factor_names().name_of(factor, weight.name), std::move(shape)});
            }
        }
        out_.model = weights_.with_tensors(std::move(factors));
    }

    const Model& weights_;
    const Layout& layout_;
    const TensorIndex& stored_;
    std::map<std::pair<std::uint32_t, std::string>, const IndexedTensor*> unplaced_;  // left factors by weight
    std::vector<Sharing> sharing_;                                                    // by Factor
    AdapterFactors out_;
};

// The rank of the adapter of all weights of a tensor; 0: they have none. nullopt: that differs.
std::optional<std::uint64_t> rank_of(const LayoutTensor& tensor, const AdapterFactors& factors) {
    std::uint64_t rank = factors.ranks[tensor.pieces.empty() ? tensor.fill_like : tensor.pieces.front().logical];
    bool same = std::all_of(tensor.pieces.begin(), tensor.pieces.end(),
                            [&](const Piece& piece) { return factors.ranks[piece.logical] == rank; });
    return same ? std::optional(rank) : std::nullopt;
}

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

LayoutTensor factor_tensor(const LayoutTensor& weight, const AdapterFactors& factors, Factor factor,
                           std::uint64_t rank) {
    LayoutTensor out;
    out.file = weight.file;
    out.copy = weight.copy;
    out.of_experts = weight.of_experts;
    out.shape = weight.shape;
    out.shape[weight.shape.size() - 2 + rank_axis(factor)] = rank;
    if (factor == Factor::left) out.fill_rows = weight.fill_rows;
    out.fill_like = factors.number(factor, weight.fill_like);
    for (const Piece& of_weight : weight.pieces) {
        Piece piece = factor_piece(of_weight, factor, rank);
        piece.logical = factors.number(factor, piece.logical);
        bool known = std::any_of(out.pieces.begin(), out.pieces.end(), [&](const Piece& other) {
            return other.logical == piece.logical && other.in_stored == piece.in_stored &&
                   other.in_logical == piece.in_logical;
        });
        if (!known) out.pieces.push_back(std::move(piece));
    }
    return out;
}

// False when two factors would have one place.
bool apart(const LayoutTensor& tensor) {
    std::map<Shape, std::uint32_t> places;
    return std::all_of(tensor.pieces.begin(), tensor.pieces.end(),
                       [&](const Piece& piece) { return places.emplace(piece.in_stored, piece.logical).second; });
}

}  // namespace

Result<AdapterFactors> find_factors(const Model& weights, const Layout& layout, const TensorIndex& stored) {
    return FactorFinder(weights, layout, stored).find();
}

Result<Layout> factor_layout(const Model& model, const AdapterFactors& factors, const Layout& weights,
                             const AdapterFormat& format) {
    Layout out;
    out.by_file = weights.by_file;
    for (const LayoutTensor& weight : weights.tensors) {
        auto rank = rank_of(weight, factors);
        if (rank == 0 || weight.optional) continue;
        auto refuse = [&](const std::string& why) {
            return base::fail(ErrorKind::unsupported,
                              base::format("the adapter of {} has no place here: {}; without --save-lora it is merged",
                                           weight.name, why));
        };
        if (!rank) return refuse("some of the weights that are one tensor here have adapters, or of another rank");
        bool turned = weight.strides.size() > 1 && weight.strides.back() > weight.strides[weight.strides.size() - 2];
        for (Factor factor : kFactors) {
            LayoutTensor tensor = factor_tensor(weight, factors, factor, *rank);
            Factor in_file = turned == (factor == Factor::left) ? Factor::right : Factor::left;
            if (turned) transpose(tensor);
            auto name = format.name_of(in_file, weight.name);
            if (!name) return refuse(base::format("names of \"{}\" have no factor of it", format.name));
            if (!apart(tensor))
                return refuse(base::format("its weights ({} ...) are one tensor here and have factors of their own",
                                           model.tensors()[weight.pieces.front().logical].name));
            tensor.name = std::move(*name);
            out.tensors.push_back(std::move(tensor));
        }
    }
    return out;
}

}  // namespace ckpt
