// Parameters of functions, as rules name them: what takes a value, gives it back, or declares it.
#pragma once

#include "migrator/rule/rule_word.h"
#include "migrator/ruleset/argument.h"

namespace migrator {

// A place that takes a value: a parameter of these functions or methods.
struct ParameterRow {
    std::vector<std::string> of;
    std::optional<std::size_t> position;
    std::string keyword;

    base::Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const ParameterRow*) {
    return base::record("parameter", "a parameter of functions",
                        base::field("of", &ParameterRow::of, "the functions").needed(),
                        base::field("position", &ParameterRow::position, "from 0, without self").up_to(kMostPosition),
                        base::field("keyword", &ParameterRow::keyword, "its keyword"));
}

struct ValueParameterRow : ParameterRow {
    bool methods = false;  // also on objects of unknown class
};
constexpr auto record_of(const ValueParameterRow*) {
    return base::extended(record_of(static_cast<const ParameterRow*>(nullptr)), "value_parameter",
                          "a parameter of functions that takes a value",
                          base::field("methods", &ValueParameterRow::methods,
                                      "also of such members on objects of unknown class, as `likely`"));
}

using ParametersByFunction = ByName<std::vector<ParameterRow>>;
void add_parameters(ParametersByFunction& out, const std::vector<ParameterRow>& rows);

}  // namespace migrator
