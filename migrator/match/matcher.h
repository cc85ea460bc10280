// match: everything the rules have to say about one file, as findings in source order.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "migrator/python/match_context.h"
#include "migrator/source/source_file.h"

namespace migrator {

std::vector<Finding> match(const SourceFile& file, const MatchContext& context);

// The same for text that is not the file's own any more: `text` replaces `file.text`. `parsed` is used for Python.
std::vector<Finding> match(const SourceFile& file, std::string_view text, const MatchContext& context,
                           const ParsedText& parsed = {});

// The interfaces of the API tables' packages that a Python file uses, sorted; not those that other rules speak of.
std::vector<std::string> used_interfaces(const RuleSet& rules, const SyntaxTree& tree, const Bindings& bindings);

}  // namespace migrator
