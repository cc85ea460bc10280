#include "migrator/distribute/loaded_loop.h"

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

// The name in the iterable that holds a loader, and its call: `tqdm(enumerate(loader))` -> loader.
struct Loader {
    NodeId name = kNoNode;
    NodeId call = kNoNode;
    bool is_made_elsewhere = false;  // by the function that is called
};

// The call that a name gets its value from, `train, test = loaders()` too; kNoNode when that is not one call.
NodeId call_behind(const Script& script, NodeId name) {
    const auto sites = script.bindings.binding_sites(name);
    if (sites.size() != 1) return kNoNode;
    NodeId value = sites.front().value;
    const NodeId assignment = script.tree.parent(sites.front().target);
    const bool is_part = value == kNoNode && script.tree.kind(assignment) == NodeKind::pattern_list;
    if (is_part && script.tree.kind(script.tree.parent(assignment)) == NodeKind::assignment)
        value = script.tree.child(script.tree.parent(assignment), Field::right);
    return value != kNoNode && script.tree.kind(value) == NodeKind::call ? value : kNoNode;
}

// Whether the function that is called is one of this file and makes loaders, or is known to give one.
bool gives_loader(const Script& script, const DistributeFacts& facts, NodeId call) {
    if (const auto type = script.bindings.type_of(call)) return base::contains(facts.loader.names, type->name);
    const NodeId callee = script.tree.child(call, Field::function);
    if (script.tree.kind(callee) != NodeKind::identifier) return false;
    for (const NodeId function : script.all(NodeKind::function_definition)) {
        if (script.tree.text(script.tree.child(function, Field::name)) != script.tree.text(callee)) continue;
        for (const NodeId inner : script.below(function, NodeKind::call)) {
            if (script.means(script.tree.child(inner, Field::function), facts.loader.names)) return true;
        }
    }
    return false;
}

// Nothing when there are two: their batches belong together, and two samplers would part them.
Loader loader_among(const Script& script, const DistributeFacts& facts, const std::vector<NodeId>& names) {
    Loader found;
    for (const NodeId name : names) {
        const NodeId value = call_behind(script, name);
        if (value == kNoNode) continue;
        const bool is_here = script.means(script.tree.child(value, Field::function), facts.loader.names);
        if (!is_here && !gives_loader(script, facts, value)) continue;
        if (found.call != kNoNode && script.tree.text(found.name) != script.tree.text(name)) return {};
        found = {name, value, !is_here};
    }
    return found;
}

// The nearest `for` above the node, in the same function.
NodeId loop_above(const Script& script, NodeId node) {
    const NodeId loop = script.tree.ancestor(node, NodeKind::for_statement);
    return loop != kNoNode && script.function_of(loop) == script.function_of(node) ? loop : kNoNode;
}

class Finder {
public:
    Finder(const Script& script, const DistributeFacts& facts, std::vector<std::string>& obstacles)
        : script_(script), facts_(facts), obstacles_(obstacles) {}

    void find(NodeId batches, std::vector<LoadedLoop>& out) {
        if (script_.tree.kind(batches) != NodeKind::for_statement) {
            obstacles_.push_back(base::format("line {}: it trains in a `while` loop, which has no loader to divide",
                                              script_.line(batches)));
            return;
        }
        const std::vector<NodeId> names =
            script_.below(script_.tree.child(batches, Field::right), NodeKind::identifier);
        LoadedLoop loop;
        loop.batches = batches;
        loop.function = script_.function_of(batches);
        if (const Loader here = loader_among(script_, facts_, names); here.call != kNoNode) {
            loop.loader_name = loop.name_in_loop = here.name;
            loop.loader_call = here.call;
            loop.is_made_elsewhere = here.is_made_elsewhere;
            loop.epochs = loop_above(script_, batches);
            // Without epochs around the loop itself they may be around the calls of its function.
            if (loop.function != kNoNode) loop.calls = script_.calls_of(loop.function);
            out.push_back(std::move(loop));
        } else if (!find_through_calls(loop, names, out)) {
            obstacles_.push_back(base::format(
                "line {}: what this training loop runs over is not one loader that this file makes and holds in one "
                "variable",
                script_.line(batches)));
        }
    }

private:
    // for batch in loader, where `loader` is a parameter
    bool find_through_calls(LoadedLoop loop, const std::vector<NodeId>& names, std::vector<LoadedLoop>& out) {
        if (loop.function == kNoNode) return false;
        const std::vector<std::string> parameters = script_.parameters_of(loop.function);
        loop.calls = script_.calls_of(loop.function);
        std::vector<LoadedLoop> found;
        for (const NodeId name : names) {
            if (!base::contains(parameters, script_.tree.text(name))) continue;
            for (const NodeId call : loop.calls) {
                const NodeId argument = argument_for(script_, loop.function, call, script_.tree.text(name));
                if (argument == kNoNode) return false;
                const Loader there = loader_among(script_, facts_, {argument});
                if (there.call == kNoNode) return false;
                loop.loader_name = there.name;
                loop.name_in_loop = name;
                loop.loader_call = there.call;
                loop.is_made_elsewhere = there.is_made_elsewhere;
                loop.epochs = loop_above(script_, call);
                found.push_back(loop);
            }
            break;
        }
        out.insert(out.end(), found.begin(), found.end());
        return !found.empty();
    }

    const Script& script_;
    const DistributeFacts& facts_;
    std::vector<std::string>& obstacles_;
};

}  // namespace

NodeId argument_for(const Script& script, NodeId function, NodeId call, std::string_view parameter) {
    const auto arguments = script.arguments(call, script.parameters_of(function));
    if (!arguments) return kNoNode;
    const auto found = arguments->find(parameter);
    return found == arguments->end() ? kNoNode : found->second;
}

std::vector<LoadedLoop> find_loaded_loops(const Script& script, const LoopFacts& loops, const DistributeFacts& facts,
                                          std::vector<std::string>& obstacles) {
    std::vector<LoadedLoop> out;
    Finder finder(script, facts, obstacles);
    const std::vector<TrainingLoop> training = find_training_loops(script, loops);
    for (const TrainingLoop& loop : training) finder.find(loop.loop, out);
    if (training.empty())
        obstacles.push_back(
            base::format("there is no training loop: no `for` in which `{}()` is called", loops.backward.front()));
    return out;
}

}  // namespace migrator
