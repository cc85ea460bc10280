// UTF-8 validation and counting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace base {

// Bytes of the well-formed sequence at the start of `text`; 0 when it is ill-formed (overlong, surrogate, cut) or empty.
std::size_t utf8_sequence_length(std::string_view text);

// The character that `sequence` is, a well-formed one and nothing behind it.
std::uint32_t utf8_code_point(std::string_view sequence);

// Bytes in front of the first one that is not ASCII.
std::size_t ascii_length(std::string_view text);

bool is_valid_utf8(std::string_view text);

}  // namespace base
