#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "ckpt_convert/tensor/strided_copy.h"

namespace {

using Amounts = std::vector<std::uint64_t>;

struct Box {
    Amounts extents;
    Amounts dst_strides;  // bytes
    Amounts src_strides;
    std::size_t element_bytes = 1;
};

// The definition: one element after the other.
void naive_copy(std::byte* dst, const std::byte* src, const Box& box) {
    std::uint64_t count =
        std::accumulate(box.extents.begin(), box.extents.end(), std::uint64_t{1}, std::multiplies<>());
    for (std::uint64_t n = 0; n < count; ++n) {
        std::uint64_t rest = n, to = 0, from = 0;
        for (std::size_t i = box.extents.size(); i-- > 0;) {
            to += rest % box.extents[i] * box.dst_strides[i];
            from += rest % box.extents[i] * box.src_strides[i];
            rest /= box.extents[i];
        }
        std::memcpy(dst + to, src + from, box.element_bytes);
    }
}

// Strides of a dense buffer whose axes lie in the memory in the order `order`, each padded by some elements.
Amounts strides_in_order(const Amounts& extents, const std::vector<std::size_t>& order, std::uint64_t element_bytes,
                         std::uint64_t padding) {
    Amounts strides(extents.size());
    std::uint64_t stride = element_bytes;
    for (std::size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride *= extents[order[i]] + padding;
    }
    return strides;
}

std::uint64_t reach(const Amounts& extents, const Amounts& strides, std::size_t element_bytes) {
    std::uint64_t last = element_bytes;
    for (std::size_t i = 0; i < extents.size(); ++i) last += extents[i] == 0 ? 0 : (extents[i] - 1) * strides[i];
    return last;
}

void check_against_naive(const Box& box) {
    std::vector<std::byte> src(reach(box.extents, box.src_strides, box.element_bytes));
    for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<std::byte>(i * 37 + i / 251 + 1);
    std::vector<std::byte> wanted(reach(box.extents, box.dst_strides, box.element_bytes), std::byte{0xEE});
    std::vector<std::byte> got = wanted;
    naive_copy(wanted.data(), src.data(), box);
    ckpt::copy_box(got.data(), box.dst_strides, src.data(), box.src_strides, box.extents, box.element_bytes);
    REQUIRE(got == wanted);  // also: nothing between the elements is touched
}

}  // namespace

TEST_CASE("copy_box: random boxes, orders and padding agree with the naive copy") {
    std::mt19937 random(7);
    auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const std::size_t element_sizes[] = {1, 2, 3, 4, 8, 12, 16, 40};
    for (int round = 0; round < 2000; ++round) {
        Box box;
        box.element_bytes = element_sizes[below(std::size(element_sizes))];
        std::size_t rank = below(6);
        for (std::size_t i = 0; i < rank; ++i) box.extents.push_back(below(8) == 0 ? 0 : below(7) + 1);
        std::vector<std::size_t> order(rank);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        box.dst_strides = strides_in_order(box.extents, order, box.element_bytes, below(3) == 0 ? 1 : 0);
        std::shuffle(order.begin(), order.end(), random);
        box.src_strides = strides_in_order(box.extents, order, box.element_bytes, below(3) == 0 ? 2 : 0);
        if (rank > 0 && below(6) == 0) box.src_strides[below(rank)] = 0;  // a broadcast axis
        CAPTURE(round);
        check_against_naive(box);
    }
}

TEST_CASE("copy_box: transposes larger than a tile") {
    for (std::size_t element_bytes : {1, 2, 4, 8, 16}) {
        Box box{{70, 3, 45}, {}, {}, element_bytes};
        box.dst_strides = strides_in_order(box.extents, {0, 1, 2}, element_bytes, 0);
        box.src_strides = strides_in_order(box.extents, {2, 1, 0}, element_bytes, 0);
        check_against_naive(box);
    }
}

TEST_CASE("copy_box: a scalar is one element and an empty box none") {
    check_against_naive({{}, {}, {}, 4});
    std::byte untouched{0x55};
    const std::uint64_t extents[] = {3, 0};
    const std::uint64_t strides[] = {8, 4};
    ckpt::copy_box(&untouched, strides, nullptr, strides, extents, 4);
    CHECK(untouched == std::byte{0x55});
}
