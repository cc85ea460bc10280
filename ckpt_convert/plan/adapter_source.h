// Low-rank adapters: finds the factors that belong to a weight, and makes them a part of it.
#pragma once

#include <optional>
#include <string>

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/adapter_format.h"

namespace ckpt {

struct AdapterScale {
    std::optional<double> alpha;        // the product is scaled with alpha / rank
    bool root = false;                  // with alpha / sqrt(rank)
    std::optional<std::uint64_t> rank;  // what it must be; nullopt: what the factors have
};

// Adds the files and tensors of an adapter that is a checkpoint of its own. `ranks`: how many rank files both must have; 0: they
// are no rank files. Fails with bad_input.
base::Status add_adapter(TensorIndex& index, TensorIndex adapter, std::uint32_t ranks);

// True when a name is that of a factor.
bool has_adapters(const TensorIndex& index, const AdapterFormats& formats);

// Makes every pair of factors a part of its weight. With `ranks` rank files the factors lie in the file of the weight's rank, or
// in that of the adapter, and are split so that their product is the rank's share. Returns a note on what was found; nullopt
// when there are none. Fails with bad_input when a factor has no partner, no weight, or another shape; with usage when alpha is
// not known.
base::Result<std::optional<std::string>> join_adapters(TensorIndex& index, const AdapterFormats& formats,
                                                       const AdapterScale& scale, std::uint32_t ranks);

}  // namespace ckpt
