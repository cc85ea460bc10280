// Appends the opcodes of values that are not made of others.
#pragma once

#include <cstdint>
#include <string>

#include "ckpt_convert/formats/pickle/value.h"

namespace ckpt::pickle {

// False, and nothing is appended, when the value is made of others.
bool append_scalar(std::string& out, const Value& value);

void append_little_endian(std::string& out, std::uint64_t value, int bytes);

}  // namespace ckpt::pickle
