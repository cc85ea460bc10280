// Lines of CSV files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace base {

// A cell that no spreadsheet takes for a formula, quoted where it must be; what a terminal obeys is escaped.
std::string csv_cell(std::string_view text);

// With the end of the line.
std::string csv_line(const std::vector<std::string>& cells);

}  // namespace base
