// Sources: where a reader finds what the rules cite (section `sources`, rules/sources.json).
#pragma once

#include <map>

#include "migrator/rule/rule_word.h"
#include "migrator/rule/source.h"

namespace migrator {

// The sources that a text cites: "PyTorch source: torch/_ops.py; PEP 8" names two. Those that are not known are left out.
std::map<std::string, SourceEntry> cited_sources(const ByName<SourceEntry>& known, std::string_view text);

base::Status add(RuleSet& set, ByName<SourceEntry> sources, const base::JsonPlace& at);

}  // namespace migrator
