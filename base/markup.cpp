#include "base/markup.h"

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

}  // namespace base
