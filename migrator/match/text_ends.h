// open_text_ends, embedded_text_ends: the values of settings and options that Python files of the project may read by their
// names.
#pragma once

#include <set>

#include "migrator/ruleset/rule_set.h"
#include "migrator/source/source_file.h"
#include "migrator/text/text_contents.h"
#include "migrator/values/value_ends.h"

namespace migrator {

// The ends that constants of a file which is no Python reach, unless their key or option says by itself what they are.
std::set<ValueEnd> open_text_ends(const SourceFile& file, const RuleSet& rules);
std::set<ValueEnd> open_text_ends(const TextContents& contents, const RuleSet& rules);

// The same of the commands and settings that are texts in a Python file.
std::set<ValueEnd> embedded_text_ends(const ParsedText& parsed, const MatchContext& context);

}  // namespace migrator
