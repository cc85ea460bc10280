// The escapes in the text strings of pickle protocol 0.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ckpt::pickle {

// What STRING holds: a Python literal in single or double quotes, to its bytes.
std::optional<std::string> bytes_from_literal(std::string_view literal);

// What UNICODE holds: raw-unicode-escape (Latin-1 with \uXXXX and \UXXXXXXXX), to UTF-8.
std::optional<std::string> utf8_from_raw_escapes(std::string_view text);

}  // namespace ckpt::pickle
