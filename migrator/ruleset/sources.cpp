#include "migrator/ruleset/sources.h"

#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

std::map<std::string, SourceEntry> cited_sources(const ByName<SourceEntry>& known, std::string_view text) {
    std::map<std::string, SourceEntry> out;
    for (const std::string_view citation : base::split(text, ';')) {
        if (const auto found = known.find(cited_name(citation)); found != known.end()) out.insert(*found);
    }
    return out;
}

base::Status add(RuleSet& set, ByName<SourceEntry> sources, const base::JsonPlace& at) {
    for (auto& [key, entry] : sources) {
        if (!set.sources.emplace(key, std::move(entry)).second)
            return at.error(base::format("there already is a source \"{}\"", key));
    }
    return {};
}

}  // namespace migrator
