// Sheet: a table of a comparison, as it goes to the terminal, into JSON, CSV and a workbook.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_writer.h"

namespace migrator {

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;
using SheetRow = std::vector<Cell>;

struct Sheet {
    std::string name;
    std::vector<std::string> headers;
    std::vector<SheetRow> rows;
};

inline Cell text_cell(std::string_view text) { return Cell(std::string(text)); }
inline Cell count_cell(std::uint64_t count) { return Cell(static_cast<std::int64_t>(count)); }

// To the number of digits, as Python does: by the exact value, ties to even.
double rounded(double value, int digits);
// How many times as much: 1 where both are 0, infinite where only the base is; four digits.
double ratio_of(double base, double compared);

// A list of lists; what is infinite is "inf", as JSON has no such number.
void write_json(base::JsonWriter& out, const Sheet& sheet);
// RFC 4180 with \r\n. A text that a program for tables would take for a formula gets a quote in front.
std::string csv_text(const Sheet& sheet);

}  // namespace migrator
