#include "base/page_template.h"

#include "base/compress.h"
#include "base/markup.h"
#include "base/printable.h"
#include "base/sha256.h"

namespace base {

Result<std::string_view> template_text(const DataStore& templates, std::string_view path) {
    const std::string_view* text = templates.find(path);
    if (text == nullptr) return fail(ErrorKind::rule_data, "the template is missing", std::string(path));
    return *text;
}

std::string page_text(std::string_view text) { return markup_text(printable(text)); }

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
