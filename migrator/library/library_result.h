// The result of an analysis in library mode, as JSON: docs/reference/library-schema.md. ruleset/library_table reads it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "migrator/library/call_graph.h"
#include "migrator/ruleset/library_table.h"

namespace migrator {

// By which public names code outside of a library knows its functions and classes: their own, those of re-exports, and
// methods also by the classes that inherit them.
std::map<const LibraryFunction*, std::set<std::string>> public_names(const CallGraph& graph);

// `version`: of the framework that the analysis was for.
std::string library_json(const CallGraph& graph, Version version);

}  // namespace migrator
