// Flow: which bindings of a variable a use may see, when both are in code that runs in the order it is written.
#pragma once

#include <cstdint>
#include <vector>

#include "migrator/semantic/file_model.h"

namespace migrator {

struct Reaching {
    base::InlineVector<const Binding*, 4> bindings;  // latest first; without those that a later one surely replaces
    bool may_be_unbound = false;                     // a path leads to the use on which nothing was bound
    bool cut = false;                                // there are more than we follow
};

// The bindings that may hold at `use`, which lies in `region` of the variable's own code.
Reaching reaching_bindings(const FileModel& model, SymbolId symbol, NodeId use, RegionId region);

}  // namespace migrator
