#include "migrator/compare/sheet.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/csv.h"
#include "base/format.h"

namespace migrator {
namespace {

// Numbers are no formulas, whatever their sign.
std::string csv_cell(const Cell& cell) {
    if (const auto* text = std::get_if<std::string>(&cell)) return base::csv_cell(*text);
    if (const auto* count = std::get_if<std::int64_t>(&cell)) return base::format("{}", *count);
    if (const auto* number = std::get_if<double>(&cell))
        return std::isinf(*number) ? "INF" : base::format("{}", *number);
    return {};
}

}  // namespace

double rounded(double value, int digits) {
    if (!std::isfinite(value)) return value;
    return std::strtod(base::format("{:.{}f}", value, digits).c_str(), nullptr);
}

double ratio_of(double base, double compared) {
    if (base == 0) return compared == 0 ? 1 : std::numeric_limits<double>::infinity();
    return rounded(compared / base, 4);
}

double number_in(const Cell& cell) {
    if (const auto* number = std::get_if<double>(&cell)) return *number;
    const auto* count = std::get_if<std::int64_t>(&cell);
    return count == nullptr ? 0 : static_cast<double>(*count);
}

std::string text_in(const Cell& cell) {
    const auto* text = std::get_if<std::string>(&cell);
    return text == nullptr ? std::string() : *text;
}

const Sheet* named_sheet(const std::vector<Sheet>& sheets, std::string_view name) {
    const auto found = std::ranges::find(sheets, name, &Sheet::name);
    return found == sheets.end() ? nullptr : &*found;
}

void write_json(base::JsonWriter& out, const Sheet& sheet) {
    out.begin_object();
    out.key("headers").begin_array();
    for (const std::string& header : sheet.headers) out.string(header);
    out.end_array();
    out.key("rows").begin_array();
    for (std::size_t i = 0; i < sheet.size(); ++i) {
        out.begin_array();
        for (const Cell& cell : sheet.row(i)) {
            if (const auto* text = std::get_if<std::string>(&cell)) out.string(*text);
            else if (const auto* count = std::get_if<std::int64_t>(&cell)) out.integer(*count);
            else if (const auto* number = std::get_if<double>(&cell)) {
                if (std::isfinite(*number)) out.number(*number);
                else out.string("inf");
            } else out.null();
        }
        out.end_array();
    }
    out.end_array();
    out.end_object();
}

base::TextSource csv_text(const Sheet& sheet) {
    return [&sheet](const base::TextSink& sink) {
        const auto line = [&](const auto& cells, const auto& text_of) {
            std::string out;
            for (std::size_t i = 0; i < cells.size(); ++i) {
                if (i > 0) out += ',';
                out += text_of(cells[i]);
            }
            sink(out += "\r\n");
        };
        line(sheet.headers, [](const std::string& header) { return csv_cell(Cell(header)); });
        for (std::size_t i = 0; i < sheet.size(); ++i) line(sheet.row(i), csv_cell);
    };
}

}  // namespace migrator
