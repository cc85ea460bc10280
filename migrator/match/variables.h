// What the rules say of a use of an environment variable, whatever language it stands in. Private to this folder.
#pragma once

#include <optional>
#include <string>

#include "migrator/match/finding.h"
#include "migrator/match/python_file.h"

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

}  // namespace migrator
