#include "base/markup.h"

#include "base/format.h"

namespace base {

std::string markup_text(std::string_view printable) {
    std::string out;
    for (const char c : printable) {
        if (c == '<') out += "&lt;";
        else if (c == '>') out += "&gt;";
        else if (c == '&') out += "&amp;";
        else if (c == '"') out += "&quot;";
        else if (c == '\n') out += "&#10;";
        else if (c == '\r') out += "&#13;";
        else out += c;
    }
    return out;
}

std::string relative_uri(std::string_view path) {
    constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    std::string out;
    for (const char c : path) {
        if (kPlain.find(c) != std::string_view::npos) out += c;
        else out += format("%{:02X}", static_cast<unsigned char>(c));
    }
    return out;
}

}  // namespace base
