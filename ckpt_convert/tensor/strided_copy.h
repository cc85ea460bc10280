// copy_box: copies an N-dimensional box between two strided buffers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ckpt {

// `dst` and `src` point at the box's first element; the three spans have one entry per axis, outermost first (none: one
// element). Source strides may be 0 (a broadcast); the buffers must not overlap, nor may elements of the box in `dst`.
// Elements are opaque bytes of any size, so a run of values can be passed as one element.
void copy_box(std::byte* dst, std::span<const std::uint64_t> dst_strides_bytes, const std::byte* src,
              std::span<const std::uint64_t> src_strides_bytes, std::span<const std::uint64_t> extents,
              std::size_t element_bytes);

}  // namespace ckpt
