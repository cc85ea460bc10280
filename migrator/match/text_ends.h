// open_text_ends: the values of settings and options that Python files of the project may read by their names.
#pragma once

#include <set>

#include "migrator/ruleset/rule_set.h"
#include "migrator/source/source_file.h"
#include "migrator/values/value_ends.h"

namespace migrator {

// The ends that constants of a file which is no Python reach, unless their key or option says by itself what they are.
std::set<ValueEnd> open_text_ends(const SourceFile& file, const RuleSet& rules);

}  // namespace migrator
