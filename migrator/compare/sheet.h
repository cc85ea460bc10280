// Sheet: a table of a comparison, as it goes to the terminal, into JSON, CSV and a workbook.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_writer.h"
#include "base/text_sink.h"

namespace migrator {

using Cell = std::variant<std::monostate, std::string, std::int64_t, double>;
using SheetRow = std::vector<Cell>;

struct Sheet {
    std::string name;
    std::vector<std::string> headers;
    std::vector<SheetRow> rows;
    // Rows behind these that are made when they are asked for, as there can be millions.
    std::function<SheetRow(std::size_t)> made{};
    std::size_t made_rows = 0;

    std::size_t size() const { return rows.size() + made_rows; }
    SheetRow row(std::size_t number) const { return number < rows.size() ? rows[number] : made(number - rows.size()); }
};

inline Cell text_cell(std::string_view text) { return Cell(std::string(text)); }
inline Cell count_cell(std::uint64_t count) { return Cell(static_cast<std::int64_t>(count)); }

// 0 where the cell is no number.
double number_in(const Cell& cell);
std::string text_in(const Cell& cell);

// nullptr: there is none of this name.
const Sheet* named_sheet(const std::vector<Sheet>& sheets, std::string_view name);

// To the number of digits, as Python does: by the exact value, ties to even.
double rounded(double value, int digits);
// How many times as much: 1 where both are 0, infinite where only the base is; four digits.
double ratio_of(double base, double compared);

// A list of lists; what is infinite is "inf", as JSON has no such number.
void write_json(base::JsonWriter& out, const Sheet& sheet);
// RFC 4180 with \r\n. A text that a program for tables would take for a formula gets a quote in front.
// The sheet must outlive what it gives.
base::TextSource csv_text(const Sheet& sheet);

}  // namespace migrator
