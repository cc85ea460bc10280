#include <algorithm>

#include "migrator/match/words.h"

namespace migrator {
namespace {

// How sure it is that an object of which no class is known is one of the row's classes; nullopt: it is not.
std::optional<Certainty> certainty_of_unknown(const PythonFile& file, NodeId attribute, const MethodRow& row) {
    const SyntaxTree& tree = file.tree();
    const Bindings& bindings = file.bindings();
    NodeId object = file.skip_parentheses(tree.child(attribute, Field::object));
    // Something is known of it: it is a class of its own, a module, or a member that the file defines.
    if (!bindings.references(attribute).empty() || bindings.type_of(object)) return std::nullopt;
    for (const Reference& reference : bindings.references(object)) {
        if (reference.origin != Origin::local) return std::nullopt;
    }
    if (row.called && file.call_of(attribute) == kNoNode) return std::nullopt;
    if (tree.field(attribute) == Field::left && tree.kind(tree.parent(attribute)) == NodeKind::assignment)
        return std::nullopt;
    if (!file.imports_any(row.when_imported)) return std::nullopt;
    bool may_be_own = file.is_project_member(row.called ? row.name + "()" : row.name);
    return may_be_own ? Certainty::textual : Certainty::likely;
}

}  // namespace

void match_methods(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) != NodeKind::attribute) continue;
        NodeId name = tree.child(id, Field::attribute);
        if (name == kNoNode || tree.child(id, Field::object) == kNoNode) continue;
        for (const MethodRow& row : file.rules().methods(tree.text(name))) {
            auto certainty = certainty_of_unknown(file, id, row);
            if (!certainty) continue;
            Finding finding =
                make_finding(*row.rule, tree.range(name), row.name, *certainty, row.to.value_or(""), {}, {});
            if (certainty == Certainty::textual) {
                finding.severity = Severity::info;
                finding.message +=
                    " A class of this project defines the same name, and which object this is could not be seen.";
            }
            if (row.to) finding.fix = Fix{{{tree.range(name), *row.to}}, row.rule->imports};
            sink.push_back(std::move(finding));
        }
    }
}

}  // namespace migrator
