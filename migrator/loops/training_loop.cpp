#include "migrator/loops/training_loop.h"
#include "base/text.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>

namespace migrator {
namespace {

// What happens at a call: gradients are computed, weights are changed.
struct Event {
    NodeId node = kNoNode;
    NodeId loop = kNoNode;   // the nearest one around it in the same function
    NodeId block = kNoNode;  // the nearest one around it; the way up from there is no longer than the file is indented
    bool backward = false;
    bool step = false;
    bool in_loop = false;  // the gradients are computed in a loop already, inside the function that is called
};

bool is_within_any(std::string_view name, const std::vector<std::string>& packages) {
    return std::any_of(packages.begin(), packages.end(), [&](const auto& package) { return is_within(name, package); });
}

bool is_loop(NodeKind kind) { return kind == NodeKind::for_statement || kind == NodeKind::while_statement; }

// The `if` and `elif` that are true in some rounds only: `if step % 10 == 0`.
std::unordered_set<NodeId> counting_ifs(const SyntaxTree& tree) {
    std::unordered_set<NodeId> out;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::if_statement && tree.kind(id) != NodeKind::elif_clause) continue;
        const NodeId condition = tree.child(id, Field::condition);
        if (condition != kNoNode && tree.text(condition).find('%') != std::string_view::npos) out.insert(id);
    }
    return out;
}

// The node is below one of them, not in its condition.
bool is_counted(const SyntaxTree& tree, const std::unordered_set<NodeId>& counting, NodeId node) {
    return tree.field(node) != Field::condition && counting.contains(tree.parent(node));
}

// A function that has thousands of others of its name is none of them for sure.
constexpr std::size_t kMaxSameName = 64;
// Functions that do a part of the step of one loop.
constexpr std::size_t kMaxParts = 64;

class Finder {
public:
    Finder(const Script& script, const LoopFacts& facts)
        : script_(script), tree_(script.tree), facts_(facts), counting_(counting_ifs(script.tree)) {
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
        for (TrainingLoop& loop : out) add_parts(loop);
        std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.loop < b.loop; });
        return std::move(out);
    }

