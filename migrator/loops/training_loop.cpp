#include "migrator/loops/training_loop.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

namespace migrator {
namespace {

// What happens at a call: gradients are computed, weights are changed.
struct Event {
    NodeId node = kNoNode;
    bool backward = false;
    bool step = false;
    bool in_loop = false;  // the gradients are computed in a loop already, inside the function that is called
};

bool is_loop(NodeKind kind) { return kind == NodeKind::for_statement || kind == NodeKind::while_statement; }

bool is_within_any(std::string_view name, const std::vector<std::string>& packages) {
    return std::any_of(packages.begin(), packages.end(), [&](const auto& package) { return is_within(name, package); });
}

// optimizerG, d_optim2 -> optimizer, d, optim: the words of a name, in lower case
bool has_word(std::string_view name, const std::vector<std::string>& words) {
    std::string word;
    bool lower = false;  // of the last letter
    for (const char c : std::string(name) + "_") {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool letter = upper || (c >= 'a' && c <= 'z');
        if (!letter || (upper && lower)) {
            if (has(words, word)) return true;
            word.clear();
        }
        if (letter) word += upper ? static_cast<char>(c - 'A' + 'a') : c;
        lower = letter && !upper;
    }
    return false;
}

// The name an expression ends in: a, a.b -> b, a[0] -> a.
std::string_view last_name(const SyntaxTree& tree, NodeId expression) {
    while (expression != kNoNode && tree.kind(expression) == NodeKind::subscript)
        expression = tree.child(expression, Field::value);
    if (expression == kNoNode) return {};
    if (tree.kind(expression) == NodeKind::attribute) expression = tree.child(expression, Field::attribute);
    return expression != kNoNode && tree.kind(expression) == NodeKind::identifier ? tree.text(expression)
                                                                                  : std::string_view{};
}

// Below an `if` that is true in some rounds only: `if step % 10 == 0`.
bool counts_rounds(const SyntaxTree& tree, NodeId node, NodeId part) {
    for (NodeId at = node; at != part; at = tree.parent(at)) {
        const NodeId parent = tree.parent(at);
        const bool is_if = tree.kind(parent) == NodeKind::if_statement || tree.kind(parent) == NodeKind::elif_clause;
        if (!is_if || tree.field(at) == Field::condition) continue;
        if (tree.text(tree.child(parent, Field::condition)).find('%') != std::string_view::npos) return true;
    }
    return false;
}

class Finder {
public:
    Finder(const Script& script, const LoopFacts& facts) : script_(script), tree_(script.tree), facts_(facts) {
        for (const NodeId function : script.all(NodeKind::function_definition)) {
            const std::string_view name = tree_.text(tree_.child(function, Field::name));
            by_name_[name].push_back(function);
        }
    }

