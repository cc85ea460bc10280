#include "base/quoted_name.h"

#include <algorithm>
#include <cstddef>

#include "base/format.h"
#include "base/utf8.h"

namespace base {
namespace {

constexpr std::size_t kMostNameBytes = 200;

}  // namespace

std::string quoted_name(std::string_view name) {
    std::size_t end = 0;
    while (end < name.size()) {
        const std::size_t next = std::max<std::size_t>(utf8_sequence_length(name.substr(end)), 1);
        if (end + next > kMostNameBytes) break;
        end += next;
    }
    return format("\"{}{}\"", name.substr(0, end), end < name.size() ? "..." : "");
}

}  // namespace base