private:
    void collect_events() {
        for (const NodeId call : script_.all(NodeKind::call)) {
            if (is_backward(call)) receivers_.insert(receiver_text(call));
        }
        // That the node is in, outermost first; the second ones with classes and loops.
        std::vector<NodeId> functions, around, blocks;
        for (NodeId id = 0; id < tree_.size(); ++id) {
            for (std::vector<NodeId>* stack : {&functions, &around, &blocks}) {
                while (!stack->empty() && id >= tree_.subtree_end(stack->back())) stack->pop_back();
            }
            const NodeId here = functions.empty() ? kNoNode : functions.back();
            const NodeId loop = around.empty() || !is_loop(tree_.kind(around.back())) ? kNoNode : around.back();
            const NodeKind kind = tree_.kind(id);
            const NodeId block = blocks.empty() ? tree_.root() : blocks.back();
            if (kind == NodeKind::function_definition) functions.push_back(id);
            if (kind == NodeKind::block) blocks.push_back(id);
            if (kind == NodeKind::function_definition || kind == NodeKind::class_definition || is_loop(kind))
                around.push_back(id);
            if (tree_.kind(id) == NodeKind::call && tree_.named(id)) {
                const std::string_view callee = last_name(tree_, tree_.child(id, Field::function));
                const bool whole = base::contains(facts_.whole_step, callee) && !by_name_.contains(callee);
                const Event event{id, loop, block, whole || is_backward(id), whole || is_step(id)};
                if (event.backward || event.step) events_[here].push_back(event);
            }
            for (const NodeId function : used_functions(id)) {
                uses_[here].push_back({id, loop, block, function});
                all_uses_.push_back({id, loop, block, function});
            }
        }
    }

    bool is_backward(NodeId call) const {
        return base::contains(facts_.backward, last_name(tree_, tree_.child(call, Field::function)));
    }

    // The object a member is called of: "engine" of engine.step(); empty for other functions.
    std::string_view receiver_text(NodeId call) const {
        const NodeId function = tree_.child(call, Field::function);
        if (function == kNoNode || tree_.kind(function) != NodeKind::attribute) return {};
        return tree_.text(tree_.child(function, Field::object));
    }

    // optimizer.step(), scaler.step(optimizer), and engine.step() of an object that computes the gradients as well
    bool is_step(NodeId call) const {
        if (!base::contains(facts_.step, script_.called_member(call))) return false;
        const NodeId object = tree_.child(tree_.child(call, Field::function), Field::object);
        if (is_optimizer(script_, facts_, object) || receivers_.contains(receiver_text(call))) return true;
        const auto arguments = tree_.named_children(tree_.child(call, Field::arguments));
        return !arguments.empty() && is_optimizer(script_, facts_, arguments.front());
    }

    // The functions of this file that the node calls or hands on: `train(...)`, `self.train(...)`, `step(closure)`.
    std::vector<NodeId> used_functions(NodeId id) const {
        if (tree_.kind(id) != NodeKind::identifier) return {};
        const auto named = by_name_.find(tree_.text(id));
        if (named == by_name_.end() || named->second.size() > kMaxSameName) return {};
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
        NodeId loop = kNoNode;   // as of an event
        NodeId block = kNoNode;  // as of an event
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
        const std::size_t own = events.size();
        for (const Use& use : uses_[function]) {
            const auto open = open_.find(use.function);
            if (open != open_.end()) add(use, open->second, own, events);
        }
        std::ranges::sort(events, {}, &Event::node);
        std::set<NodeId> loops;
        for (const Event& event : events) {
            const NodeId loop = event.step ? loop_of_step(event, events) : kNoNode;
            if (loop != kNoNode && loops.insert(loop).second) found_.push_back(make(loop, function, events));
        }
        Event open;
        for (const Event& event : events) {
            if (is_in_one(event, loops)) continue;
            open.backward |= event.backward;
            open.step |= event.step;
        }
        if (open.backward && !open.step) open.in_loop = add_without_step(function, events);
        if (open.backward || open.step) open_[function] = open;
    }

    // A call of `self.backward()` may be known by its name already: it is one of the first `own` events.
    void add(const Use& use, const Event& open, std::size_t own, std::vector<Event>& events) const {
        const NodeId parent = tree_.parent(use.node);
        const NodeId callee = tree_.kind(parent) == NodeKind::attribute ? parent : use.node;
        const auto end = events.begin() + static_cast<std::ptrdiff_t>(own);
        const auto known = std::ranges::lower_bound(events.begin(), end, tree_.parent(callee), {}, &Event::node);
        if (known != end && known->node == tree_.parent(callee) && tree_.field(callee) == Field::function) {
            known->backward |= open.backward;
            known->step |= open.step;
        } else {
            events.push_back({use.node, use.loop, use.block, open.backward, open.step, open.in_loop});
        }
    }

    // Those below the node, of sorted ones.
    std::span<const Event> events_in(NodeId node, const std::vector<Event>& events) const {
        const auto first = std::ranges::lower_bound(events, node, {}, &Event::node);
        return {first, std::ranges::lower_bound(first, events.end(), tree_.subtree_end(node), {}, &Event::node)};
    }

    bool is_in_one(const Event& event, const std::set<NodeId>& loops) const {
        NodeId loop = event.loop;
        while (loop != kNoNode && !loops.contains(loop)) loop = loop_above(loop);
        return loop != kNoNode;
    }

    // The innermost loop of the function around the step that computes gradients as well.
    NodeId loop_of_step(const Event& step, const std::vector<Event>& events) {
        for (NodeId loop = step.loop; loop != kNoNode; loop = loop_above(loop)) {
            const auto [known, is_new] = computes_.try_emplace(loop, false);
            if (is_new) {
                const auto inside = events_in(loop, events);
                known->second = std::ranges::any_of(inside, &Event::backward);
            }
            if (known->second) return loop;
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

    // def backward(ctx, gradient): the gradient of an operator, which may go through layers in a loop.
    bool is_gradient(NodeId function) const {
        const NodeId name = function == kNoNode ? kNoNode : tree_.child(function, Field::name);
        return name != kNoNode && base::contains(facts_.backward, tree_.text(name)) &&
               tree_.ancestor(function, NodeKind::class_definition) != kNoNode;
    }

    // True when there is such a loop.
    bool add_without_step(NodeId function, const std::vector<Event>& events) {
        if (is_gradient(function)) return false;
        bool any = false;
        for (const Event& event : events) {
            any |= event.in_loop;
            const NodeId loop = event.backward && !event.in_loop ? event.loop : kNoNode;
            if (loop == kNoNode) continue;
            any = true;
            if (loops_without_step_.insert(loop).second) without_step_.push_back(make(loop, function, events));
        }
        return any;
    }

    TrainingLoop make(NodeId loop, NodeId function, const std::vector<Event>& events) const {
        TrainingLoop out;
        out.loop = loop;
        out.function = function;
        for (const Event& event : events_in(loop, events)) {
            if (event.backward) out.backwards.push_back(event.node);
            if (!event.step) continue;
            out.steps.push_back(event.node);
            for (NodeId at = event.block; tree_.is_ancestor(loop, at) && at != loop; at = tree_.parent(at))
                out.accumulates |= is_counted(tree_, counting_, at);
        }
        return out;
    }

    // The functions that are used inside a part and compute gradients or step.
    void add_parts(TrainingLoop& loop) {
        loop.parts.push_back(loop.loop);
        std::set<NodeId> known;
        for (std::size_t i = 0; i < loop.parts.size() && i < kMaxParts; ++i) {
            for (const NodeId function : parts_in(loop.parts[i])) {
                if (known.insert(function).second) loop.parts.push_back(function);
            }
        }
    }

    const std::vector<NodeId>& parts_in(NodeId part) {
        const auto [found, is_new] = parts_in_.try_emplace(part);
        if (!is_new) return found->second;
        std::set<NodeId> known;
        for (auto use = std::ranges::lower_bound(all_uses_, part, {}, &Use::node);
             use != all_uses_.end() && use->node < tree_.subtree_end(part) && known.size() < kMaxParts; ++use) {
            if (open_.contains(use->function) && known.insert(use->function).second)
                found->second.push_back(use->function);
        }
        return found->second;
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const LoopFacts& facts_;
    const std::unordered_set<NodeId> counting_;
    std::unordered_map<std::string_view, std::vector<NodeId>> by_name_;
    std::set<std::string_view> receivers_;         // objects whose gradients are computed by a member of theirs
    std::map<NodeId, std::vector<Event>> events_;  // by function
    std::map<NodeId, std::vector<Use>> uses_;      // by the function that they stand in
    std::map<NodeId, Event> open_;                 // by function: what happens outside of its training loops
    std::vector<Use> all_uses_;                    // in source order
    std::map<NodeId, bool> computes_;              // by loop: gradients are computed in it
    std::map<NodeId, std::vector<NodeId>> parts_in_;
    std::vector<TrainingLoop> found_;
    std::vector<TrainingLoop> without_step_;
    std::set<NodeId> loops_without_step_;
};

}  // namespace

bool is_optimizer(const Script& script, const LoopFacts& facts, NodeId expression) {
    if (const auto type = script.bindings.type_of(expression))
        return is_within_any(type->name, facts.optimizers) && !is_within_any(type->name, facts.no_optimizers);
    return has_word(last_name(script.tree, expression), facts.optimizer_words);
}

std::vector<TrainingLoop> find_training_loops(const Script& script, const LoopFacts& facts) {
    // Most files name nothing that computes gradients, and need no second look.
    const auto names_one = [&](const std::vector<std::string>& words) {
        return std::ranges::any_of(
            words, [&](const std::string& word) { return script.tree.source().find(word) != std::string_view::npos; });
    };
    if (!names_one(facts.backward) && !names_one(facts.whole_step)) return {};
    return Finder(script, facts).run();
}

std::unordered_set<NodeId> parts_of(const std::vector<TrainingLoop>& loops) {
    std::unordered_set<NodeId> out;
    for (const TrainingLoop& loop : loops) out.insert(loop.parts.begin(), loop.parts.end());
    return out;
}

std::vector<bool> nodes_of_each_round(const SyntaxTree& tree, const std::unordered_set<NodeId>& parts) {
    const std::unordered_set<NodeId> counting = counting_ifs(tree);
    std::vector<bool> out(tree.size());
    for (NodeId node = 1; node < tree.size(); ++node) {
        const NodeId parent = tree.parent(node);
        out[node] = (parts.contains(parent) || out[parent]) && !is_counted(tree, counting, node);
    }
    return out;
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
