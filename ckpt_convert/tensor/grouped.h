// Grouped: values by number, those of one number behind those of the one before, in two vectors for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace ckpt {

template <class Value>
class Grouped {
public:
    Grouped() = default;
    // each(take): calls take(number, value) for all values, the same each time: the first round counts.
    template <class Each>
    Grouped(std::size_t numbers, Each each) {
        std::vector<std::uint32_t> next(numbers + 1, 0);
        each([&](std::uint32_t number, const Value&) { ++next[number + 1]; });
        std::partial_sum(next.begin(), next.end(), next.begin());
        values_.resize(next.back());
        each([&](std::uint32_t number, const Value& value) { values_[next[number]++] = value; });
        next.pop_back();
        ends_ = std::move(next);
    }

    std::size_t size() const { return ends_.size(); }
    std::span<const Value> operator[](std::size_t number) const {
        const std::uint32_t begin = number == 0 ? 0 : ends_[number - 1];
        return std::span(values_).subspan(begin, ends_[number] - begin);
    }

private:
    std::vector<std::uint32_t> ends_;
    std::vector<Value> values_;
};

}  // namespace ckpt
