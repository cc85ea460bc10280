// Byte offsets inside strided tensors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// Transfers from this size on are told to the page cache.
inline constexpr std::uint64_t kCacheHintBytes = 1ull << 20;

inline std::vector<std::uint64_t> byte_strides(std::vector<std::uint64_t> strides, std::uint64_t element_bytes) {
    for (std::uint64_t& stride : strides) stride *= element_bytes;
    return strides;
}

inline std::uint64_t dot(const Shape& offset, const std::vector<std::uint64_t>& strides) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < offset.size(); ++i) sum += offset[i] * strides[i];
    return sum;
}

// True when the region is one contiguous range of a dense tensor: all axes but the first are whole.
inline bool whole_rows(const Shape& extent, const Shape& shape) {
    return std::equal(extent.begin() + 1, extent.end(), shape.begin() + 1);
}

}  // namespace ckpt
