// ByteRuns: the contiguous runs of bytes that a box of a strided tensor consists of, in the order of their offsets.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

class ByteRuns {
public:
    // `strides` in bytes, one per axis of `extent`. `with_gaps`: elements that are not neighbours, along the axis whose
    // elements lie closest, are one run with what is between them.
    ByteRuns(const Shape& extent, const std::vector<std::uint64_t>& strides, std::uint64_t element_bytes,
             bool with_gaps)
        : packed_strides(extent.size(), 0), bytes_(element_bytes) {
        std::vector<std::size_t> axes(extent.size());
        std::iota(axes.begin(), axes.end(), std::size_t{0});
        std::stable_sort(axes.begin(), axes.end(),
                         [&](std::size_t a, std::size_t b) { return strides[a] < strides[b]; });
        auto axis = axes.begin();
        auto joins = [&] { return axis != axes.end() && (strides[*axis] == bytes_ || extent[*axis] == 1); };
        if (!joins() && with_gaps && axis != axes.end()) take(extent, strides, *axis++);
        while (joins()) take(extent, strides, *axis++);
        std::uint64_t stride = bytes_;
        for (; axis != axes.end(); ++axis) {
            packed_strides[*axis] = stride;
            stride *= extent[*axis];
            outer_.insert(outer_.begin(), {extent[*axis], strides[*axis], 0});
        }
        total_ = stride;
    }

    std::uint64_t total_bytes() const { return total_; }
    bool is_single() const { return total_ == bytes_; }

    // Calls visit(offset in the tensor, offset when all runs are packed together, bytes) for every run.
    template <class Visit>
    Status each(Visit visit) {
        for (std::uint64_t packed = 0, offset = 0; packed < total_; packed += bytes_) {
            TRY(visit(offset, packed, bytes_));
            for (std::size_t i = outer_.size(); i-- > 0;) {
                Axis& axis = outer_[i];
                offset += axis.stride;
                if (++axis.at < axis.extent) break;
                offset -= axis.stride * axis.extent;
                axis.at = 0;
            }
        }
        return {};
    }

    // Where the elements lie when the runs are packed together, in bytes, one per axis of the box.
    std::vector<std::uint64_t> packed_strides;

private:
    struct Axis {
        std::uint64_t extent = 0;
        std::uint64_t stride = 0;
        std::uint64_t at = 0;
    };

    // Makes the axis a part of the run.
    void take(const Shape& extent, const std::vector<std::uint64_t>& strides, std::size_t axis) {
        packed_strides[axis] = strides[axis];
        bytes_ += (extent[axis] - 1) * strides[axis];
    }

    std::uint64_t bytes_;  // of a run
    std::uint64_t total_ = 0;
    std::vector<Axis> outer_;  // the slowest first
};

}  // namespace ckpt
