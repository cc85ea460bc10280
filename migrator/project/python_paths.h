// python_paths: the paths that Python code composes and opens. Private to this folder.
#pragma once

#include "migrator/project/path_facts.h"
#include "migrator/semantic/bindings.h"
#include "migrator/source/named_path.h"

namespace migrator {

// `file`: where the code stands in the project. Time and memory grow with the code.
PathsOfFile python_paths(const SyntaxTree& tree, const Bindings& bindings, const PathFacts& facts,
                         const base::Path& file);

}  // namespace migrator
