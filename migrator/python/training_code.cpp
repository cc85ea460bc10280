#include "migrator/python/training_code.h"

#include <map>

#include "base/text.h"
#include "migrator/loops/training_loop.h"
#include "migrator/python/match_context.h"
#include "migrator/syntax/code_standing.h"

namespace migrator {
namespace {

void add_callees(const ParsedText& parsed, NodeId call, std::vector<std::string>& to) {
    const NodeId function = parsed.tree->child(call, Field::function);
    if (function == kNoNode) return;
    for (const Reference& reference : parsed.bindings->references(function)) {
        const bool is_own = reference.origin == Origin::project || reference.origin == Origin::local;
        if (is_own && reference.name.find('.') != reference.name.npos) to.push_back(reference.name);
    }
}

// Functions of this file that can be called from outside, without their calls.
std::map<NodeId, TrainingCode::Function> callable_functions(const ParsedText& parsed, const LoopFacts& facts,
                                                            const std::vector<NodeId>& around) {
    const SyntaxTree& tree = *parsed.tree;
    std::map<NodeId, TrainingCode::Function> out;
    for (NodeId id = 0; id < tree.size(); ++id) {
        const NodeId name = around[id] == id && id != kNoNode ? tree.child(id, Field::name) : kNoNode;
        if (name == kNoNode) continue;
        std::string qualified = parsed.bindings->shared_name(name);
        if (qualified.empty()) continue;
        const bool is_method = tree.ancestor(id, NodeKind::class_definition) != kNoNode;
        out[id] = {std::move(qualified), is_method && base::contains(facts.module_methods, tree.text(name)), {}};
    }
    return out;
}

}  // namespace

TrainingCode training_code(const MatchContext& context, const ParsedText& parsed) {
    TrainingCode out;
    const SyntaxTree& tree = *parsed.tree;
    const auto loops = find_training_loops(Script(tree, *parsed.bindings), *context.loops);
    out.trains = !loops.empty();
    const std::vector<bool> in_round = nodes_of_each_round(tree, parts_of(loops));
    const std::vector<NodeId> around = functions_around(tree);
    std::map<NodeId, TrainingCode::Function> functions = callable_functions(parsed, *context.loops, around);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::call) continue;
        if (in_round[id]) add_callees(parsed, id, out.in_rounds);
        const auto function = functions.find(around[id]);
        if (function != functions.end()) add_callees(parsed, id, function->second.calls);
    }
    for (auto& [node, function] : functions) out.functions.push_back(std::move(function));
    return out;
}

}  // namespace migrator
