#include "migrator/ruleset/parameters.h"

namespace migrator {

base::Status ParameterRow::check(const base::JsonPlace& at) const {
    if (!position && keyword.empty()) return at.error("a parameter has a \"position\", a \"keyword\" or both");
    return {};
}

void add_parameters(ParametersByFunction& out, const std::vector<ParameterRow>& rows) {
    for (const ParameterRow& row : rows) {
        for (const std::string& function : row.of) out[function].push_back(row);
    }
}

}  // namespace migrator
