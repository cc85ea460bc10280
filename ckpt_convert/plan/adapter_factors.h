// AdapterFactors: the two factors of low-rank adapters as logical tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/adapter_format.h"
#include "ckpt_convert/mapping/model.h"
#include "ckpt_convert/plan/layout.h"

namespace ckpt {

inline constexpr Factor kFactors[] = {Factor::left, Factor::right};

// To a weight of m x n belong a left factor of m x r and a right one of r x n. A rank that has some rows of the weight has
// those of the left factor and all of the right one; with columns it is the other way round. Weights that a file joins along
// their rows have one right factor together, which is one logical tensor.
struct AdapterFactors {
    Model model;                              // its tensors are the factors
    std::vector<std::uint64_t> ranks;         // by weight: r; 0: it has no adapter
    std::vector<std::uint32_t> of_weight[2];  // by Factor, by weight: the number of the factor in `model`
    std::optional<std::uint32_t> zeros[2];    // by Factor: the number of a tensor of zeros, once a layout needs it

    std::uint32_t number(Factor factor, std::uint32_t weight) const {
        return of_weight[static_cast<std::size_t>(factor)][weight];
    }
};

// What the weights with adapters are, from the factors that a checkpoint has: see take_adapters. `layout`: of the weights.
// Fails with bad_input when a factor belongs to no weight, or has no rank; with unsupported when the weight is no matrix.
Result<AdapterFactors> find_factors(const Model& weights, const Layout& layout, const TensorIndex& stored);

// Which axis of a weight has the adapter's rank in its factor: the columns in the left, the rows in the right one.
std::size_t rank_axis(Factor factor);

// A piece of a weight's factor; its logical tensor is still that of the weight.
Piece factor_piece(Piece piece, Factor factor, std::uint64_t rank);

}  // namespace ckpt
