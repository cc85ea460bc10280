// Where the factors of low-rank adapters are in a layout: every layout stores them as it stores their weights.
#pragma once

#include <cstdint>
#include <vector>

#include "ckpt_convert/plan/adapter_factors.h"
#include "ckpt_convert/plan/source_binding.h"

namespace ckpt {

// Where weights that are one tensor in a layout have right factors of their own, these stand one below the other, and the left
// ones beside each other with zeros between; of weights without an adapter the factors are zeros. The rank that all tensors
// then get; 0 when none of it happens, so that each tensor has the rank of its adapter.
std::uint64_t joined_rank(const AdapterFactors& factors, const Layout& weights);

// The tensors of the factors where `weights` is the layout of the weights of `model`; `rank`: of joined_rank. Fails with
// unsupported when no format has names for them, or when weights that are joined along their columns have left factors of
// their own.
Result<Layout> factor_layout(const Model& model, AdapterFactors& factors, const Layout& weights,
                             const std::vector<AdapterFormat>& formats, std::uint64_t rank = 0);

// Makes one logical tensor of right factors with the same values, as copies for the modules of another layout are. Fails with
// bad_input when a file cannot be read.
Status share_equal_factors(AdapterFactors& factors, const TensorIndex& index, SourceBinding& binding);

// Gives the tensors of zeros a place to be read.
void bind_zeros(const AdapterFactors& factors, TensorIndex& index, SourceBinding& binding);

}  // namespace ckpt
