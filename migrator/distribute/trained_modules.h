// What the optimizers of a script train. Private to this folder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/distribute/distribute_facts.h"
#include "migrator/loops/loop_facts.h"
#include "migrator/loops/script.h"

namespace migrator {

// Why wrapping `model` alone would let the processes part: other modules that an optimizer trains, and optimizers of
// which it cannot be seen. Empty when all of them train parameters of `model` only.
std::vector<std::string> trained_beside(const Script& script, const LoopFacts& loops, const DistributeFacts& facts,
                                        std::string_view model);

}  // namespace migrator
