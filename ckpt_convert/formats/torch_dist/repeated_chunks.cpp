#include "ckpt_convert/formats/torch_dist/repeated_chunks.h"

#include <algorithm>
#include <tuple>

namespace ckpt {

void drop_repeated_chunks(TorchDistTensor& tensor) {
    auto place = [](const TorchDistChunk& chunk) { return std::tie(chunk.offsets, chunk.sizes); };
    auto before = [&](const auto& a, const auto& b) { return place(a) < place(b); };
    auto same = [&](const auto& a, const auto& b) { return place(a) == place(b); };
    std::stable_sort(tensor.chunks.begin(), tensor.chunks.end(), before);
    tensor.chunks.erase(std::unique(tensor.chunks.begin(), tensor.chunks.end(), same), tensor.chunks.end());
}

}  // namespace ckpt
