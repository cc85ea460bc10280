#include "migrator/ruleset/value.h"

#include <algorithm>

#include "base/check.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

std::string_view name(ValueForm form) {
    switch (form) {
        case ValueForm::device: return "device";
        case ValueForm::backend: return "backend";
        case ValueForm::word: return "word";
    }
    CHECK(false);
    return {};
}

bool ValueRow::is_carrier(std::string_view name) const {
    std::string lower(name);
    for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '-' ? '_' : c;
    return std::any_of(carriers.begin(), carriers.end(),
                       [&](const std::string& pattern) { return fits(pattern, lower); });
}

base::Status ValueRow::check(const base::JsonPlace& at) const {
    if (taken_by.empty() && results.empty() && carriers.empty())
        return at.error("a value rule needs places to look at: \"parameters\", \"results\" or \"carriers\"");
    const auto is_compared = [](const std::string& carrier) {
        return std::ranges::all_of(carrier, [](char c) { return c != '-' && (c < 'A' || c > 'Z'); });
    };
    if (!std::ranges::all_of(carriers, is_compared))
        return at.error("\"carriers\" are compared in lower case, with _ for -: write them so");
    return {};
}

base::Status add(RuleSet& set, ValueRow row, TextFix fix, TextFix on_npu, const Adding& adding) {
    if (adding.style.kind == StyleKind::portable && !fix.replace.empty())
        return adding.place.error("in the style portable a value is an expression: \"replace_by\"");
    row.fix = {std::move(on_npu.replace), std::move(fix.replace_by)};
    for (const std::string& token : row.tokens) {
        if (!row.fix.replace.contains(token))
            return adding.place.error(
                base::format("\"{}\" is looked for, but \"replace\" does not say what becomes of it", token));
    }
    for (const ValueParameterRow& taken : row.taken_by) {
        for (const std::string& function : taken.of) {
            row.parameters[function].push_back(taken);
            if (taken.methods) row.methods[last_part(function)].push_back(taken);
        }
    }
    row.taken_by.clear();
    set.values.push_back(std::move(row));
    return {};
}

}  // namespace migrator
