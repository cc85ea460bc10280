// TableRows: the rows of a table one after the other, by the names of its columns, wherever it is stored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace migrator {

class TableRows {
public:
    virtual ~TableRows() = default;

    // The column of the first of the names that the table has; nullopt: none.
    std::optional<std::size_t> column(const std::vector<std::string>& names) const;
    // The next row, whose texts live until the next call; false: there is none, and damage() says whether that is the end.
    virtual base::Result<bool> next() = 0;
    // Empty where the column is none, or has no text.
    std::string_view operator[](std::optional<std::size_t> column) const {
        return column ? cell(*column) : std::string_view();
    }
    // The number in it; NaN where there is none ("", "N/A").
    double number(std::optional<std::size_t> column) const;
    // 0 where there is none, or no finite one.
    double number_or_zero(std::optional<std::size_t> column) const;
    // Why the rest is not read; empty: it is whole.
    const std::string& damage() const { return damage_; }

protected:
    virtual std::string_view cell(std::size_t column) const = 0;

    std::vector<std::string> names_;
    std::string damage_;
};

}  // namespace migrator
