#include "ckpt_convert/plan/adapter_factors.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/format.h"
#include "ckpt_convert/plan/adapter_source.h"

namespace ckpt {
namespace {

bool is_matrix(const LayoutTensor& tensor) {
    return !tensor.unit_axis && std::all_of(tensor.pieces.begin(), tensor.pieces.end(),
                                            [](const Piece& piece) { return piece.extent.size() == 2; });
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
                base::format("there is an adapter of {}, which is not a weight of this model ({}); is it the "
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

}  // namespace

std::size_t rank_axis(Factor factor) { return factor == Factor::left ? 1 : 0; }

Piece factor_piece(Piece piece, Factor factor, std::uint64_t rank) {
    std::size_t axis = rank_axis(factor), in_front = piece.in_stored.size() - piece.extent.size();
    piece.in_stored[in_front + axis] = piece.in_logical[axis] = 0;
    piece.extent[axis] = rank;
    return piece;
}

Result<AdapterFactors> find_factors(const Model& weights, const Layout& layout, const TensorIndex& stored) {
    return FactorFinder(weights, layout, stored).find();
}

}  // namespace ckpt
