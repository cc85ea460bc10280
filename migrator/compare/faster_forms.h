// FasterForms: operators that follow each other and have a faster form (rules/profiles/faster_forms.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/rule_file.h"

namespace migrator {

struct FasterForm {
    std::vector<std::string> operators;  // "aten::add|aten::mul?": one of these, or none
    std::vector<std::string> rules;

    // How many of the names, from the first on, are this form; 0: they begin otherwise.
    std::size_t length_in(const std::vector<std::string_view>& names, std::size_t first) const;
};
constexpr auto record_of(const FasterForm*) {
    using F = FasterForm;
    return base::record("faster_form", "operators with a faster form",
                        base::field("operators", &F::operators, "their names, in their order").needed(),
                        base::field("rules", &F::rules, "rules of analyze that know the faster form").needed());
}

struct FasterForms : base::RuleFileHead {
    std::vector<FasterForm> forms;
};
constexpr auto record_of(const FasterForms*) {
    return base::extended(base::record_for<base::RuleFileHead>(), "faster_forms", "faster forms",
                          base::field("forms", &FasterForms::forms, "all of them").needed());
}

}  // namespace migrator
