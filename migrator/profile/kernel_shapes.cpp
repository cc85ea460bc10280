#include "migrator/profile/kernel_shapes.h"

#include <charconv>

namespace migrator {

std::vector<KernelShape> kernel_shapes(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
    std::vector<KernelShape> out;
    if (text.empty() || text == "N/A") return out;
    out.emplace_back();
    for (const char *at = text.data(), *end = at + text.size(); at != end;) {
        if (*at == ';') out.emplace_back();
        if (*at == ';' || *at == ',' || *at == ' ') {
            ++at;
            continue;
        }
        std::int64_t size = 0;
        const auto read = std::from_chars(at, end, size);
        if (read.ec != std::errc() || size < 0) return {};
        out.back().push_back(size);
        at = read.ptr;
    }
    return out;
}

}  // namespace migrator
