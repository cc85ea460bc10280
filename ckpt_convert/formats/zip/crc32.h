// CRC-32 (IEEE) of data that arrives in pieces, in any order.
#pragma once

#include <cstdint>

#include "base/byte_reader.h"

namespace ckpt {

// `seed`: the CRC of what came directly before, 0 at the start.
std::uint32_t crc32(base::ByteSpan data, std::uint32_t seed = 0);

// The CRC of A followed by B, from the CRC of each and the length of B.
std::uint32_t crc32_combine(std::uint32_t crc_a, std::uint32_t crc_b, std::uint64_t bytes_b);

// The CRC of that many bytes of zeros.
std::uint32_t crc32_of_zeros(std::uint64_t bytes);

}  // namespace ckpt
