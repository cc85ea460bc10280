// PatternMatcher: from a name to what it surely stands for.
#include <algorithm>

#include "migrator/pattern/pattern_matcher.h"

namespace migrator {
namespace {

// A function is looked into for functions that it calls, and these for theirs.
constexpr int kMaxCallDepth = 8;

}  // namespace

std::optional<CodePlace> PatternMatcher::look_through(CodePlace at, State& state) {
    const NodeKind kind = tree_.kind(at.node);
    if (kind == NodeKind::identifier) {
        if (const auto definition = lines_.definition(at.node)) {
            if (at.element != Definition::kWhole && definition->element != Definition::kWhole) return std::nullopt;
            if (at.frame == nullptr) {
                state.definitions.push_back(*definition);
                state.uses.push_back(at.node);
            }
            return CodePlace{definition->value, std::max(definition->element, at.element), at.frame};
        }
        const auto argument = argument_of(at);
        if (argument && at.element != Definition::kWhole && argument->element != Definition::kWhole)
            return std::nullopt;
        if (argument) return CodePlace{argument->node, std::max(argument->element, at.element), argument->frame};
        return std::nullopt;
    }
    if (kind != NodeKind::call || at.element != Definition::kWhole) return std::nullopt;
    bool is_method = false;
    if (function_of(at.node, is_method) == kNoNode) return std::nullopt;
    // Another class may have a method of its own in place of this one.
    if (is_method) state.certainty = std::min(state.certainty, Certainty::likely);
    return returned(at);
}

// The argument that a parameter stands for, when nothing else was assigned to it before.
std::optional<CodePlace> PatternMatcher::argument_of(CodePlace at) const {
    if (at.frame == nullptr || at.element != Definition::kWhole || tree_.kind(at.node) != NodeKind::identifier)
        return std::nullopt;
    const auto found = at.frame->arguments.find(tree_.text(at.node));
    if (found == at.frame->arguments.end() ||
        tree_.ancestor(at.node, NodeKind::function_definition) != at.frame->function)
        return std::nullopt;
    const BindingSites sites = bindings_.binding_sites(at.node);
    if (sites.size() > kMaxBindingSites) return std::nullopt;
    steps_.take(sites.size());
    const NodeId body = tree_.child(at.frame->function, Field::body);
    const bool is_bound = std::any_of(sites.begin(), sites.end(), [&](const BindingSite& site) {
        return site.target > body && site.target < lines_.statement_of(at.node);
    });
    if (is_bound) return std::nullopt;
    return found->second;
}

// The function of this file that is called, when there is no doubt which; kNoNode otherwise.
NodeId PatternMatcher::function_of(NodeId call, bool& is_method) const {
    const NodeId callee = tree_.child(call, Field::function);
    if (callee == kNoNode) return kNoNode;
    is_method = tree_.kind(callee) == NodeKind::attribute;
    if (!is_method && tree_.kind(callee) != NodeKind::identifier) return kNoNode;
    const BindingSites sites = bindings_.binding_sites(callee);
    if (sites.size() != 1) return kNoNode;
    const NodeId definition = tree_.parent(sites.front().target);
    const bool is_plain = tree_.kind(definition) == NodeKind::function_definition &&
                          tree_.field(sites.front().target) == Field::name &&
                          tree_.kind(tree_.parent(definition)) != NodeKind::decorated_definition;
    if (!is_plain || tree_.is_ancestor(definition, call)) return kNoNode;
    return definition;
}

// Nothing in the function changes what a value holds. A function that leads to itself is not looked into.
bool PatternMatcher::only_computes(NodeId function, int depth) {
    const auto [known, is_new] = only_computes_.try_emplace(function, false);
    if (!is_new || depth == kMaxCallDepth) return known->second;
    const NodeId body = tree_.child(function, Field::body);
    const NodeId end = tree_.subtree_end(body);
    const Effects::Names names = lines_.names_in(body);
    for (NodeId id = body; id < end; ++id) {
        steps_.take(1);
        bool is_method = false;
        const NodeId called = tree_.kind(id) == NodeKind::call ? function_of(id, is_method) : kNoNode;
        if (called == kNoNode ? lines_.may_change(id, names) : !only_computes(called, depth + 1)) return false;
    }
    return known->second = true;
}

// What the call gives: the body is assignments, and a return at its end.
std::optional<CodePlace> PatternMatcher::returned(CodePlace call) {
    bool is_method = false;
    const NodeId function = function_of(call.node, is_method);
    const NodeId body = tree_.child(function, Field::body);
    if (body == kNoNode) return std::nullopt;
    NodeId value = kNoNode;
    steps_.take(tree_.subtree_end(body) - body);
    for (const NodeId statement : tree_.named_children(body)) {
        if (tree_.kind(statement) == NodeKind::comment) continue;
        if (value != kNoNode) return std::nullopt;
        if (tree_.kind(statement) == NodeKind::return_statement) {
            const NodeList values = tree_.named_children(statement);
            if (values.size() != 1) return std::nullopt;
            value = values.front();
            continue;
        }
        if (tree_.kind(statement) != NodeKind::expression_statement) return std::nullopt;
        const NodeKind inner = tree_.kind(tree_.first_child(statement));
        if (inner != NodeKind::assignment && inner != NodeKind::string) return std::nullopt;
    }
    if (value == kNoNode || !only_computes(function, 0)) return std::nullopt;
    const auto [known, is_new] = frame_of_.try_emplace({call.node, call.frame}, nullptr);
    if (is_new) {
        CallFrame frame;
        frame.call = call.node;
        frame.function = function;
        frame.outer = call.frame;
        if (bind_arguments(frame, call.frame, is_method)) known->second = &frames_.emplace_back(std::move(frame));
    }
    if (known->second == nullptr) return std::nullopt;
    return CodePlace{value, Definition::kWhole, known->second};
}

bool PatternMatcher::bind_arguments(CallFrame& frame, const CallFrame* outer, bool is_method) const {
    struct Parameter {
        std::string_view name;
        NodeId value;
    };
    std::vector<Parameter> parameters;
    for (const NodeId id : tree_.named_children(tree_.child(frame.function, Field::parameters))) {
        switch (tree_.kind(id)) {
            case NodeKind::comment: break;
            case NodeKind::identifier: parameters.push_back({tree_.text(id), kNoNode}); break;
            case NodeKind::typed_parameter: parameters.push_back({tree_.text(tree_.first_child(id)), kNoNode}); break;
            case NodeKind::default_parameter:
            case NodeKind::typed_default_parameter:
                parameters.push_back({tree_.text(tree_.child(id, Field::name)), tree_.child(id, Field::value)});
                break;
            default: return false;
        }
    }
    const NodeId list = tree_.child(frame.call, Field::arguments);
    if (list == kNoNode || tree_.kind(list) != NodeKind::argument_list) return false;
    std::size_t position = 0;
    if (is_method) {
        const NodeId object = tree_.child(tree_.child(frame.call, Field::function), Field::object);
        if (parameters.empty() || tree_.text(object) != parameters.front().name) return false;
        frame.keeps_self = true;
        position = 1;
    }
    for (const NodeId id : tree_.named_children(list)) {
        switch (tree_.kind(id)) {
            case NodeKind::comment: break;
            case NodeKind::list_splat:
            case NodeKind::dictionary_splat: return false;
            case NodeKind::keyword_argument:
                frame.arguments[tree_.text(tree_.child(id, Field::name))] = {tree_.child(id, Field::value),
                                                                             Definition::kWhole, outer};
                break;
            default:
                if (position == parameters.size()) return false;
                frame.arguments[parameters[position++].name] = {id, Definition::kWhole, outer};
        }
    }
    for (const Parameter& parameter : parameters) {
        const bool is_self = frame.keeps_self && &parameter == &parameters.front();
        if (is_self || frame.arguments.contains(parameter.name)) continue;
        if (parameter.value == kNoNode) return false;
        frame.arguments[parameter.name] = {parameter.value};
    }
    return true;
}

}  // namespace migrator
