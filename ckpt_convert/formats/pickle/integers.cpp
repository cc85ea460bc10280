#include "ckpt_convert/formats/pickle/integers.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ckpt::pickle {
namespace {

bool is_negative(std::string_view little_endian) {
    return !little_endian.empty() && (little_endian.back() & 0x80) != 0;
}

// Two's complement negation in place; the number has a byte to spare.
void negate(std::string& little_endian) {
    unsigned carry = 1;
    for (char& c : little_endian) {
        unsigned sum = static_cast<unsigned char>(~c) + carry;
        c = static_cast<char>(sum & 0xFF);
        carry = sum >> 8;
    }
}

}  // namespace

std::string shortest_bytes(std::string_view little_endian) {
    char sign = is_negative(little_endian) ? '\xFF' : '\0';
    while (!little_endian.empty() && little_endian.back() == sign) {
        std::string_view shorter = little_endian.substr(0, little_endian.size() - 1);
        if (is_negative(shorter) != (sign != '\0')) break;
        little_endian = shorter;
    }
    return std::string(little_endian);
}

std::string shortest_bytes(std::int64_t value) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(static_cast<std::uint64_t>(value) >> (8 * i) & 0xFF);
    return shortest_bytes(bytes);
}

Value::Variant integer_from_bytes(std::string_view little_endian) {
    std::string shortest = shortest_bytes(little_endian);
    if (shortest.size() > 8) return BigInteger{std::move(shortest)};
    std::uint64_t value = is_negative(shortest) ? ~std::uint64_t{0} : 0;
    for (std::size_t i = shortest.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(shortest[i]);
    return static_cast<std::int64_t>(value);
}

std::optional<Value::Variant> integer_from_decimal(std::string_view text) {
    bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty()) return std::nullopt;
    // As many digits at once as fit 32 bits, so that even the longest integers are cheap.
    constexpr std::size_t kDigits = 9;
    std::vector<std::uint32_t> limbs;
    while (!text.empty()) {
        std::uint64_t scale = 1;
        std::uint64_t carry = 0;
        for (char digit : text.substr(0, kDigits)) {
            if (digit < '0' || digit > '9') return std::nullopt;
            carry = carry * 10 + static_cast<std::uint64_t>(digit - '0');
            scale *= 10;
        }
        text.remove_prefix(std::min(text.size(), kDigits));
        for (std::uint32_t& limb : limbs) {
            carry += limb * scale;
            limb = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
        if (carry != 0) limbs.push_back(static_cast<std::uint32_t>(carry));
    }
    std::string bytes;
    for (std::uint32_t limb : limbs) {
        for (int i = 0; i < 4; ++i) bytes += static_cast<char>(limb >> (8 * i) & 0xFF);
    }
    bytes += '\0';
    if (negative) negate(bytes);
    return integer_from_bytes(bytes);
}

}  // namespace ckpt::pickle
