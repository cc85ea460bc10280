#include "migrator/ruleset/environment.h"

#include <algorithm>

#include "base/format.h"
#include "base/lower_case.h"
#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status EnvironmentRow::check(const base::JsonPlace& at) const {
    if ((same_values || !values.empty()) && !to)
        return at.error("a new value (\"same_values\", \"values\") needs a \"to\"");
    if (same_values && !values.empty()) return at.error("\"same_values\" and \"values\" exclude each other");
    return {};
}

base::Status add(RuleSet& set, EnvironmentRow row, const Adding& adding) {
    // Another name of a variable is right on one kind of machine only.
    if (adding.style.kind == StyleKind::portable) {
        row.same_values = false;
        row.values.clear();
    }
    return set.environment.add(std::move(row), adding.place);
}

base::Status EnvironmentIndex::add(EnvironmentRow row, const base::JsonPlace& at) {
    for (const EnvironmentRow& other : rows_) {
        if (row.name.ends_with('*') && other.name.ends_with('*') && other.name != row.name &&
            fits(other.name, row.name))
            return at.error(base::format("\"{}\" cannot be reached: \"{}\" covers it", row.name, other.name));
    }
    if (!exact_.emplace(row.name, rows_.size()).second)
        return at.error(base::format("there already is a variable \"{}\"", row.name));
    if (row.name.ends_with('*')) patterns_.push_back(rows_.size());
    rows_.push_back(std::move(row));
    return {};
}

const EnvironmentRow* EnvironmentIndex::find(std::string_view variable) const {
    const auto found = exact_.find(variable);
    if (found != exact_.end()) return &rows_[found->second];
    if (!std::ranges::all_of(variable, base::is_word_char)) return nullptr;
    for (const std::size_t number : patterns_) {
        if (fits(rows_[number].name, variable)) return &rows_[number];
    }
    return nullptr;
}

base::Status add(RuleSet& set, VariableValues row, const Adding& adding) {
    const std::string name = row.name;
    if (!set.variable_values.emplace(name, std::move(row)).second)
        return adding.place.error(base::format("there already is a row for the values of \"{}\"", name));
    return {};
}

base::Status add(RuleSet& set, ValueRemark row, const Adding& adding) {
    auto& remarks = set.value_remarks[row.name];
    for (const ValueRemark& other : remarks) {
        if (base::lower_case(other.value) == base::lower_case(row.value))
            return adding.place.error(
                base::format("there already is a row for the value \"{}\" of \"{}\"", row.value, row.name));
    }
    remarks.push_back(std::move(row));
    return {};
}

const ValueRemark* RuleSet::remark_on(std::string_view variable, std::string_view value) const {
    const auto found = value_remarks.find(variable);
    if (found == value_remarks.end()) return nullptr;
    for (const ValueRemark& remark : found->second) {
        if (base::lower_case(remark.value) == base::lower_case(value)) return &remark;
    }
    return nullptr;
}

const VariableValues* RuleSet::values_of(std::string_view variable) const {
    const auto found = variable_values.find(variable);
    return found == variable_values.end() ? nullptr : &found->second;
}

}  // namespace migrator
