#include "migrator/ruleset/files.h"

#include "migrator/ruleset/rule_set.h"

namespace migrator {

base::Status add(RuleSet& set, TextRow row, const Adding& adding) {
    for (const std::string& file : row.files)
        TRY(adding.claim_all(base::format("\"{{}}\" in files of type {}", file), row.words));
    set.texts.push_back(std::move(row));
    return {};
}

}  // namespace migrator
