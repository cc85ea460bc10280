#include "migrator/ruleset/framework.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

Version Framework::newest() const {
    return versions.empty() ? Version{} : *std::max_element(versions.begin(), versions.end());
}

base::Status add(RuleSet& set, Framework framework, const base::JsonPlace& at) {
    if (!set.framework.packages.empty()) return at.error("there already is a \"framework\"");
    for (std::string& package : framework.packages) package = normalise_distribution(package);
    set.framework = std::move(framework);
    return {};
}

bool RuleSet::is_framework(std::string_view distribution) const {
    const std::string name = normalise_distribution(distribution);
    return base::contains(framework.packages, name);
}

}  // namespace migrator

base::Result<migrator::Version> base::InJson<migrator::Version>::read(const JsonPlace& at) {
    TRY_ASSIGN(const std::string text, read_json<std::string>(at));
    const auto version = migrator::Version::parse(text);
    if (!version) return at.error(format("\"{}\" is not a version", text));
    return *version;
}
