// markup_text: text as HTML and XML have it in an element or attribute.
#pragma once

#include <string>
#include <string_view>

namespace base {

// `printable`: text that went through base/printable.h; its line ends become references.
std::string markup_text(std::string_view printable);

}  // namespace base
