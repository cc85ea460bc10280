#include "base/sha1.h"

namespace base {
namespace {

void sha1_block(Sha1::State& state, const std::uint8_t* block) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t i = 0; i < 16; ++i) w[i] = big_endian(block + 4 * i);
    for (std::size_t i = 16; i < 80; ++i) w[i] = rotated_left(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    // No structured binding: clang 14 does not let a lambda use one.
    std::uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    auto rounds = [&](std::size_t first, std::uint32_t constant, auto mix) {
        for (std::size_t i = first; i < first + 20; ++i) {
            const std::uint32_t next = rotated_left(a, 5) + mix(b, c, d) + e + constant + w[i];
            e = d, d = c, c = rotated_left(b, 30), b = a, a = next;
        }
    };
    using Word = std::uint32_t;
    auto parity = [](Word x, Word y, Word z) { return x ^ y ^ z; };
    rounds(0, 0x5a827999, [](Word x, Word y, Word z) { return (x & y) | (~x & z); });
    rounds(20, 0x6ed9eba1, parity);
    rounds(40, 0x8f1bbcdc, [](Word x, Word y, Word z) { return (x & y) | (x & z) | (y & z); });
    rounds(60, 0xca62c1d6, parity);
    const Sha1::State added{a, b, c, d, e};
    for (std::size_t i = 0; i < state.size(); ++i) state[i] += added[i];
}

}  // namespace

Sha1::Sha1() : BlockHash({0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, sha1_block) {}

}  // namespace base
