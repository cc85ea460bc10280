// gzip and base64: data that goes into a text file, and packed input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace base {

std::string gzip(std::string_view bytes);
// One member or several, one after the other. Fails with bad_input when it is damaged or cut off, or with more than
// `max_bytes` in it; `name` is the file that messages speak of.
Result<std::string> gunzip(std::string_view bytes, const std::string& name, std::uint64_t max_bytes);
// Of zip files and of gzip: goes on from what it was of the text in front; 0 at the beginning.
std::uint32_t crc32(std::uint32_t before, std::string_view bytes);
std::string base64(std::string_view bytes);  // with padding, on one line

}  // namespace base
