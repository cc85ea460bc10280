#include "base/csv.h"

#include <algorithm>

#include "base/printable.h"

namespace base {
namespace {

// What spreadsheets begin a formula with, also in the full width of East Asian texts.
bool begins_formula(std::string_view text) {
    constexpr std::string_view kBegins[] = {"=",
                                            "+",
                                            "-",
                                            "@",
                                            "%",
                                            "\t",
                                            "\r",
                                            "\n",
                                            "\xEF\xBC\x9D",
                                            "\xEF\xBC\x8B",
                                            "\xEF\xBC\x8D",
                                            "\xEF\xBC\xA0",
                                            "\xEF\xBC\x85"};
    return std::any_of(std::begin(kBegins), std::end(kBegins),
                       [&](std::string_view begin) { return text.starts_with(begin); });
}

}  // namespace

std::string csv_cell(std::string_view text) {
    std::string out = begins_formula(text) ? "'" : "";
    out += printable_lines(text);
    if (out.find_first_of(",\"\r\n;\t") == std::string::npos) return out;
    std::string quoted = "\"";
    for (const char c : out) quoted.append(c == '"' ? 2 : 1, c);
    return quoted + "\"";
}

std::string csv_line(const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) out += (i > 0 ? "," : "") + csv_cell(cells[i]);
    return out + "\r\n";
}

}  // namespace base
