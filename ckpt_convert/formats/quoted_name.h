// quoted_name: a name from an untrusted file, as a message can print it.
#pragma once

#include <string>
#include <string_view>

namespace ckpt {

// In quotes, with control characters and broken UTF-8 escaped, cut after 200 bytes.
std::string quoted_name(std::string_view name);

}  // namespace ckpt
