// What is asked of the chunks of a tensor that several ranks have stored.
#pragma once

#include <optional>
#include <string>

#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {

// Keeps the first of the chunks with the same offsets and sizes; the others are sorted by these.
void drop_repeated_chunks(TorchDistTensor& tensor);

// What is wrong where the chunks are not the tensor, each element once; nullopt when nothing is.
std::optional<std::string> tiling_problem(const TorchDistTensor& tensor);

}  // namespace ckpt
