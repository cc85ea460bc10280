// BlockHash: what SHA-1 and SHA-256 have in common: blocks of 64 bytes, the last of which holds the number of bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace base {

template <std::size_t Words>
class BlockHash {
public:
    static constexpr std::size_t kBlockBytes = 64;
    using State = std::array<std::uint32_t, Words>;
    using Digest = std::array<std::uint8_t, 4 * Words>;
    using AddBlock = void (*)(State& state, const std::uint8_t* block);

    BlockHash(const State& initial, AddBlock add_block) : state_(initial), add_block_(add_block) {}

    void add(std::string_view bytes) {
        bytes_ += bytes.size();
        if (!last_.empty()) {
            std::size_t missing = std::min(kBlockBytes - last_.size(), bytes.size());
            last_ += bytes.substr(0, missing);
            bytes.remove_prefix(missing);
            if (last_.size() < kBlockBytes) return;
            add_blocks(last_);
            last_.clear();
        }
        last_ = bytes.substr(add_blocks(bytes));
    }

    // Of all that was added; nothing can be added behind it.
    Digest finish() {
        // A one bit, zeros, and the number of bits: one block or two.
        last_ += '\x80';
        last_.resize(last_.size() + 8 > kBlockBytes ? 2 * kBlockBytes : kBlockBytes, '\0');
        const std::uint64_t bits = bytes_ * 8;
        for (std::size_t i = 0; i < 8; ++i) last_[last_.size() - 1 - i] = static_cast<char>(bits >> (8 * i));
        add_blocks(last_);
        Digest out{};
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
        return out;
    }

    // finish() as lower-case hexadecimal digits.
    std::string finish_hex() {
        constexpr std::string_view kDigits = "0123456789abcdef";
        std::string out;
        for (std::uint8_t byte : finish()) {
            out += kDigits[byte >> 4];
            out += kDigits[byte & 15];
        }
        return out;
    }

private:
    // All whole blocks; the number of their bytes.
    std::size_t add_blocks(std::string_view bytes) {
        std::size_t at = 0;
        for (; at + kBlockBytes <= bytes.size(); at += kBlockBytes)
            add_block_(state_, reinterpret_cast<const std::uint8_t*>(bytes.data()) + at);
        return at;
    }

    State state_;
    AddBlock add_block_;
    std::uint64_t bytes_ = 0;
    std::string last_;  // of a block that is not full
};

inline std::uint32_t rotated_left(std::uint32_t value, int bits) { return (value << bits) | (value >> (32 - bits)); }

inline std::uint32_t big_endian(const std::uint8_t* at) {
    return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 | at[3];
}

}  // namespace base
