// Text as pages and addresses have it.
#pragma once

#include <string>
#include <string_view>

namespace base {

// Text in an element or attribute of HTML or XML. `printable`: text that went through base/printable.h; its line ends become references.
std::string markup_text(std::string_view printable);

// A path as a relative URI.
std::string relative_uri(std::string_view path);

}  // namespace base
