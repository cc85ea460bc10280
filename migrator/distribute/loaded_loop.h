// LoadedLoop: a training loop over the batches of a loader, and the loop over epochs. Private to this folder.
#pragma once

#include <string>
#include <vector>

#include "migrator/distribute/distribute_facts.h"
#include "migrator/loops/training_loop.h"

namespace migrator {

struct LoadedLoop {
    NodeId batches = kNoNode;        // the `for` over batches
    NodeId function = kNoNode;       // that it stands in; kNoNode: at module level
    std::vector<NodeId> calls;       // of that function, when loader or model come through its parameters
    NodeId loader_call = kNoNode;    // DataLoader(...), or the call of a function that makes one
    bool is_made_elsewhere = false;  // the latter: it can be divided where the program runs only
    NodeId loader_name = kNoNode;    // the name that holds it, where the loop or the call uses it
    NodeId name_in_loop = kNoNode;   // what the loop over batches calls it
    NodeId epochs = kNoNode;         // the `for` over epochs; kNoNode: there is only one
};

// All loops that compute gradients. What cannot be followed is told in `obstacles`.
std::vector<LoadedLoop> find_loaded_loops(const Script& script, const LoopFacts& loops, const DistributeFacts& facts,
                                          std::vector<std::string>& obstacles);

// The argument of the call that becomes this parameter of the function; kNoNode when there is none.
NodeId argument_for(const Script& script, NodeId function, NodeId call, std::string_view parameter);

}  // namespace migrator
