// SHA-256, as FIPS 180-4 defines it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/block_hash.h"

namespace base {

class Sha256 : public BlockHash<8> {
public:
    Sha256();
};

// Of bytes in memory.
std::array<std::uint8_t, 32> sha256(std::string_view bytes);
// The digest as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace base
