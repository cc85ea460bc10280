// Mentions: what files of the project import or open of what was left out, found in their text: no rule leaves out what they need.
#pragma once

#include "migrator/source/walk.h"

namespace migrator {

// Brings in what analysed files of the project name, and what those name in turn. A directory from which one imports is in as a
// whole, a file that one opens by itself; a listed file that one imports is analysed.
void follow_mentions(Walk& walk);

}  // namespace migrator
