// VersionedRules: the rules as they are for every version of the framework that files of the projects are migrated for.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "migrator/app/options.h"
#include "migrator/project/framework_version.h"
#include "migrator/project/knowledge.h"

namespace migrator {

class VersionedRules {
public:
    struct Rules {
        const RuleSet* rules;
        const PatternSet* patterns;  // of the rules
        const RuleSet* transfer;     // of the style auto, when programs are judged by it; else nullptr
    };

    // Restricts the knowledge to the version of the whole; it must outlive the result. All failures are rule_data.
    static base::Result<VersionedRules> load(base::FileSystem& fs, const Options& options, Knowledge& knowledge,
                                             FrameworkVersions versions);

    const FrameworkVersions& versions() const { return versions_; }
    // For a file of the project with this number.
    const Rules& of(std::size_t project, const base::Path& file) const {
        return by_version_.at(versions_.of(project, file).version);
    }

private:
    base::Status add(base::FileSystem& fs, const Options& options, const Knowledge& knowledge, Version version,
                     std::optional<RuleSet> transfer = {});

    FrameworkVersions versions_;
    std::map<Version, Rules> by_version_;
    std::vector<std::unique_ptr<RuleSet>> rules_;
    std::vector<std::unique_ptr<PatternSet>> patterns_;
};

}  // namespace migrator
