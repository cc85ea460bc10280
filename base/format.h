// format: fmt's formatting, compiled once instead of in every file that builds a message.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>

namespace base {

std::string format_erased(fmt::string_view pattern, fmt::format_args args);

// "{} of {}": the pattern is checked at compile time.
template <typename... Args>
std::string format(fmt::format_string<Args...> pattern, Args&&... args) {
    return format_erased(pattern, fmt::make_format_args(args...));
}

// The items of a range, formatted, with `separator` between them.
template <typename Range>
std::string joined(const Range& items, std::string_view separator) {
    std::string out;
    bool first = true;
    for (const auto& item : items) {
        if (!std::exchange(first, false)) out += separator;
        out += format("{}", item);
    }
    return out;
}

}  // namespace base
