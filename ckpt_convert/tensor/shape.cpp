#include "ckpt_convert/tensor/shape.h"

#include <algorithm>

#include "base/checked_math.h"

namespace ckpt {

std::optional<std::uint64_t> checked_elements(const Shape& shape) {
    // Zero extents do not excuse the others: a shape that passes has row-major strides that fit 64 bits.
    std::uint64_t product = 1;
    bool empty = false;
    for (std::uint64_t extent : shape) {
        if (extent == 0) {
            empty = true;
            continue;
        }
        auto next = base::checked_mul(product, extent);
        if (!next) return std::nullopt;
        product = *next;
    }
    return empty ? 0 : product;
}

std::optional<std::uint64_t> checked_bytes(const Shape& shape, DType dtype) {
    auto elements = checked_elements(shape);
    if (!elements) return std::nullopt;
    if (bits(dtype) % 8 == 0) return base::checked_mul(*elements, bits(dtype) / 8);
    auto total_bits = base::checked_mul(*elements, bits(dtype));
    if (!total_bits || *total_bits % 8 != 0) return std::nullopt;
    return *total_bits / 8;
}

std::vector<std::uint64_t> row_major_strides(const Shape& shape) {
    std::vector<std::uint64_t> strides(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) {
        // As PyTorch counts them: an empty axis does not make the strides outside it zero.
        strides[i - 1] = strides[i] * std::max<std::uint64_t>(shape[i], 1);
    }
    return strides;
}

std::string to_string(const Shape& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) out += ", ";
        out += std::to_string(shape[i]);
    }
    return out + "]";
}

}  // namespace ckpt
