// read_setup_script: what a setup.py says of its package: the names of what it makes, and what it needs.
#pragma once

#include <string>
#include <vector>

#include "migrator/python/literal.h"

namespace migrator {

struct SetupScript {
    std::vector<std::string> names;  // of the distribution, its packages, modules and extensions: "pkg", "pkg._C"
    std::vector<NodeId> required;    // literals, sorted: each a package that it asks for
};

// Values are followed through variables of the file, and what is added to those.
SetupScript read_setup_script(const SyntaxTree& tree);

}  // namespace migrator
