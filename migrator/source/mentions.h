// Mentions: what files of the project import or open of what was left out, found in their text: no rule leaves out what they need.
#pragma once

#include "migrator/source/walk.h"

namespace migrator {

// Brings in what analysed files of the project name, and what those name in turn. A directory from which one imports is in as a
// whole, and one that they list unless it is large; a file that one opens by itself; a listed file that one imports is analysed.
// `reader`: of paths that code composes; empty: those that stand in the text as a whole are followed.
void follow_mentions(Walk& walk, const PathReader& reader);

}  // namespace migrator
