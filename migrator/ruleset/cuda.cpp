#include "migrator/ruleset/cuda.h"

#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status add(RuleSet& set, SymbolRow row, const Adding& adding) {
    if (row.name.find('*') < row.name.size() - 1 || row.name == "*")
        return adding.place.error("a symbol may have a * at its end only, after something");
    const std::string name = row.name;
    if (!set.symbols.emplace(name, std::move(row)).second)
        return adding.place.error(base::format("there already is a symbol \"{}\"", name));
    return {};
}

base::Status RegistrationRow::check(const base::JsonPlace& at) const {
    if (!macros.empty() + !bases.empty() + !builders.empty() != 1)
        return at.error("a registration has \"macros\", \"bases\" or \"builders\"");
    if (methods.empty() != macros.empty() && methods.empty() != bases.empty())
        return at.error("\"methods\" go with \"macros\" and \"bases\"");
    return {};
}

const SymbolRow* RuleSet::symbol(std::string_view spelled) const {
    if (spelled.starts_with("::")) spelled.remove_prefix(2);
    if (const auto found = symbols.find(spelled); found != symbols.end()) return &found->second;
    const SymbolRow* best = nullptr;
    for (const auto& [name, row] : symbols) {
        const bool is_prefix = name.ends_with('*');
        const std::string_view stem = std::string_view(name).substr(0, name.size() - (is_prefix ? 1 : 0));
        const bool is_end = !is_prefix && stem.size() > spelled.size() && stem.ends_with(spelled) &&
                            stem.substr(0, stem.size() - spelled.size()).ends_with("::");
        const bool fits = is_end || (is_prefix && spelled.starts_with(stem));
        if (fits && (best == nullptr || name.size() > best->name.size())) best = &row;
    }
    return best;
}

}  // namespace migrator
