// Chunks of a tensor that several ranks have stored.
#pragma once

#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {

// Keeps the first of the chunks with the same offsets and sizes; the others are sorted by these.
void drop_repeated_chunks(TorchDistTensor& tensor);

}  // namespace ckpt
