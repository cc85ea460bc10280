// TextCodec: bytes of a declared encoding to UTF-8 and back, for the encodings that PEP 263 cookies name in practice.
//
// All of them are stateless: a character's bytes do not depend on its neighbours. So when a whole file survives
// decoding and encoding, every unedited part of it does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace migrator {

// The encoding a Python cookie names, under the one name we use: "Latin_1" -> "iso-8859-1"; nullopt when Python does
// not know it, or it is none we can read ("utf-7", "hex").
std::optional<std::string> canonical_encoding(std::string_view cookie);

// The encoding that a comment in the first two lines declares, by CPython's rules; nullopt without one.
std::optional<std::string> find_coding_cookie(std::string_view bytes);

// Fails with bad_input (a byte sequence that is none, `where` says which byte) or unsupported.
base::Result<std::string> decode(std::string_view bytes, const std::string& encoding);
// Fails with unsupported when a character has no form in the encoding.
base::Result<std::string> encode_text(std::string_view text, const std::string& encoding);

}  // namespace migrator
