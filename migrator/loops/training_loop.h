// TrainingLoop: a loop in which a model learns: each round computes gradients and lets an optimizer change weights.
#pragma once

#include <unordered_set>
#include <vector>

#include "migrator/loops/loop_facts.h"
#include "migrator/loops/script.h"

namespace migrator {

struct TrainingLoop {
    NodeId loop = kNoNode;      // the `for` or `while` with one step of the optimizer (or a part of one) per round
    NodeId function = kNoNode;  // that it stands in; kNoNode: at module level
    // Inside the loop, in source order: what computes gradients and what steps, or the calls of functions of this file
    // that do. No steps: the file does not show who steps.
    std::vector<NodeId> backwards;
    std::vector<NodeId> steps;

    // The loop, and the functions of this file that do a part of its step.
    std::vector<NodeId> parts;

    // The optimizer steps in some rounds only: gradients are added up over several.
    bool accumulates = false;
};

// The loops of a file, in source order. A loop whose step cannot be seen counts only where no other loop is found.
std::vector<TrainingLoop> find_training_loops(const Script& script, const LoopFacts& facts);

// By node: whether the code runs whenever one of the parts runs, which are loops or functions: it is in one, and not below
// an `if` that counts rounds.
std::vector<bool> nodes_of_each_round(const SyntaxTree& tree, const std::unordered_set<NodeId>& parts);
std::unordered_set<NodeId> parts_of(const std::vector<TrainingLoop>& loops);

// By its class, or by its name where the class is not known.
bool is_optimizer(const Script& script, const LoopFacts& facts, NodeId expression);

// The calls inside the loop of what has the name of a model: model(x), self.net(x).
std::vector<NodeId> model_calls_of(const Script& script, const LoopFacts& facts, const TrainingLoop& loop);

}  // namespace migrator
