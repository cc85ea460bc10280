// What the rules say of a use of an environment variable, whatever language it stands in. Private to this folder.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "migrator/python/finding.h"
#include "migrator/python/python_file.h"

namespace migrator {

struct VariableUse {
    std::string name;
    base::ByteRange place;                   // of the finding
    std::optional<base::ByteRange> written;  // where the name can be changed
    Certainty certainty = Certainty::likely;
    struct Value {
        std::string text;
        std::optional<base::ByteRange> written;
    };
    std::optional<Value> value{};  // that it is given, when it is written there
};

void match_variable(const RuleSet& rules, const VariableUse& use, FindingSink& sink);

// What values say together: two that exclude each other, one that replaces another. `uses`: those with a value, in order.
void match_values_together(const RuleSet& rules, const std::vector<VariableUse>& uses, FindingSink& sink);

// Takes back new names that stand in the file already, as `is_named` says: it was made for both, and with one name for both
// values a mapping has a key twice, and NEW=$OLD nothing to take.
void keep_names_single(const RuleSet& rules, const std::function<bool(std::string_view)>& is_named,
                       FindingSink& findings);

// Takes back the new names of variables that must not stand beside another one of the file.
void keep_variables_apart(const RuleSet& rules, FindingSink& findings);

}  // namespace migrator
