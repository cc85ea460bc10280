// Words whose capitals make no difference.
#pragma once

#include <string>
#include <string_view>

namespace base {

// The letters of ASCII, in every locale.
inline std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

}  // namespace base
