#include "migrator/profile/table_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/number_text.h"

namespace migrator {

std::optional<std::size_t> TableRows::column(const std::vector<std::string>& names) const {
    for (const std::string& name : names) {
        const auto found = std::ranges::find(names_, name);
        if (found != names_.end()) return static_cast<std::size_t>(found - names_.begin());
    }
    return std::nullopt;
}

double TableRows::number(std::optional<std::size_t> column) const {
    return base::number_in<double>((*this)[column]).value_or(std::numeric_limits<double>::quiet_NaN());
}

double TableRows::number_or_zero(std::optional<std::size_t> column) const {
    const double value = number(column);
    return std::isfinite(value) ? value : 0;
}

}  // namespace migrator
