// Parses the JSON header of a safetensors file into entries that are checked one by one, not yet against each other.
#pragma once

#include <string>
#include <string_view>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"

namespace ckpt {

// `json` are the header's bytes, which start at byte 8 of `file`. The offsets of the entries are still relative to the
// byte buffer, and the entries in the order of the header.
Result<SafetensorsHeader> parse_safetensors_json(std::string_view json, const std::string& file);

}  // namespace ckpt
