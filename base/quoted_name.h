// quoted_name: a name from an untrusted file as a part of a message.
#pragma once

#include <string>
#include <string_view>

namespace base {

// In quotes, cut after 200 bytes. What prints the message makes it printable.
std::string quoted_name(std::string_view name);

}  // namespace base
