#include "migrator/distribute/trained_modules.h"

#include <set>

#include "base/format.h"
#include "base/text.h"
#include "migrator/distribute/loaded_loop.h"
#include "migrator/loops/training_loop.h"

namespace migrator {
namespace {

class Tracer {
public:
    Tracer(const Script& script, const LoopFacts& loops, const DistributeFacts& facts, std::string_view model)
        : script_(script), tree_(script.tree), loops_(loops), facts_(facts), model_(model) {}

    std::vector<std::string> run() {
        for (const NodeId call : script_.all(NodeKind::call)) {
            const bool is_known = script_.bindings.type_of(call) && is_optimizer(script_, loops_, call);
            if (is_known || makes_unknown_optimizer(call)) trace(call, is_known);
        }
        return std::move(out_);
    }

private:
    // optimizer = build(...)
    bool makes_unknown_optimizer(NodeId call) const {
        const NodeId assignment = tree_.parent(call);
        if (script_.bindings.type_of(call) || tree_.kind(assignment) != NodeKind::assignment) return false;
        return is_optimizer(script_, loops_, tree_.child(assignment, Field::left));
    }

    void trace(NodeId optimizer, bool is_known) {
        found_ = false;
        seen_.clear();
        for (const NodeId argument : tree_.named_children(tree_.child(optimizer, Field::arguments))) {
            follow(argument);
            if (is_known && found_) return;  // the others are numbers
        }
        if (found_ || !is_known) return;
        // A list that is filled step by step: what of this function could be in it.
        const NodeId function = script_.function_of(optimizer);
        for (const NodeId call : script_.below(function == kNoNode ? tree_.root() : function, NodeKind::call)) {
            if (gives_parameters(call)) follow_module(object_of(call));
        }
        if (!found_)
            say(base::format("line {}: what this optimizer trains could not be seen, and all of it must be in `{}`",
                             script_.line(optimizer), model_));
    }

    bool gives_parameters(NodeId call) const {
        return base::contains(facts_.parameter_members, script_.called_member(call));
    }
    NodeId object_of(NodeId call) const { return tree_.child(tree_.child(call, Field::function), Field::object); }

    // Every module whose parameters the expression holds.
    void follow(NodeId expression) {
        for (NodeId at = expression; at < tree_.subtree_end(expression); ++at) {
            if (tree_.kind(at) == NodeKind::call && tree_.named(at) && gives_parameters(at)) {
                follow_module(object_of(at));
                at = tree_.subtree_end(at) - 1;
            } else if (tree_.kind(at) == NodeKind::identifier && is_read(at)) {
                follow_name(at);
            }
        }
    }

    bool is_read(NodeId name) const {
        const Field role = tree_.field(name);
        const NodeKind parent = tree_.kind(tree_.parent(name));
        if (parent == NodeKind::attribute && role == Field::attribute) return false;
        if (parent == NodeKind::keyword_argument && role == Field::name) return false;
        return !(parent == NodeKind::call && role == Field::function);
    }

    void follow_name(NodeId name) {
        if (tree_.text(name) == model_) {
            found_ = true;
        } else if (seen_.insert(name).second) {
            for (const NodeId value : values_of(name)) follow(value);
        }
    }

    // What a name may hold: the one thing it is bound to, or what the calls of its function give it.
    std::vector<NodeId> values_of(NodeId name) const {
        const NodeId function = script_.function_of(name);
        if (function != kNoNode && base::contains(script_.parameters_of(function), tree_.text(name))) {
            std::vector<NodeId> out;
            for (const NodeId call : script_.calls_of(function)) {
                const NodeId argument = argument_for(script_, function, call, tree_.text(name));
                if (argument != kNoNode) out.push_back(argument);
            }
            return out;
        }
        const NodeId value = script_.value_of(name);
        return value == kNoNode ? std::vector<NodeId>{} : std::vector<NodeId>{value};
    }

    // The module itself is `model` or a part of it, or another one.
    void follow_module(NodeId module) {
        NodeId root = module;
        while (tree_.kind(root) == NodeKind::attribute || tree_.kind(root) == NodeKind::subscript)
            root = tree_.child(root, tree_.kind(root) == NodeKind::attribute ? Field::object : Field::value);
        if (tree_.kind(root) == NodeKind::call && base::contains(facts_.placing_members, script_.called_member(root)))
            return follow_module(object_of(root));
        const bool is_name = tree_.kind(root) == NodeKind::identifier;
        if (is_name && tree_.text(root) == model_) {
            found_ = true;
            return;
        }
        std::vector<NodeId> values;
        if (is_name && seen_.insert(root).second) values = values_of(root);
        std::erase_if(values, [&](NodeId value) { return !leads_to_name(value); });
        for (const NodeId value : values) follow_module(value);
        if (!values.empty()) return;
        found_ = true;
        say(base::format("line {}: another module, `{}`, is trained too, and only `{}` would be wrapped",
                         script_.line(module), tree_.text(module), model_));
    }

    // model.backbone, model.to(device): another name of a module, not a new one
    bool leads_to_name(NodeId value) const {
        if (tree_.kind(value) == NodeKind::call)
            return base::contains(facts_.placing_members, script_.called_member(value));
        return script_.is_plain(value);
    }

    void say(std::string text) {
        if (!base::contains(out_, text)) out_.push_back(std::move(text));
    }

    const Script& script_;
    const SyntaxTree& tree_;
    const LoopFacts& loops_;
    const DistributeFacts& facts_;
    std::string_view model_;
    std::set<NodeId> seen_;
    bool found_ = false;  // a module that this optimizer trains
    std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> trained_beside(const Script& script, const LoopFacts& loops, const DistributeFacts& facts,
                                        std::string_view model) {
    return Tracer(script, loops, facts, model).run();
}

}  // namespace migrator
