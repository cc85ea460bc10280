// Tables of environment variables: what becomes of them, and which values they take.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/variable_values.h"
#include "migrator/ruleset/parameters.h"

namespace migrator {

// A variable, exact or ending in *.
struct EnvironmentRow {
    const Rule* rule = nullptr;
    std::string name;
    std::optional<std::string> to;
    bool same_values = false;        // the value can stay as it is: the name may be rewritten
    ByName<std::string> values;      // old value -> the one that says the same to `to`
    std::vector<std::string> apart;  // variables that `to` must not stand beside
    bool kept = false;               // it means the same on the NPU
    std::string note;
    std::string source;
    Effort effort = Effort::none;

    base::Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const EnvironmentRow*) {
    return base::record(
        "environment_row", "an environment variable",
        base::field("name", &EnvironmentRow::name, "may end in `*`").needed(),
        base::field("to", &EnvironmentRow::to, "its new name"),
        base::field(
            "same_values", &EnvironmentRow::same_values,
            "the value can stay: the name is rewritten, unless a row of values says that `to` does not take it"),
        base::field("values", &EnvironmentRow::values, "old value to the one that says the same: both are rewritten"),
        base::field("apart", &EnvironmentRow::apart,
                    "variables that the new name must not stand with: in a file with one of them nothing is "
                    "rewritten; each needs a row"),
        base::field("kept", &EnvironmentRow::kept,
                    "it means the same on the NPU: scripts that start programs there set it too"),
        base::field("note", &EnvironmentRow::note, "the `{note}` of the message"),
        base::field("source", &EnvironmentRow::source, "where the fact comes from, if not from the table's source"),
        base::field("effort", &EnvironmentRow::effort, "as of a rule"));
}

class EnvironmentIndex {
public:
    base::Status add(EnvironmentRow row, const base::JsonPlace& at);
    const EnvironmentRow* find(std::string_view variable) const;
    std::vector<EnvironmentRow>& rows() { return rows_; }
    const std::vector<EnvironmentRow>& rows() const { return rows_; }

private:
    ByName<std::size_t> exact_;  // names -> rows_
    std::vector<EnvironmentRow> rows_;
    std::vector<std::size_t> patterns_;  // those of them whose names end with "*"
};

// What is known of a variable of the target.
struct VariableValues : base::VariableValues {
    const Rule* rule = nullptr;
};

constexpr auto record_of(const VariableValues*) {
    return base::extended(record_of(static_cast<const base::VariableValues*>(nullptr)), "variable_value_row",
                          "what is known of an environment variable; a value that it does not take is a finding");
}

// What is to be said of a value that a variable takes.
struct ValueRemark : base::ValueRemark {
    const Rule* rule = nullptr;
    Effort effort = Effort::none;
};

constexpr auto record_of(const ValueRemark*) {
    return base::extended(record_of(static_cast<const base::ValueRemark*>(nullptr)), "value_remark_row",
                          "a value that an environment variable takes, and what is to be said of it",
                          base::field("effort", &ValueRemark::effort, "as of a rule"));
}

base::Status add(RuleSet& set, EnvironmentRow row, const Adding& adding);
base::Status add(RuleSet& set, VariableValues row, const Adding& adding);
base::Status add(RuleSet& set, ValueRemark row, const Adding& adding);

}  // namespace migrator
