// LazyName: a name that a package gets only when somebody asks for it, by its own `__getattr__` or by an object that it puts
// in its place.
#pragma once

#include <string>
#include <vector>

#include "migrator/semantic/bindings.h"

namespace migrator {

struct LazyName {
    std::string name;
    std::string meaning;  // where it may come from, as imports name it: "pkg.train.Net", ".train.Net"
};

// What tables of such a module tell, {"train": ["Net"]}, {"Net": "pkg.train"}, and what it imports for type checkers alone:
// several for a name of which it cannot be told.
std::vector<LazyName> lazy_names(const SyntaxTree& tree, const std::vector<ImportedName>& imports);

}  // namespace migrator
