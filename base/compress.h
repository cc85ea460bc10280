// gzip and base64, for data that goes into a text file.
#pragma once

#include <string>
#include <string_view>

namespace base {

std::string gzip(std::string_view bytes);
std::string base64(std::string_view bytes);  // with padding, on one line

}  // namespace base
