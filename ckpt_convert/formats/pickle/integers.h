// Integers of any size, between the forms that pickles have and the value tree.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// Little-endian two's complement of any length: a std::int64_t where it fits, else a BigInteger without needless bytes.
Value::Variant integer_from_bytes(std::string_view little_endian);

// Decimal digits with an optional sign. Quadratic in the length, which the caller limits.
std::optional<Value::Variant> integer_from_decimal(std::string_view text);

// The shortest little-endian two's complement; empty for 0, as in LONG1.
std::string shortest_bytes(std::string_view little_endian);
std::string shortest_bytes(std::int64_t value);

}  // namespace ckpt::pickle
