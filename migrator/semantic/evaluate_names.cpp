// Variables: the part of Evaluator that follows a name to its bindings, and a binding to what it binds.
#include <algorithm>

#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/flow.h"
#include "migrator/semantic/python_facts.h"

namespace migrator {
namespace {

constexpr std::size_t kMaxCandidates = 16;

}  // namespace

// `position_counts`: the name is read at `node`, in the order of the code; else at any time.
Candidates Evaluator::name_value(NodeId node, ScopeId scope, std::string_view name, bool position_counts) {
    const NameId id = model_.names.intern_copy(name);
    Candidates out;
    bool may_be_outside = true;
    auto lookup = model_.lookup(scope, id);
    if (lookup && model_.symbol_of[node] == kNone && tree_.kind(node) == NodeKind::identifier)
        model_.symbol_of[node] = lookup->symbol;
    while (lookup && may_be_outside) {
        may_be_outside = false;
        add_bindings(*lookup, node, position_counts, out, may_be_outside);
        if (!may_be_outside) break;
        const ScopeId from = lookup->scope;
        lookup = model_.lookup_outside(from, id);
        // Read before it is bound at module level: a builtin, or a mistake in which the binding is still what is meant.
        if (!lookup && out.empty() && !is_builtin_name(name)) return symbol_value(*model_.variable(from, id));
    }
    if (may_be_outside && is_builtin_name(name)) merge(out, {.name = id, .origin = Origin::builtin});
    if (out.empty() && may_be_outside) return unknown_name(node, name);
    settle(out);
    return out;
}

// Neither bound nor builtin: from a star import we cannot see into, or from nowhere. Only the text is left.
Candidates Evaluator::unknown_name(NodeId, std::string_view name) {
    return {{.name = model_.names.intern_copy(name), .origin = Origin::external, .certainty = Certainty::textual}};
}

void Evaluator::add_bindings(const FileModel::Lookup& lookup, NodeId use, bool position_counts, Candidates& out,
                             bool& may_be_outside) {
    const Symbol& symbol = model_.symbols[lookup.symbol];
    const ScopeKind kind = model_.scopes[lookup.scope].kind;
    const bool in_order = position_counts && !lookup.later && kind != ScopeKind::comprehension;
    const bool falls_through = kind == ScopeKind::class_ || kind == ScopeKind::module;
    Candidates found;
    if (!in_order) {
        found = symbol_value(lookup.symbol);
    } else {
        Reaching reaching = reaching_bindings(model_, lookup.symbol, use, model_.region_of[use]);
        std::ranges::sort(reaching.bindings, {}, &Binding::effect);
        for (const Binding* binding : reaching.bindings) {
            for (const Candidate& candidate : as_variable(binding_value(*binding), symbol.name))
                merge(found, candidate);
        }
        if (reaching.cut) merge(found, {.name = symbol.name});
        may_be_outside = reaching.may_be_unbound && falls_through;
        // A local read before it is bound is an error; the binding is still what is meant.
        if (reaching.bindings.empty() && !falls_through) found = symbol_value(lookup.symbol);
        apply_declaration(lookup.symbol, found);
    }
    for (const Candidate& candidate : found) {
        if (out.size() < kMaxCandidates) merge(out, candidate);
    }
}

// All that a variable may hold, at whatever time.
Candidates Evaluator::symbol_value(SymbolId symbol) {
    Candidates out;
    const NameId name = model_.symbols[symbol].name;
    std::size_t followed = 0;
    for (const Binding& binding : model_.bindings_of(symbol)) {
        if (binding.kind == BindingKind::declared || binding.kind == BindingKind::deleted) continue;
        if (++followed >= kMaxCandidates) {
            merge(out, {.name = name});
            break;
        }
        for (const Candidate& candidate : as_variable(binding_value(binding), name)) merge(out, candidate);
    }
    if (out.empty()) out.push_back({.name = name});
    apply_declaration(symbol, out);
    settle(out);
    return out;
}

// `x: T` holds for every value of x.
void Evaluator::apply_declaration(SymbolId symbol, Candidates& candidates) {
    const bool open =
        std::ranges::any_of(candidates, [](const Candidate& c) { return !c.has_type() && c.origin == Origin::local; });
    if (!open) return;
    const auto bindings = model_.bindings_of(symbol);
    const auto declared = std::ranges::find_if(bindings.first(std::min(bindings.size(), kMaxCandidates)),
                                               [](const Binding& b) { return b.kind == BindingKind::declared; });
    if (declared == bindings.first(std::min(bindings.size(), kMaxCandidates)).end()) return;
    const Candidates types = annotated_value(declared->annotation);
    if (types.size() != 1) return;
    for (Candidate& c : candidates) {
        if (c.has_type() || c.origin != Origin::local || c.kind != CandidateKind::ordinary) continue;
        c.type = types[0].type;
        c.type_scope = types[0].type_scope;
        c.type_certainty = types[0].type_certainty;
    }
}

Candidates Evaluator::binding_value(const Binding& binding) {
    Candidates out;
    switch (binding.kind) {
        case BindingKind::value:
        case BindingKind::parameter: return assigned_value(binding);
        case BindingKind::import:
        case BindingKind::star: return import_value(binding);
        case BindingKind::function:
        case BindingKind::class_: return definition_value(binding);
        case BindingKind::self: return self_value(binding);
        case BindingKind::iteration:
            // Iterating gives what indexing gives.
            for (const Candidate& c : get(binding.value)) {
                const bool lists_elements = c.display != kNoNode && tree_.kind(c.display) != NodeKind::dictionary;
                if (lists_elements) add_elements(c, kNoNode, out);
                else add_method_result(c, "__getitem__", Certainty::likely, out);
            }
            settle(out);
            return out;
        case BindingKind::context:
            for (const Candidate& c : get(binding.value)) add_method_result(c, "__enter__", Certainty::resolved, out);
            return out;
        case BindingKind::exception:
            for (const Candidate& c : get(binding.value)) add_annotated(c, out);
            return out;
        case BindingKind::declared: return annotated_value(binding.annotation);
        case BindingKind::other:
        case BindingKind::deleted: return out;
    }
    return out;
}

Candidates Evaluator::import_value(const Binding& binding) {
    const ImportedName& imported = model_.imports[binding.import];
    NameTable& names = model_.names;
    Candidate out{.origin = imported.origin};
    if (binding.kind == BindingKind::star) {
        out.name = names.child(names.intern_copy(imported.module), names.text(model_.symbols[binding.symbol].name));
        Candidates found{out};
        if (imported.origin == Origin::project) found = project_value(out.name);
        // A later star import may bring the same name.
        for (Candidate& c : found) {
            if (last_unknown_star_ > imported.statement) c.certainty = weaker(c.certainty, Certainty::likely);
        }
        return found;
    }
    if (!imported.name.empty()) {
        out.name = names.intern_copy(imported.qualified());
        if (imported.origin == Origin::project) return project_value(out.name);
    } else if (tree_.kind(imported.node) == NodeKind::aliased_import) {
        out.name = names.intern_copy(imported.module);
    } else {
        // `import a.b.c` binds a; the module may have been found below the directory of this file.
        std::string_view root = imported.module;
        for (std::size_t parts = operands(tree_, imported.node).size(); parts > 1; --parts)
            root = root.substr(0, root.rfind('.'));
        out.name = names.intern_copy(root);
    }
    return {out};
}

Candidates Evaluator::definition_value(const Binding& binding) {
    const ScopeId scope = model_.definition_scope(binding.value);
    const NameId around = model_.scopes[model_.scope_of[binding.value]].qualified;
    Candidate out{.origin = Origin::project};
    out.name = scope != kNone ? model_.scopes[scope].qualified : model_.names.child(around, tree_.text(binding.target));
    if (binding.kind == BindingKind::class_) {
        out.class_scope = scope;
    } else {
        out.function = binding.value;
    }
    return {out};
}

Candidates Evaluator::self_value(const Binding& binding) {
    const ScopeId function = model_.scope_of[binding.target];
    const ScopeId class_scope = model_.class_around(function);
    if (class_scope == kNone) return {};
    const NodeId definition = model_.scopes[function].node;
    const NodeId name = tree_.child(definition, Field::name);
    if (has_decorator(tree_, definition, "classmethod") || (name != kNoNode && takes_class(tree_.text(name)))) {
        return {{.name = model_.scopes[class_scope].qualified, .origin = Origin::project, .class_scope = class_scope}};
    }
    return {{.type_scope = class_scope}};
}

// An assigned value, or a parameter with its default: what the annotation says holds where the value says nothing.
Candidates Evaluator::assigned_value(const Binding& binding) {
    const bool parameter = binding.kind == BindingKind::parameter;
    Candidates out = get(binding.value);
    const Candidates annotated = binding.annotation == kNoNode ? Candidates{} : annotated_value(binding.annotation);
    if (parameter) {
        // Callers pass what they like: the default tells the class at most.
        erase_if(out, [](const Candidate& c) { return !c.has_type() || c.kind != CandidateKind::ordinary; });
        for (Candidate& c : out)
            c = {.type = c.type,
                 .type_scope = c.type_scope,
                 .type_certainty = weaker(c.type_certainty, Certainty::likely)};
        return annotated.empty() ? out : annotated;
    }
    const bool silent = std::ranges::all_of(out, [](const Candidate& c) {
        return c.kind != CandidateKind::ordinary || (!c.has_type() && c.name == kNoName) || c.origin == Origin::local;
    });
    if (annotated.empty() || !silent) return out;
    const bool typed = std::ranges::any_of(out, [](const Candidate& c) { return c.has_type(); });
    return typed ? out : annotated;
}

// `case torch.float16:` and `case torch.device(...)` have no expression for the name, but a dotted_name.
Candidates Evaluator::pattern_value(NodeId dotted_name) {
    const NodeKind around = tree_.kind(tree_.parent(dotted_name));
    const bool in_pattern = around == NodeKind::class_pattern || around == NodeKind::case_pattern ||
                            around == NodeKind::union_pattern || around == NodeKind::keyword_pattern ||
                            around == NodeKind::dict_pattern;
    const NodeList parts = operands(tree_, dotted_name);
    if (!in_pattern || parts.empty()) return {};
    Candidates at = get(parts.front());
    for (std::size_t i = 1; i < parts.size() && !at.empty(); ++i) {
        Candidates next;
        for (const Candidate& c : at) add_member(c, tree_.text(parts[i]), kNoNode, next);
        at = std::move(next);
    }
    return at;
}

}  // namespace migrator
