// shell_paths: the paths in the words of a script of a shell, its variables put in. Private to this folder.
#pragma once

#include "migrator/project/path_facts.h"
#include "migrator/source/named_path.h"

namespace migrator {

// `file`: where the script stands in the project. Time and memory grow with the text.
PathsOfFile shell_paths(std::string_view text, const PathFacts& facts, const base::Path& file);

}  // namespace migrator
