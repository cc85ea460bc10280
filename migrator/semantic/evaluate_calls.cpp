// Calls and operators: the part of Evaluator that tells what class a computed value has.
#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/project_modules.h"
#include "migrator/semantic/python_facts.h"

namespace migrator {

NodeList Evaluator::arguments(NodeId call) const {
    const NodeId list = tree_.child(call, Field::arguments);
    if (list == kNoNode || tree_.kind(list) != NodeKind::argument_list) return {};
    return operands(tree_, list);
}

Candidates Evaluator::call_value(NodeId node) {
    Candidates out;
    for (const Candidate& callee : get(tree_.child(node, Field::function))) add_call(callee, node, out);
    settle(out);
    return out;
}

void Evaluator::add_call(const Candidate& callee, NodeId call, Candidates& out) {
    if (callee.kind == CandidateKind::bottom) {
        merge(out, callee);
    } else if (callee.class_scope != kNone) {
        // __new__ may give an object of any class.
        if (!model_.variable(callee.class_scope, model_.names.intern("__new__")))
            merge(out, {.type_scope = callee.class_scope, .type_certainty = callee.certainty});
    } else if (callee.has_type()) {
        add_method_result(callee, "__call__", Certainty::likely, out);
    } else if (callee.function != kNoNode) {
        for (const Candidate& c : function_result(callee.function)) merge(out, c);
    } else if (callee.name != kNoName && !callee.is_value && callee.certainty != Certainty::textual) {
        add_named_call(callee, call, out);
    }
}

// What calling a function of this file gives: what it says, or what its return statements say.
Candidates Evaluator::function_result(NodeId function) {
    const NodeId async = tree_.first_child(function);
    if (async != kNoNode && tree_.text(async) == "async") return {};
    const NodeId annotation = tree_.child(function, Field::return_type);
    return annotation != kNoNode ? annotated_value(annotation) : inferred_result(function);
}

Candidates Evaluator::inferred_result(NodeId function) {
    const ScopeId scope = model_.definition_scope(function);
    const auto found = scope == kNone ? model_.returns.end() : model_.returns.find(scope);
    if (found == model_.returns.end() || found->second.generator || found->second.cut) return {};
    Candidates out;
    for (const NodeId value : found->second.values) {
        if (value == kNoNode) continue;
        const Candidates& returned = get(value);
        if (returned.empty()) merge(out, {});
        for (Candidate c : returned) {
            if (c.origin == Origin::local || c.is_value || c.certainty == Certainty::textual) {
                c.name = kNoName;
                c.origin = Origin::local;
                c.certainty = Certainty::resolved;
                c.is_value = false;
            }
            merge(out, c);
        }
    }
    settle(out);
    // A sub-class may have its own, and a decorator may give something else.
    const bool replaceable =
        model_.class_around(scope) != kNone || tree_.kind(tree_.parent(function)) == NodeKind::decorated_definition;
    for (Candidate& c : out) {
        if (!replaceable) break;
        c.certainty = weaker(c.certainty, Certainty::likely);
        c.type_certainty = weaker(c.type_certainty, Certainty::likely);
    }
    return out;
}

// A function or class that is known by its name only.
void Evaluator::add_named_call(const Candidate& callee, NodeId call, Candidates& out) {
    if (add_special_call(callee, call, out)) return;
    if (callee.origin == Origin::project) add_project_call(callee, out);
    if (callee.origin != Origin::external) return;
    const std::string_view name = model_.names.text(callee.name);
    const NodeId function = tree_.child(call, Field::function);
    if (model_.facts.returns_receiver(name) && tree_.kind(function) == NodeKind::attribute) {
        // The very class of the receiver, which may be a sub-class of the one that has the method.
        for (const Candidate& object : get(tree_.child(function, Field::object))) {
            if (!object.has_type()) continue;
            merge(out, {.type = object.type,
                        .type_scope = object.type_scope,
                        .type_certainty = weaker(object.type_certainty, callee.certainty)});
        }
        if (!out.empty()) return;
    }
    if (const auto type = model_.facts.returned_class(name)) merge(out, instance_of(*type, callee.certainty));
}

// Python's own functions that hand out something by its name.
bool Evaluator::add_special_call(const Candidate& callee, NodeId call, Candidates& out) {
    const std::string_view name = model_.names.text(callee.name);
    if (callee.origin == Origin::external && name == "importlib.import_module") {
        add_module(call, false, out);
        return true;
    }
    if (callee.origin == Origin::external && is_partial(name)) {
        // Calling it is calling its first argument.
        const NodeList parts = arguments(call);
        for (Candidate c : parts.empty() ? Candidates{} : get(parts.front())) {
            c.certainty = weaker(c.certainty, Certainty::likely);
            merge(out, c);
        }
        return true;
    }
    if (callee.origin != Origin::builtin) return false;
    if (name == "__import__") {
        add_module(call, true, out);
    } else if (name == "super") {
        add_super(call, out);
    } else if (name == "getattr") {
        const NodeList parts = arguments(call);
        if (parts.size() < 2) return true;
        if (const auto member = constant_text(parts[1])) {
            for (const Candidate& object : get(parts[0])) add_member(object, *member, kNoNode, out);
        }
    }
    return true;
}

// import_module("a.b") gives a.b, __import__("a.b") gives a.
void Evaluator::add_module(NodeId call, bool root_only, Candidates& out) {
    const NodeList parts = arguments(call);
    if (parts.empty()) return;
    const auto module = constant_text(parts[0]);
    // A relative name is relative to an argument; leave it.
    if (!module || module->empty() || module->starts_with('.')) return;
    ResolvedModule resolved = resolve_module(model_.context, *module);
    std::string_view name = resolved.name;
    if (root_only) {
        for (std::size_t at = module->find('.'); at != std::string::npos; at = module->find('.', at + 1))
            name = name.substr(0, name.rfind('.'));
    }
    merge(out, {.name = model_.names.intern_copy(name), .origin = resolved.origin});
}

void Evaluator::add_super(NodeId call, Candidates& out) {
    for (ScopeId scope = model_.scope_of[call]; scope != kModuleScope; scope = model_.scopes[scope].parent) {
        const ScopeId class_scope = model_.class_around(scope);
        if (class_scope == kNone) continue;
        merge(out, {.kind = CandidateKind::super_object, .type_scope = class_scope});
        return;
    }
}

// What calling a method of the object gives, by the facts; nothing when they are silent.
void Evaluator::add_method_result(const Candidate& object, std::string_view method, Certainty at_most,
                                  Candidates& out) {
    if (object.kind == CandidateKind::bottom) {
        merge(out, object);
        return;
    }
    if (object.type == kNoName) return;
    const std::string_view class_name = model_.names.text(object.type);
    if (!model_.facts.is_class(class_name)) return;
    const std::string_view owner = model_.facts.member_owner(class_name, method);
    const NameId name = model_.names.child(model_.names.intern_copy(owner), method);
    const Certainty certainty = weaker(object.type_certainty, at_most);
    if (model_.facts.returns_receiver(model_.names.text(name))) {
        merge(out, {.type = object.type, .type_certainty = certainty});
    } else if (const auto type = model_.facts.returned_class(model_.names.text(name))) {
        merge(out, instance_of(*type, certainty));
    }
}

Candidates Evaluator::binary_value(NodeId node) {
    const NodeId symbol = tree_.child(node, Field::operator_);
    if (symbol == kNoNode) return {};
    return operator_value(tree_.child(node, Field::left), tree_.child(node, Field::right), tree_.text(symbol));
}

// `a < b`; a chain gives the result of one of its comparisons.
Candidates Evaluator::comparison_value(NodeId node) {
    const NodeList parts = operands(tree_, node);
    const NodeId symbol = tree_.child(node, Field::operators);
    if (parts.size() != 2 || symbol == kNoNode) return {};
    return operator_value(parts[0], parts[1], tree_.text(symbol));
}

Candidates Evaluator::operator_value(NodeId left, NodeId right, std::string_view symbol) {
    Candidates out;
    if (const auto method = operator_method(symbol)) {
        for (const Candidate& c : get(left)) add_method_result(c, *method, Certainty::likely, out);
    }
    if (const auto method = reflected_operator_method(symbol); method && out.empty()) {
        for (const Candidate& c : get(right)) add_method_result(c, *method, Certainty::likely, out);
    }
    settle(out);
    return out;
}

Candidates Evaluator::unary_value(NodeId node) {
    const NodeId symbol = tree_.child(node, Field::operator_);
    Candidates out;
    if (symbol == kNoNode) return out;
    if (const auto method = unary_operator_method(tree_.text(symbol))) {
        for (const Candidate& c : get(tree_.child(node, Field::argument)))
            add_method_result(c, *method, Certainty::likely, out);
    }
    return out;
}

// One of the two, by a condition.
Candidates Evaluator::either(NodeId first, NodeId second) {
    Candidates out;
    for (const NodeId node : {first, second}) {
        const Candidates& candidates = get(node);
        if (candidates.empty()) merge(out, {});
        for (const Candidate& candidate : candidates) merge(out, candidate);
    }
    settle(out);
    return out;
}

}  // namespace migrator
