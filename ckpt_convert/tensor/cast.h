// Casts between floating-point element types, rounding to nearest even as PyTorch does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ckpt_convert/tensor/dtype.h"

namespace ckpt {

// What a cast to a smaller range lost.
struct CastLosses {
    std::uint64_t overflowed = 0;   // finite values that became infinite
    std::uint64_t underflowed = 0;  // values other than 0 that became 0
    bool any() const { return overflowed + underflowed > 0; }
    void add(const CastLosses& other) {
        overflowed += other.overflowed;
        underflowed += other.underflowed;
    }
};

// f32, f16 and bf16 into each other.
bool can_cast(DType from, DType to);

// Casts `count` elements, `plus` added to each before it is rounded; the buffers must not overlap. For pairs that can_cast
// allows.
CastLosses cast(std::byte* to, DType to_type, const std::byte* from, DType from_type, std::size_t count,
                float plus = 0);

}  // namespace ckpt
