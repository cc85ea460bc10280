// Low-rank adapters among the tensors of a checkpoint: finds their factors, under whatever names a trainer gave them.
#pragma once

#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/mapping/adapter_format.h"

namespace ckpt {

// What factors are called once they are found: "model/decoder.layers.0.mlp.linear_fc1.weight (left factor)".
const AdapterFormat& stored_factor_names();

// Takes the factors out of `index`, into one of their own with stored_factor_names() and the same files; weights that adapters
// wrap get their own names back. Fails with bad_input when one of two factors is missing. `rank_files`: each has its own tensors.
Result<TensorIndex> take_adapters(TensorIndex& index, const AdapterFormats& formats, bool rank_files);

// A tensor for every weight that has factors, with the weight's name and shape: what the files of an adapter tell of a layout.
TensorIndex adapted_weights(const TensorIndex& factors, bool rank_files);

// Whether the factors are there without the weights they belong to: at most others of the model, which they do not change, stand beside.
bool is_adapter_alone(const TensorIndex& index, const TensorIndex& factors);

}  // namespace ckpt
