// rule_examples: what rules do to code, shown by the cases that prove them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/project/knowledge.h"
#include "migrator/rewrite/file_outcome.h"

namespace migrator {

struct RuleExample {
    std::string before;  // whole lines of code, without the last line end
    std::string after;   // the same lines when the rule is done with them; empty: it only reports
    base::Message says;
};

// What the rules say of a file by itself that is run as a program. All fixes are applied, also those that a person has
// to look at.
std::vector<FindingOutcome> findings_in(const Knowledge& knowledge, const base::Path& path, std::string_view text);

// The shortest place where a case in the store expects the rule, in the style of the knowledge; one with a fix before
// others. Of a rule with a table that no case expects, the first name. nullopt: neither.
std::optional<RuleExample> example_of(const Knowledge& knowledge, const Rule& rule);

// "torch.cuda.Stream" -> a file that uses it.
std::string use_of_name(std::string_view name);

}  // namespace migrator
