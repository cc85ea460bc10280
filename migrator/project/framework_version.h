// framework_versions: for which version of the framework each file is migrated, and why for that one.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/message.h"
#include "migrator/project/project.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {

struct FrameworkVersion {
    Version version;
    base::Message reason;  // "requirements.txt:3 asks for torch==2.1.0"
};

struct FrameworkVersions {
    FrameworkVersion whole;  // of all files that no directory below speaks for
    // By project: directories whose files ask for another version, for their own files and those below.
    std::vector<std::map<base::Path, FrameworkVersion>> nearest;

    // Of a file of the project with this number.
    const FrameworkVersion& of(std::size_t project, const base::Path& file) const;
    // Which directories ask for which; empty without any.
    std::vector<base::Message> notes(const std::string& package) const;
};

// `chosen`: the version that the user names, for all files. Else each file has the newest known one that the nearest requirement
// with a version allows: in its directory or one above it in the project, then above the project up to the repository's
// root. A directory without Python, such as requirements/ or docker/, speaks for the one that it lies in; a single one that
// asks for a version speaks for all files. Else it is the newest that the rules know.
FrameworkVersions framework_versions(base::FileSystem& fs, std::optional<Version> chosen, const RuleSet& rules,
                                     const std::vector<Project>& projects);

}  // namespace migrator
