#include "ckpt_convert/formats/torch_dist/chunk_checks.h"

#include <algorithm>
#include <tuple>

#include "ckpt_convert/tensor/tiling.h"

namespace ckpt {

void drop_repeated_chunks(TorchDistTensor& tensor) {
    auto place = [](const TorchDistChunk& chunk) { return std::tie(chunk.offsets, chunk.sizes); };
    auto before = [&](const auto& a, const auto& b) { return place(a) < place(b); };
    auto same = [&](const auto& a, const auto& b) { return place(a) == place(b); };
    std::stable_sort(tensor.chunks.begin(), tensor.chunks.end(), before);
    tensor.chunks.erase(std::unique(tensor.chunks.begin(), tensor.chunks.end(), same), tensor.chunks.end());
}

std::optional<std::string> tiling_problem(const TorchDistTensor& tensor) {
    std::vector<Box> boxes;
    boxes.reserve(tensor.chunks.size());
    for (const TorchDistChunk& chunk : tensor.chunks) boxes.push_back({chunk.offsets, chunk.sizes});
    return tiling_problem(tensor.shape, boxes);
}

}  // namespace ckpt
