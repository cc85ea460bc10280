#include "base/page_template.h"

#include "base/compress.h"
#include "base/sha256.h"

namespace base {

std::string filled_page(std::string_view text, const std::map<std::string, std::string>& values) {
    std::string out;
    while (!text.empty()) {
        const std::size_t at = text.find("{{");
        out += text.substr(0, at);
        if (at == text.npos) return out;
        const std::size_t end = text.find("}}", at) + 2;
        out += values.at(std::string(text.substr(at, end - at)));
        text.remove_prefix(end);
    }
    return out;
}

std::string policy_hash(std::string_view text) {
    const auto digest = sha256(text);
    return "sha256-" + base64({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

}  // namespace base
