#include "ckpt_convert/tensor/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/check.h"

namespace ckpt {
namespace {

struct Axis {
    std::uint64_t extent = 1;
    std::uint64_t dst_stride = 0;  // bytes
    std::uint64_t src_stride = 0;
};

// The innermost two axes of a copy; `row` is walked outside `column`.
struct Plane {
    Axis row;
    Axis column;
};

// A tile of this many elements square touches few enough cache lines on both sides to stay in the first-level cache.
constexpr std::uint64_t kTile = 32;

// kBytes 0: the size is only known at run time.
template <std::size_t kBytes>
void copy_element(std::byte* dst, const std::byte* src, std::size_t bytes) {
    if constexpr (kBytes == 0) {
        std::memcpy(dst, src, bytes);
    } else {
        std::memcpy(dst, src, kBytes);
    }
}

template <std::size_t kBytes>
void copy_plane(std::byte* dst, const std::byte* src, const Plane& plane, std::size_t bytes) {
    const Axis& row = plane.row;
    const Axis& column = plane.column;
    for (std::uint64_t r = 0; r < row.extent; ++r) {
        std::byte* to = dst + r * row.dst_stride;
        const std::byte* from = src + r * row.src_stride;
        for (std::uint64_t c = 0; c < column.extent; ++c) {
            copy_element<kBytes>(to + c * column.dst_stride, from + c * column.src_stride, bytes);
        }
    }
}

// A transpose walks one side across its cache lines: tile by tile, every line is used up while it is in the cache.
template <std::size_t kBytes>
void copy_plane_tiled(std::byte* dst, const std::byte* src, const Plane& plane, std::size_t bytes) {
    for (std::uint64_t r = 0; r < plane.row.extent; r += kTile) {
        for (std::uint64_t c = 0; c < plane.column.extent; c += kTile) {
            Plane tile = plane;
            tile.row.extent = std::min(kTile, plane.row.extent - r);
            tile.column.extent = std::min(kTile, plane.column.extent - c);
            copy_plane<kBytes>(dst + r * tile.row.dst_stride + c * tile.column.dst_stride,
                               src + r * tile.row.src_stride + c * tile.column.src_stride, tile, bytes);
        }
    }
}

using PlaneCopier = void (*)(std::byte*, const std::byte*, const Plane&, std::size_t);

template <std::size_t kBytes>
PlaneCopier copier(bool tiled) {
    return tiled ? copy_plane_tiled<kBytes> : copy_plane<kBytes>;
}

PlaneCopier choose_copier(std::size_t element_bytes, bool tiled) {
    switch (element_bytes) {
        case 1: return copier<1>(tiled);
        case 2: return copier<2>(tiled);
        case 4: return copier<4>(tiled);
        case 8: return copier<8>(tiled);
        case 16: return copier<16>(tiled);
        default: return copier<0>(tiled);
    }
}

// The axes that matter, by falling destination stride, with neighbours that are dense in both buffers made one.
std::vector<Axis> merged_axes(std::span<const std::uint64_t> dst_strides, std::span<const std::uint64_t> src_strides,
                              std::span<const std::uint64_t> extents) {
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < extents.size(); ++i) {
        if (extents[i] != 1) axes.push_back({extents[i], dst_strides[i], src_strides[i]});
    }
    std::stable_sort(axes.begin(), axes.end(),
                     [](const Axis& a, const Axis& b) { return a.dst_stride > b.dst_stride; });
    std::vector<Axis> merged;
    for (const Axis& inner : axes) {
        if (!merged.empty() && merged.back().dst_stride == inner.extent * inner.dst_stride &&
            merged.back().src_stride == inner.extent * inner.src_stride) {
            merged.back() = {merged.back().extent * inner.extent, inner.dst_stride, inner.src_stride};
        } else {
            merged.push_back(inner);
        }
    }
    return merged;
}

// Takes the innermost two axes out of `axes`: the last, and the one along which the source is densest.
Plane take_plane(std::vector<Axis>& axes) {
    Plane plane;
    if (axes.empty()) return plane;
    plane.column = axes.back();
    axes.pop_back();
    if (axes.empty()) return plane;
    auto densest = std::min_element(axes.begin(), axes.end(),
                                    [](const Axis& a, const Axis& b) { return a.src_stride < b.src_stride; });
    // When the column is the densest one on both sides, any row will do; the innermost keeps the walk in order.
    if (plane.column.src_stride <= densest->src_stride) densest = axes.end() - 1;
    plane.row = *densest;
    axes.erase(densest);
    return plane;
}

}  // namespace

void copy_box(std::byte* dst, std::span<const std::uint64_t> dst_strides_bytes, const std::byte* src,
              std::span<const std::uint64_t> src_strides_bytes, std::span<const std::uint64_t> extents,
              std::size_t element_bytes) {
    CHECK(dst_strides_bytes.size() == extents.size() && src_strides_bytes.size() == extents.size());
    if (std::find(extents.begin(), extents.end(), std::uint64_t{0}) != extents.end() || element_bytes == 0) return;

    std::vector<Axis> axes = merged_axes(dst_strides_bytes, src_strides_bytes, extents);
    // A dense run is from here on one large element.
    if (!axes.empty() && axes.back().dst_stride == element_bytes && axes.back().src_stride == element_bytes) {
        element_bytes *= axes.back().extent;
        axes.pop_back();
    }
    Plane plane = take_plane(axes);
    bool transposed = plane.row.extent > 1 && plane.row.src_stride < plane.column.src_stride;
    PlaneCopier copy = choose_copier(element_bytes, transposed && element_bytes <= 16);

    std::vector<std::uint64_t> index(axes.size(), 0);
    while (true) {
        copy(dst, src, plane, element_bytes);
        // Step the outer axes like an odometer, the last one fastest.
        std::size_t i = axes.size();
        for (; i > 0; --i) {
            const Axis& axis = axes[i - 1];
            if (++index[i - 1] < axis.extent) {
                dst += axis.dst_stride;
                src += axis.src_stride;
                break;
            }
            dst -= (axis.extent - 1) * axis.dst_stride;
            src -= (axis.extent - 1) * axis.src_stride;
            index[i - 1] = 0;
        }
        if (i == 0) return;
    }
}

}  // namespace ckpt
