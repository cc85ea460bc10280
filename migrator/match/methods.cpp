#include <algorithm>

#include "migrator/match/matchers.h"
#include "migrator/match/member_edits.h"
#include "migrator/semantic/project_index.h"

namespace migrator {
namespace {

// Names from nowhere, or from a star import that we cannot see into: only their text is known.
bool only_text(std::span<const Reference> references) {
    return std::all_of(references.begin(), references.end(), [](const Reference& reference) {
        return reference.origin == Origin::external && reference.certainty == Certainty::textual;
    });
}

// Something of another package, of which the rules do not speak: it may be anything.
bool is_foreign(const PythonFile& file, std::span<const Reference> references) {
    const auto& loaders = file.rules().framework.loaded_by;
    return !references.empty() && std::ranges::all_of(references, [&](const Reference& reference) {
        return reference.origin == Origin::external && file.rules().names.row(reference.name) == nullptr &&
               std::ranges::none_of(loaders, [&](const auto& module) { return is_within(reference.name, module); });
    });
}

// A class of the project that hands on what it has not itself, as by __getattr__: an object of it may stand for any other.
bool hands_on(const PythonFile& file, const Reference& type, std::string_view member) {
    const ProjectIndex* index = file.context().module.index;
    return index != nullptr && type.origin == Origin::project && index->is_class(type.name) &&
           !index->find_member(type.name, "__getattr__").found.empty() &&
           index->find_member(type.name, member).found.empty();
}

// How sure it is that an object of which no class is known is one of the row's classes; nullopt: it is not.
std::optional<Certainty> certainty_of_unknown(const PythonFile& file, NodeId attribute, const MethodRow& row) {
    const SyntaxTree& tree = file.tree();
    const Bindings& bindings = file.bindings();
    NodeId object = file.skip_parentheses(tree.child(attribute, Field::object));
    // Something is known of it: it is a class of its own, a module, or a member that the file defines.
    const std::optional<Reference> type = bindings.type_of(object);
    if (type && !hands_on(file, *type, tree.text(tree.child(attribute, Field::attribute)))) return std::nullopt;
    const auto of_object = bindings.references(object);
    const bool may_be_anything = row.telling && is_foreign(file, of_object);
    if (!only_text(bindings.references(attribute)) && !may_be_anything) return std::nullopt;
    const bool from_nowhere = !of_object.empty() && only_text(of_object);
    for (const Reference& reference : of_object) {
        if (reference.origin != Origin::local && !from_nowhere && !may_be_anything) return std::nullopt;
    }
    if (row.called && file.call_of(attribute) == kNoNode) return std::nullopt;
    if (tree.field(attribute) == Field::left && tree.kind(tree.parent(attribute)) == NodeKind::assignment)
        return std::nullopt;
    if (!file.may_have_objects_of(row.when_imported))
        return row.telling ? std::optional(Certainty::textual) : std::nullopt;
    const std::string member(file.tree().text(file.tree().child(attribute, Field::attribute)));
    bool may_be_own = file.is_project_member(row.called ? member + "()" : member);
    return may_be_own || from_nowhere || may_be_anything ? Certainty::textual : Certainty::likely;
}

}  // namespace

void match_methods(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::attribute) continue;
        NodeId name = tree.child(id, Field::attribute);
        if (name == kNoNode || tree.child(id, Field::object) == kNoNode) continue;
        for (const MethodRow& row : file.rules().methods.of(tree.text(name))) {
            auto certainty = certainty_of_unknown(file, id, row);
            if (!certainty) continue;
            Finding finding = make_finding(*row.rule, tree.range(name), std::string(tree.text(name)), *certainty,
                                           row.fix ? row.fix->to() : std::string_view{}, {}, {});
            if (certainty == Certainty::textual)
                finding.message.add(
                    "Which object this is could not be seen; it may be something of the project's own: change it where "
                    "it is a tensor or a module of torch.");
            if (auto edits = row.fix ? member_edits(file, id, *row.fix, false) : std::nullopt)
                finding.fix = Fix{std::move(*edits), row.rule->imports};
            sink.push_back(std::move(finding));
        }
    }
}

}  // namespace migrator
