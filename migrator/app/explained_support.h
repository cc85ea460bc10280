// What `migrator explain` says of how versions of the framework support a name.
#pragma once

#include <string>
#include <vector>

#include "base/language.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

struct Support {
    Version first, last;  // of the framework, among the known versions
    std::string text;
    bool operator==(const Support& other) const { return text == other.text; }
};

// Versions next to each other with the same support are one. Empty when nothing is known of the name.
std::vector<Support> support_of(const base::Language& say, const RuleSet& rules, const std::string& word);

}  // namespace migrator
