#include "ckpt_convert/tensor/tiling.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/checked_math.h"
#include "base/format.h"

namespace ckpt {
namespace {

// How often a box may be looked at: once per axis and plane that separates it from others. Chunks of real checkpoints
// form grids, of at most some axes.
constexpr std::uint64_t kMaxLooksPerBox = 256;
// How many boxes that no plane separates are compared pair by pair.
constexpr std::size_t kMaxTangled = 4096;
constexpr const char* kTooManyTangled = "the chunks form no grid, and are too many to be checked otherwise";

using Extents = std::span<const std::uint64_t>;

std::string text(Extents extents) { return to_string(Shape(extents.begin(), extents.end())); }

std::string gap(const Shape& at) { return base::format("the element at {} is in no chunk", to_string(at)); }

bool overlap(const Box& a, const Box& b) {
    for (std::size_t i = 0; i < a.offsets.size(); ++i) {
        if (a.offsets[i] >= b.offsets[i] + b.sizes[i] || b.offsets[i] >= a.offsets[i] + a.sizes[i]) return false;
    }
    return true;
}

// Cuts the region along planes that no box crosses, until every part is one box that fills it.
class TilingCheck {
public:
    TilingCheck(const Shape& shape, std::vector<Box> boxes) : boxes_(std::move(boxes)) {
        looks_left_ = kMaxLooksPerBox * (boxes_.size() + 1);
        parts_.push_back({0, boxes_.size(), Shape(shape.size(), 0), shape, shape.size()});
    }

    std::optional<std::string> problem() {
        while (!parts_.empty()) {
            Part part = std::move(parts_.back());
            parts_.pop_back();
            if (auto found = check(part)) return found;
        }
        return std::nullopt;
    }

private:
    // The boxes from `begin` to `end`, which lie in the region from `low` to `high`.
    struct Part {
        std::size_t begin = 0;
        std::size_t end = 0;
        Shape low;
        Shape high;
        std::size_t cut_along = 0;  // no plane across this axis is left
    };
    struct Slab {
        std::size_t begin = 0;
        std::size_t end = 0;
        std::uint64_t low = 0;
        std::uint64_t high = 0;
    };

    std::optional<std::string> check(const Part& part) {
        if (part.begin == part.end) return gap(part.low);
        std::size_t axes = part.low.size();
        for (std::size_t i = 0; i < axes; ++i) {
            std::size_t axis = (part.cut_along + 1 + i) % axes;
            if (axis == part.cut_along) continue;
            std::size_t count = part.end - part.begin;
            if (count > looks_left_) return kTooManyTangled;
            looks_left_ -= count;
            std::vector<Slab> slabs = slabs_along(part, axis);
            if (auto missing = gap_between(part, axis, slabs)) return missing;
            if (slabs.size() == 1) continue;
            for (const Slab& slab : slabs) {
                Part next{slab.begin, slab.end, part.low, part.high, axis};
                next.low[axis] = slab.low;
                next.high[axis] = slab.high;
                parts_.push_back(std::move(next));
            }
            return std::nullopt;
        }
        // One box that reaches from end to end along every axis is the region.
        return part.end - part.begin == 1 ? std::nullopt : check_tangled(part);
    }

    std::vector<Slab> slabs_along(const Part& part, std::size_t axis) {
        auto first = boxes_.begin() + static_cast<std::ptrdiff_t>(part.begin);
        auto last = boxes_.begin() + static_cast<std::ptrdiff_t>(part.end);
        std::sort(first, last, [axis](const Box& a, const Box& b) { return a.offsets[axis] < b.offsets[axis]; });
        std::vector<Slab> slabs;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            std::uint64_t low = boxes_[i].offsets[axis];
            std::uint64_t high = low + boxes_[i].sizes[axis];
            if (slabs.empty() || low >= slabs.back().high) slabs.push_back({i, i, low, high});
            slabs.back().end = i + 1;
            slabs.back().high = std::max(slabs.back().high, high);
        }
        return slabs;
    }

    static std::optional<std::string> gap_between(const Part& part, std::size_t axis, const std::vector<Slab>& slabs) {
        Shape at = part.low;
        for (const Slab& slab : slabs) {
            if (slab.low != at[axis]) return gap(at);
            at[axis] = slab.high;
        }
        if (at[axis] != part.high[axis]) return gap(at);
        return std::nullopt;
    }

    std::optional<std::string> check_tangled(const Part& part) const {
        std::size_t count = part.end - part.begin;
        if (count > kMaxTangled) return kTooManyTangled;
        std::uint64_t elements = 0;
        for (std::size_t i = part.begin; i < part.end; ++i) {
            for (std::size_t j = part.begin; j < i; ++j) {
                if (overlap(boxes_[i], boxes_[j]))
                    return base::format("the chunks at {} and {} overlap", text(boxes_[j].offsets),
                                        text(boxes_[i].offsets));
            }
            elements += *checked_elements(Shape(boxes_[i].sizes.begin(), boxes_[i].sizes.end()));
        }
        Shape sizes = part.high;
        for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] -= part.low[i];
        if (elements == *checked_elements(sizes)) return std::nullopt;
        return base::format("the chunks from {} to {} leave a gap", to_string(part.low), to_string(part.high));
    }

    std::vector<Box> boxes_;
    std::vector<Part> parts_;
    std::uint64_t looks_left_ = 0;
};

std::optional<std::string> bounds_problem(const Shape& shape, const Box& box) {
    if (box.offsets.size() != shape.size() || box.sizes.size() != shape.size()) {
        return base::format("the chunk at {} of size {} does not have the {} axes of the tensor", text(box.offsets),
                            text(box.sizes), shape.size());
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
        auto end = base::checked_add(box.offsets[i], box.sizes[i]);
        if (!end || *end > shape[i]) {
            return base::format("the chunk at {} of size {} does not lie inside the tensor", text(box.offsets),
                                text(box.sizes));
        }
    }
    return std::nullopt;
}

bool is_empty(Extents sizes) { return std::find(sizes.begin(), sizes.end(), 0u) != sizes.end(); }

}  // namespace

std::optional<std::string> tiling_problem(const Shape& shape, const std::vector<Box>& boxes) {
    for (const Box& box : boxes) {
        if (auto problem = bounds_problem(shape, box)) return problem;
    }
    if (is_empty(shape)) return std::nullopt;
    std::vector<Box> filled;
    filled.reserve(boxes.size());
    std::copy_if(boxes.begin(), boxes.end(), std::back_inserter(filled),
                 [](auto& box) { return !is_empty(box.sizes); });
    return TilingCheck(shape, std::move(filled)).problem();
}

}  // namespace ckpt
