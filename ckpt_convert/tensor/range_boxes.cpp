#include "ckpt_convert/tensor/range_boxes.h"

#include <utility>

namespace ckpt {
namespace {

class RangeCutter {
public:
    explicit RangeCutter(const Shape& shape) : shape_(shape), steps_(row_major_strides(shape)) {}

    std::vector<RangeBox> cut(std::uint64_t begin, std::uint64_t end) {
        if (begin < end && shape_.empty()) out_.push_back({});
        else if (begin < end) cut(begin, end, Shape(shape_.size(), 0), 0);
        return std::move(out_);
    }

private:
    // `begin` and `end` are counted from the row at `at`, whose axes before `axis` are set.
    void cut(std::uint64_t begin, std::uint64_t end, const Shape& at, std::size_t axis) {
        const std::uint64_t step = steps_[axis];
        auto row = [&](std::uint64_t number, std::uint64_t from, std::uint64_t to) {
            Shape inside = at;
            inside[axis] = number;
            cut(from, to, inside, axis + 1);
        };
        std::uint64_t first = begin / step;
        const std::uint64_t last = end / step;
        if (begin % step != 0) {
            row(first, begin % step, first == last ? end % step : step);
            if (first++ == last) return;
        }
        if (first < last) add(at, axis, first, last);
        if (end % step != 0) row(last, 0, end % step);
    }

    void add(const Shape& at, std::size_t axis, std::uint64_t first, std::uint64_t last) {
        RangeBox box{at, Shape(shape_.size(), 1), first * steps_[axis]};
        box.offsets[axis] = first;
        box.sizes[axis] = last - first;
        for (std::size_t i = 0; i < axis; ++i) box.first += at[i] * steps_[i];
        for (std::size_t i = axis + 1; i < shape_.size(); ++i) box.sizes[i] = shape_[i];
        out_.push_back(std::move(box));
    }

    const Shape& shape_;
    std::vector<std::uint64_t> steps_;
    std::vector<RangeBox> out_;
};

}  // namespace

std::vector<RangeBox> boxes_of_range(const Shape& shape, std::uint64_t begin, std::uint64_t end) {
    return RangeCutter(shape).cut(begin, end);
}

}  // namespace ckpt
