// ignore_comments: `# migrator: ignore[RULE, ...]` behind a line of code. Private to this folder.
#pragma once

#include "migrator/python/python_file.h"

namespace migrator {

// Takes out the findings that begin on a line with such a comment, of the named rules or, without brackets, of all. A
// comment that takes out nothing is reported. An edit that a finding taken out would share with others is not made.
void apply_ignore_comments(const SyntaxTree& tree, FindingSink& findings);

}  // namespace migrator
