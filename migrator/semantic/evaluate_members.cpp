// Attributes: the part of Evaluator that finds members of modules, of classes and of their instances.
#include <algorithm>
#include <unordered_set>

#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/project_index.h"

namespace migrator {
Candidates Evaluator::attribute_value(NodeId node) {
    const NodeId object = tree_.child(node, Field::object);
    const NodeId member = tree_.child(node, Field::attribute);
    if (object == kNoNode || member == kNoNode) return {};
    Candidates out;
    for (const Candidate& candidate : get(object)) add_member(candidate, tree_.text(member), node, out);
    settle(out);
    return out;
}

// `node`: the attribute expression, when there is one.
void Evaluator::add_member(const Candidate& object, std::string_view member, NodeId node, Candidates& out) {
    if (object.kind == CandidateKind::none_literal) return;
    if (object.kind == CandidateKind::bottom) {
        merge(out, object);
    } else if (object.class_scope != kNone) {
        add_class_member(object, object.class_scope, member, node, out);
    } else if (object.type_scope != kNone) {
        add_class_member(object, object.type_scope, member, node, out);
    } else if (object.type != kNoName) {
        add_external_member(object, object.type, member, out);
    } else if (object.name != kNoName && !object.is_value && object.origin != Origin::local) {
        const NameId name = model_.names.child(object.name, member);
        if (name == kNoName) return;
        if (object.origin == Origin::project && index() != nullptr) {
            for (const Candidate& c : project_value(name)) merge(out, c);
            return;
        }
        Candidate found{.name = name, .origin = object.origin, .certainty = object.certainty};
        if (const auto type = model_.facts.attribute_class(model_.names.text(object.name), member)) {
            found.type = model_.names.intern_copy(*type);
            found.type_certainty = object.certainty;
        }
        merge(out, found);
    }
}

// A member of an instance of a class outside the project.
void Evaluator::add_external_member(const Candidate& object, NameId class_name, std::string_view member,
                                    Candidates& out) {
    const TypeFacts& facts = model_.facts;
    const std::string_view class_text = model_.names.text(class_name);
    if (is_indexed_class(class_name)) {
        add_indexed_member(object, class_name, member, out);
        return;
    }
    // Of a class we know nothing of, nothing is known of its members.
    if (!facts.is_class(class_text)) return;
    const std::string_view owner = facts.member_owner(class_text, member);
    const NameId name = model_.names.child(model_.names.intern_copy(owner), member);
    if (name == kNoName) return;
    Candidate found{.name = name, .origin = Origin::external, .certainty = object.type_certainty};
    if (const auto type = facts.attribute_class(owner, member)) {
        found.type = model_.names.intern_copy(*type);
        found.type_certainty = object.type_certainty;
    }
    found.is_value = !facts.is_method(owner, member);
    merge(out, found);
}

// A member of a class of this file, or of an instance of it.
void Evaluator::add_class_member(const Candidate& object, ScopeId class_scope, std::string_view member, NodeId node,
                                 Candidates& out) {
    const NameId name = model_.names.intern_copy(member);
    const bool through_instance = object.class_scope == kNone;
    const Bases& bases = bases_of(class_scope);
    bool dynamic = bases.unknown;
    for (const ScopeId scope : bases.project) {
        if (scope == class_scope && object.kind == CandidateKind::super_object) continue;
        if (model_.variable(scope, name) || (through_instance && model_.attribute(scope, name))) {
            add_found_member(scope, name, through_instance, node, out);
            return;
        }
        for (const std::string_view hook : {"__getattr__", "__getattribute__"}) {
            dynamic = dynamic || model_.variable(scope, model_.names.intern(hook)).has_value();
        }
    }
    if (add_indexed_base_member(object, bases, member, out)) return;
    if (bases.external != kNoName) {
        // What the base is not known to have is set by code we do not see.
        if (!model_.facts.has_member(model_.facts.member_owner(model_.names.text(bases.external), member), member))
            return;
        Candidate external = object;
        if (dynamic) external.type_certainty = weaker(external.type_certainty, Certainty::likely);
        add_external_member(external, bases.external, member, out);
    } else if (!dynamic) {
        const NameId qualified = model_.names.child(model_.scopes[class_scope].qualified, member);
        // A member that the class does not have, or gets from code elsewhere: whatever it is, it is the project's own.
        merge(out, {.name = qualified, .origin = Origin::local, .certainty = Certainty::likely});
    }
}

// A member that a base in another file has; true when that is all there is to say.
bool Evaluator::add_indexed_base_member(const Candidate& object, const Bases& bases, std::string_view member,
                                        Candidates& out) {
    for (const NameId base : bases.indexed) {
        if (indexed_members(base, member).found.empty()) continue;
        add_indexed_member(object, base, member, out);
        return true;
    }
    return false;
}

void Evaluator::add_found_member(ScopeId class_scope, NameId member, bool through_instance, NodeId node,
                                 Candidates& out) {
    const NameId qualified = model_.names.child(model_.scopes[class_scope].qualified, model_.names.text(member));
    Candidates found;
    const auto add = [&](SymbolId symbol) {
        if (node != kNoNode && model_.symbol_of[node] == kNone) model_.symbol_of[node] = symbol;
        for (const Candidate& candidate : as_variable(symbol_value(symbol), qualified)) merge(found, candidate);
    };
    if (const auto symbol = model_.variable(class_scope, member)) add(*symbol);
    if (const auto symbol = model_.attribute(class_scope, member); symbol && through_instance) add(*symbol);
    settle(found);
    for (Candidate& candidate : found) {
        if (through_instance) read_property(candidate);
        merge(out, candidate);
    }
}

// Reading a property calls it.
void Evaluator::read_property(Candidate& candidate) {
    const NodeId function = candidate.function;
    if (function == kNoNode) return;
    if (!has_decorator(tree_, function, "property") && !has_decorator(tree_, function, "cached_property")) return;
    const Candidates result = function_result(function);
    candidate.function = kNoNode;
    candidate.is_value = true;
    if (result.size() != 1) return;
    candidate.type = result[0].type;
    candidate.type_scope = result[0].type_scope;
    candidate.type_certainty = result[0].type_certainty;
}

const Evaluator::Bases& Evaluator::bases_of(ScopeId class_scope) {
    if (const auto known = bases_.find(class_scope); known != bases_.end()) return known->second;
    const std::size_t missing_before = missing_.size();
    const std::uint32_t low_before = low_;
    Bases out;
    std::unordered_set<ScopeId> seen{class_scope};
    std::vector<ScopeId> pending{class_scope};
    while (!pending.empty() && out.project.size() < kMaxBaseClasses) {
        const ScopeId scope = pending.back();
        pending.pop_back();
        out.project.push_back(scope);
        const NodeId superclasses = tree_.child(model_.scopes[scope].node, Field::superclasses);
        if (superclasses == kNoNode) continue;
        std::vector<ScopeId> found;
        for (const NodeId base : operands(tree_, superclasses)) {
            if (tree_.kind(base) != NodeKind::keyword_argument) add_bases(get(base), seen, found, out);
        }
        // Depth first, from left to right.
        pending.insert(pending.end(), found.rbegin(), found.rend());
    }
    out.unknown = out.unknown || !pending.empty();
    if (missing_.size() == missing_before && low_ == low_before)
        return bases_.emplace(class_scope, std::move(out)).first->second;
    unfinished_bases_ = std::move(out);
    return unfinished_bases_;
}

void Evaluator::add_bases(const Candidates& meanings, std::unordered_set<ScopeId>& seen, std::vector<ScopeId>& found,
                          Bases& out) {
    if (meanings.empty()) out.unknown = true;
    for (const Candidate& meaning : meanings) {
        if (meaning.class_scope != kNone) {
            if (seen.insert(meaning.class_scope).second) found.push_back(meaning.class_scope);
            continue;
        }
        if (meaning.origin == Origin::builtin) continue;
        if (is_indexed_class(meaning.name)) {
            const ProjectIndex::Members& end = indexed_members(meaning.name, kNoMember);
            out.indexed.push_back(meaning.name);
            if (!end.external.empty() && out.external == kNoName) out.external = model_.names.intern_copy(end.external);
            out.unknown = out.unknown || end.open;
            continue;
        }
        const bool external =
            meaning.origin == Origin::external && meaning.certainty != Certainty::textual && !meaning.has_type();
        const bool known = external && model_.facts.is_class(model_.names.text(meaning.name));
        if (known && out.external == kNoName) out.external = meaning.name;
        out.unknown = out.unknown || !known;
    }
}

std::optional<Reference> Evaluator::class_reference(const Candidate& value) {
    const NameTable& names = model_.names;
    if (value.type_scope == kNone) {
        if (is_indexed_class(value.type)) return indexed_class_reference(value);
        if (!model_.facts.is_class(names.text(value.type))) return std::nullopt;
        return Reference{std::string(names.text(value.type)), Origin::external, value.type_certainty};
    }
    const Bases& bases = bases_of(value.type_scope);
    if (bases.external != kNoName)
        return Reference{std::string(names.text(bases.external)), Origin::external, value.type_certainty};
    if (bases.unknown) return std::nullopt;
    return Reference{std::string(names.text(model_.scopes[value.type_scope].qualified)), Origin::project,
                     value.type_certainty};
}

}  // namespace migrator
