#include "ckpt_convert/formats/zip/crc32.h"

#include <libdeflate.h>

namespace ckpt {
namespace {

// CRCs are polynomials over GF(2) modulo this one, the highest power in the lowest bit (the reflected form of IEEE).
constexpr std::uint32_t kPolynomial = 0xEDB88320;
constexpr std::uint32_t kOne = 0x80000000;  // x^0

// a * b modulo the polynomial.
std::uint32_t multiply(std::uint32_t a, std::uint32_t b) {
    std::uint32_t product = 0;
    for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
        if ((a & bit) != 0) product ^= b;
        b = (b & 1) != 0 ? (b >> 1) ^ kPolynomial : b >> 1;  // b * x
    }
    return product;
}

// x^(8 * bytes): what appending that many bytes multiplies a CRC by.
std::uint32_t shift_by(std::uint64_t bytes) {
    std::uint32_t power = 0x00800000;  // x^8, for one byte
    std::uint32_t result = kOne;
    for (; bytes != 0; bytes >>= 1) {
        if ((bytes & 1) != 0) result = multiply(result, power);
        power = multiply(power, power);
    }
    return result;
}

}  // namespace

std::uint32_t crc32(base::ByteSpan data, std::uint32_t seed) {
    return libdeflate_crc32(seed, data.data(), data.size());
}

std::uint32_t crc32_combine(std::uint32_t crc_a, std::uint32_t crc_b, std::uint64_t bytes_b) {
    return multiply(crc_a, shift_by(bytes_b)) ^ crc_b;
}

std::uint32_t crc32_of_zeros(std::uint64_t bytes) {
    // A CRC begins with all bits set and ends with all bits turned over; zeros do nothing in between but shift.
    constexpr std::uint32_t kAllBits = 0xFFFFFFFF;
    return multiply(kAllBits, shift_by(bytes)) ^ kAllBits;
}

}  // namespace ckpt
