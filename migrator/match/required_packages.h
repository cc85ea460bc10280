// required_packages: the packages that a file asks for, with the versions that it allows.
#pragma once

#include <string>
#include <vector>

#include "base/text_position.h"
#include "migrator/ruleset/rule_set.h"
#include "migrator/source/source_file.h"

namespace migrator {

struct RequiredPackage {
    std::string name;      // as written
    std::string versions;  // what follows the name, up to a marker: ">=2.1,<3"; may be empty, or no versions at all
    base::ByteRange place;
    // By its name, as a package of Python: it is not what a command installs for others than Python, a path, the build of
    // another package of conda or a library of the system.
    bool is_listed = true;
};

// Of requirements files, pyproject.toml, setup.cfg, environment.yml, shell scripts, Dockerfiles (also of the image that they
// start from) and setup.py; of other files none.
std::vector<RequiredPackage> required_packages(const SourceFile& file, const RuleSet& rules);

// How a setup.py, pyproject.toml or setup.cfg calls what it makes: the distribution, its packages, modules and extensions.
std::vector<std::string> own_names(const SourceFile& file);

}  // namespace migrator
