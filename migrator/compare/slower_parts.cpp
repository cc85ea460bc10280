#include "migrator/compare/slower_parts.h"

#include "base/format.h"

namespace migrator {

std::vector<std::string> slower_parts(const Sheet& overall, double percent) {
    constexpr double kLeastShare = 0.01;
    std::vector<std::string> out;
    if (overall.rows.empty()) return out;
    const double whole = number_in(overall.rows.back()[1]);
    for (const SheetRow& row : overall.rows) {
        const double base = number_in(row[1]), compared = number_in(row[4]);
        if (base <= 0 || base < kLeastShare * whole || compared <= base * (1 + percent / 100)) continue;
        const std::string name = text_in(row[0]);
        out.push_back(base::format("{} takes {:.1f} % longer than in the base, and --fail-over allows {} %",
                                   name.substr(name.find_first_not_of('\t')), 100 * (compared / base - 1), percent));
    }
    return out;
}

}  // namespace migrator