    std::vector<TrainingLoop> run() {
        collect_events();
        // A function is looked at when all that it uses has been: what it leaves open happens where it is used.
        for (const NodeId function : innermost_first()) look_at(function);
        std::vector<TrainingLoop>& out = found_.empty() ? without_step_ : found_;
        std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.loop < b.loop; });
        return std::move(out);
    }

private:
    void collect_events() {
        for (const NodeId call : script_.all(NodeKind::call)) {
            if (is_backward(call)) receivers_.insert(receiver_text(call));
        }
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::call && tree_.named(id)) {
                const std::string_view callee = last_name(tree_, tree_.child(id, Field::function));
                const bool whole = has(facts_.whole_step, callee) && !by_name_.contains(callee);
                const Event event{id, whole || is_backward(id), whole || is_step(id)};
                if (event.backward || event.step) events_[script_.function_of(id)].push_back(event);
            }
            for (const NodeId function : used_functions(id)) uses_[script_.function_of(id)].push_back({id, function});
        }
    }

    bool is_backward(NodeId call) const {
        return has(facts_.backward, last_name(tree_, tree_.child(call, Field::function)));
    }

    // The object a member is called of: "engine" of engine.step(); empty for other functions.
    std::string_view receiver_text(NodeId call) const {
        const NodeId function = tree_.child(call, Field::function);
        if (function == kNoNode || tree_.kind(function) != NodeKind::attribute) return {};
        return tree_.text(tree_.child(function, Field::object));
    }

    // optimizer.step(), scaler.step(optimizer), and engine.step() of an object that computes the gradients as well
    bool is_step(NodeId call) const {
        if (!has(facts_.step, script_.called_member(call))) return false;
        const NodeId object = tree_.child(tree_.child(call, Field::function), Field::object);
        if (is_optimizer(object) || receivers_.contains(receiver_text(call))) return true;
        const auto arguments = tree_.named_children(tree_.child(call, Field::arguments));
        return !arguments.empty() && is_optimizer(arguments.front());
    }

    bool is_optimizer(NodeId expression) const {
        if (const auto type = script_.bindings.type_of(expression))
            return is_within_any(type->name, facts_.optimizers) && !is_within_any(type->name, facts_.no_optimizers);
        return has_word(last_name(tree_, expression), facts_.optimizer_words);
    }

    // The functions of this file that the node calls or hands on: `train(...)`, `self.train(...)`, `step(closure)`.
    std::vector<NodeId> used_functions(NodeId id) const {
        if (tree_.kind(id) != NodeKind::identifier) return {};
        const auto named = by_name_.find(tree_.text(id));
        if (named == by_name_.end()) return {};
        const NodeId parent = tree_.parent(id);
        const Field role = tree_.field(id);
        if (role == Field::name && tree_.kind(parent) != NodeKind::argument_list) return {};  // where it is defined
        const bool is_member = tree_.kind(parent) == NodeKind::attribute && role == Field::attribute;
        std::vector<NodeId> out;
        for (const NodeId function : named->second) {
            const NodeId owner = tree_.ancestor(function, NodeKind::class_definition);
            const bool is_method = owner != kNoNode && script_.function_of(function) == script_.function_of(owner);
            if (is_method != is_member) continue;
            // A member of an object that is not `self` is this one when there is no other of the name.
            const bool own = is_member && tree_.text(tree_.child(parent, Field::object)) == "self" &&
                             tree_.ancestor(id, NodeKind::class_definition) == owner;
            if (is_member && !own && named->second.size() > 1) continue;
            out.push_back(function);
        }
        return out;
    }

    struct Use {
        NodeId node = kNoNode;
        NodeId function = kNoNode;
    };

    // All functions, and kNoNode for the module, each behind those that it uses; a cycle is cut somewhere.
    std::vector<NodeId> innermost_first() const {
        std::vector<NodeId> out;
        std::set<NodeId> seen;
        struct Frame {
            NodeId function;
            std::size_t next = 0;
        };
        std::vector<NodeId> roots = script_.all(NodeKind::function_definition);
        roots.push_back(kNoNode);
        for (const NodeId root : roots) {
            if (!seen.insert(root).second) continue;
            std::vector<Frame> stack{{root}};
            while (!stack.empty()) {
                Frame& frame = stack.back();
                const auto uses = uses_.find(frame.function);
                if (uses == uses_.end() || frame.next == uses->second.size()) {
                    out.push_back(frame.function);
                    stack.pop_back();
                    continue;
                }
                const NodeId used = uses->second[frame.next++].function;
                if (seen.insert(used).second) stack.push_back({used});
            }
        }
        return out;
    }

    // The loops of a function; what is in none of them is left to its callers.
    void look_at(NodeId function) {
        std::vector<Event> events = events_[function];
        for (const Use& use : uses_[function]) {
            const auto open = open_.find(use.function);
            if (open != open_.end()) add(use.node, open->second, events);
        }
        std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) { return a.node < b.node; });
        std::vector<NodeId> loops;
        for (const Event& event : events) {
            const NodeId loop = event.step ? loop_of_step(event.node, events) : kNoNode;
            if (loop != kNoNode && std::find(loops.begin(), loops.end(), loop) == loops.end()) loops.push_back(loop);
        }
        for (const NodeId loop : loops) found_.push_back(make(loop, function, events));
        Event open;
        for (const Event& event : events) {
            const bool inside = std::any_of(loops.begin(), loops.end(),
                                            [&](NodeId loop) { return tree_.is_ancestor(loop, event.node); });
            if (inside) continue;
            open.backward |= event.backward;
            open.step |= event.step;
        }
        if (open.backward && !open.step) open.in_loop = add_without_step(function, events);
        if (open.backward || open.step) open_[function] = open;
    }

    // A call of `self.backward()` may be known by its name already.
    void add(NodeId use, const Event& open, std::vector<Event>& events) const {
        for (Event& event : events) {
            const NodeId callee = tree_.child(event.node, Field::function);
            if (callee == kNoNode || !tree_.is_ancestor(callee, use)) continue;
            event.backward |= open.backward;
            event.step |= open.step;
            return;
        }
        events.push_back({use, open.backward, open.step, open.in_loop});
    }

    // The innermost loop of the function around the step that computes gradients as well.
    NodeId loop_of_step(NodeId step, const std::vector<Event>& events) const {
        for (NodeId loop = loop_above(step); loop != kNoNode; loop = loop_above(loop)) {
            const bool computes = std::any_of(events.begin(), events.end(), [&](const Event& event) {
                return event.backward && tree_.is_ancestor(loop, event.node);
            });
            if (computes) return loop;
        }
        return kNoNode;
    }

    // The nearest loop around the node in the same function.
    NodeId loop_above(NodeId node) const {
        for (NodeId at = tree_.parent(node); at != kNoNode; at = tree_.parent(at)) {
            const NodeKind kind = tree_.kind(at);
            if (kind == NodeKind::function_definition || kind == NodeKind::class_definition) return kNoNode;
            if (is_loop(kind)) return at;
        }
        return kNoNode;
    }

    // True when there is such a loop.
    bool add_without_step(NodeId function, const std::vector<Event>& events) {
        bool any = false;
        for (const Event& event : events) {
            any |= event.in_loop;
            const NodeId loop = event.backward && !event.in_loop ? loop_above(event.node) : kNoNode;
            if (loop == kNoNode) continue;
            any = true;
            const bool known = std::any_of(without_step_.begin(), without_step_.end(),
                                           [&](const TrainingLoop& other) { return other.loop == loop; });
            if (!known) without_step_.push_back(make(loop, function, events));
        }
        return any;
    }

    TrainingLoop make(NodeId loop, NodeId function, const std::vector<Event>& events) const {
        TrainingLoop out;
        out.loop = loop;
        out.function = function;
        for (const Event& event : events) {
            if (!tree_.is_ancestor(loop, event.node)) continue;
            if (event.backward) out.backwards.push_back(event.node);
            if (event.step) out.steps.push_back(event.node);
        }
        out.parts.push_back(loop);
        for (std::size_t i = 0; i < out.parts.size(); ++i) add_parts(out.parts[i], out.parts);
        out.accumulates = std::any_of(out.steps.begin(), out.steps.end(),
                                      [&](NodeId step) { return counts_rounds(tree_, step, loop); });
        return out;
    }

    // The functions that are used inside this part and compute gradients or step.
    void add_parts(NodeId part, std::vector<NodeId>& parts) const {
        for (const auto& [function, uses] : uses_) {
            for (const Use& use : uses) {
                const bool is_part = tree_.is_ancestor(part, use.node) && open_.contains(use.function);
                if (is_part && std::find(parts.begin(), parts.end(), use.function) == parts.end())
                    parts.push_back(use.function);
            }
        }
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const LoopFacts& facts_;
    std::unordered_map<std::string_view, std::vector<NodeId>> by_name_;
    std::set<std::string_view> receivers_;         // objects whose gradients are computed by a member of theirs
    std::map<NodeId, std::vector<Event>> events_;  // by function
    std::map<NodeId, std::vector<Use>> uses_;      // by the function that they stand in
    std::map<NodeId, Event> open_;                 // by function: what happens outside of its training loops
    std::vector<TrainingLoop> found_;
    std::vector<TrainingLoop> without_step_;
};

}  // namespace

std::vector<TrainingLoop> find_training_loops(const Script& script, const LoopFacts& facts) {
    return Finder(script, facts).run();
}

bool runs_in_each_round(const SyntaxTree& tree, const std::vector<TrainingLoop>& loops, NodeId node) {
    for (const TrainingLoop& loop : loops) {
        for (const NodeId part : loop.parts) {
            if (node != part && tree.is_ancestor(part, node) && !counts_rounds(tree, node, part)) return true;
        }
    }
    return false;
}

std::vector<NodeId> model_calls_of(const Script& script, const LoopFacts& facts, const TrainingLoop& loop) {
    std::vector<NodeId> out;
    for (const NodeId call : script.below(loop.loop, NodeKind::call)) {
        const NodeId callee = script.tree.child(call, Field::function);
        const bool is_name = callee != kNoNode && script.is_plain(callee);
        if (is_name && has_word(last_name(script.tree, callee), facts.model_words)) out.push_back(call);
    }
    return out;
}

}  // namespace migrator
