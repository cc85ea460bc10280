// Names of other files: the part of Evaluator that asks the index of the project.
#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/project_index.h"

namespace migrator {

Candidate Evaluator::from_index(const Meaning& meaning) {
    Candidate out{.certainty = meaning.certainty};
    if (!meaning.type.empty()) {
        out.type = model_.names.intern_copy(meaning.type);
        out.type_certainty = meaning.type_certainty;
    }
    if (meaning.name.empty()) {
        out.origin = Origin::local;
        if (meaning.variable.empty()) return out;
        out.name = model_.names.intern_copy(meaning.variable);
        out.is_value = out.is_shared = true;
        return out;
    }
    out.name = model_.names.intern_copy(meaning.name);
    out.origin = meaning.origin;
    return out;
}

// What a qualified name of another file means. When nothing is known it is just that name.
const Candidates& Evaluator::project_value(NameId qualified) {
    const auto [known, added] = project_values_.try_emplace(qualified);
    if (!added) return known->second;
    const std::string_view text = model_.names.text(qualified);
    Candidates& out = known->second;
    if (index() != nullptr) {
        for (const Meaning& meaning : index()->resolve(text)) merge(out, from_index(meaning));
    }
    if (out.empty()) {
        out.push_back({.name = qualified, .origin = Origin::project});
    } else {
        settle(out);
    }
    return out;
}

// Calling a function or class of another file.
void Evaluator::add_project_call(const Candidate& callee, Candidates& out) {
    if (index() == nullptr) {
        // Only the index can tell; until then the value is what calling it gives.
        if (!summarising_) return;
        merge(out, {.type = model_.names.child(callee.name, kCalled), .type_certainty = callee.certainty});
        return;
    }
    const auto [known, added] = project_results_.try_emplace(callee.name);
    if (added) known->second = index()->result_of(model_.names.text(callee.name));
    for (const Meaning& meaning : known->second) {
        Candidate result = from_index(meaning);
        result.certainty = weaker(result.certainty, callee.certainty);
        result.type_certainty = weaker(result.type_certainty, callee.certainty);
        merge(out, result);
    }
}

bool Evaluator::is_indexed_class(NameId name) const {
    return index() != nullptr && name != kNoName && index()->is_class(model_.names.text(name));
}

const ProjectIndex::Members& Evaluator::indexed_members(NameId class_name, std::string_view member) {
    const std::uint64_t key = FileModel::key(class_name, model_.names.intern_copy(member));
    const auto [known, added] = indexed_members_.try_emplace(key);
    if (added) known->second = index()->find_member(model_.names.text(class_name), member);
    return known->second;
}

// A member of a class of another file, or of an instance of it.
void Evaluator::add_indexed_member(const Candidate& object, NameId class_name, std::string_view member,
                                   Candidates& out) {
    const ProjectIndex::Members& members = indexed_members(class_name, member);
    for (const Meaning& meaning : members.found) {
        Candidate found = from_index(meaning);
        found.certainty = weaker(found.certainty, object.type_certainty);
        found.type_certainty = weaker(found.type_certainty, object.type_certainty);
        if (found.name == kNoName) {
            found.name = model_.names.child(class_name, member);
            found.is_value = true;
        }
        merge(out, found);
    }
    if (!members.found.empty()) return;
    if (!members.external.empty()) {
        const std::string_view owner = model_.facts.member_owner(members.external, member);
        if (!model_.facts.has_member(owner, member)) return;
        Candidate external = object;
        if (members.open) external.type_certainty = weaker(external.type_certainty, Certainty::likely);
        add_external_member(external, model_.names.intern_copy(members.external), member, out);
    } else if (!members.open) {
        merge(
            out,
            {.name = model_.names.child(class_name, member), .origin = Origin::local, .certainty = Certainty::likely});
    }
}

std::optional<Reference> Evaluator::indexed_class_reference(const Candidate& value) {
    const std::string_view name = model_.names.text(value.type);
    // A member that no class can have ends at the class outside the project, if there is one.
    const ProjectIndex::Members& members = indexed_members(value.type, kNoMember);
    if (!members.external.empty()) return Reference{members.external, Origin::external, value.type_certainty};
    if (members.open) return std::nullopt;
    return Reference{std::string(name), Origin::project, value.type_certainty};
}

}  // namespace migrator
