#include "ckpt_convert/formats/quoted_name.h"

#include <algorithm>
#include <cstddef>

#include "base/format.h"
#include "base/utf8.h"

namespace ckpt {
namespace {

constexpr std::size_t kMaxBytes = 200;

}  // namespace

std::string quoted_name(std::string_view name) {
    std::size_t end = 0;
    while (end < name.size()) {
        const std::size_t next = std::max<std::size_t>(base::utf8_sequence_length(name.substr(end)), 1);
        if (end + next > kMaxBytes) break;
        end += next;
    }
    return base::format("\"{}{}\"", name.substr(0, end), end < name.size() ? "..." : "");
}

}  // namespace ckpt
