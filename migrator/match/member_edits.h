// member_edits: the edits that a member of an object needs. Private to this folder.
#pragma once

#include <optional>
#include <vector>

#include "migrator/python/python_file.h"

namespace migrator {

// `attribute`: the expression `object.member`; `is_known`: the class of the object is. nullopt where the fix has no form for how it is written: behind stars,
// with more arguments than it knows, as the target of an assignment.
std::optional<std::vector<Edit>> member_edits(const PythonFile& file, NodeId attribute, const MemberFix& fix,
                                              bool is_known);

}  // namespace migrator
