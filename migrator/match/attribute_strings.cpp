// getattr(torch, "cuda"): names that are written as strings.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

constexpr std::array<std::string_view, 4> kAttributeFunctions{"getattr", "hasattr", "setattr", "delattr"};

// The object whose attribute the literal names, or kNoNode.
NodeId object_of(const PythonFile& file, NodeId literal) {
    const SyntaxTree& tree = file.tree();
    NodeId list = tree.parent(literal);
    if (tree.kind(list) != NodeKind::argument_list || file.argument_position(literal) != 1) return kNoNode;
    NodeId function = tree.child(tree.parent(list), Field::function);
    if (function == kNoNode || tree.kind(function) != NodeKind::identifier) return kNoNode;
    bool known = base::contains(kAttributeFunctions, tree.text(function));
    if (!known) return kNoNode;
    for (const Reference& reference : file.bindings().references(function)) {
        if (reference.origin != Origin::builtin) return kNoNode;
    }
    for (NodeId argument : tree.named_children(list)) {
        if (tree.kind(argument) != NodeKind::comment) return argument;
    }
    return kNoNode;
}

// The qualified names of the object: what it refers to, or the class that has the member.
std::vector<Reference> names_of(const PythonFile& file, NodeId object, std::string_view member) {
    std::vector<Reference> names;
    for (const Reference& reference : file.bindings().references(object)) {
        if (reference.origin == Origin::external) names.push_back(reference);
    }
    if (auto type = file.bindings().type_of(object); names.empty() && type) {
        type->name = file.context().facts->member_owner(type->name, member);
        names.push_back(*type);
    }
    return names;
}

}  // namespace

namespace {

// getattr(torch, "cuda") -> any_device: the name stands somewhere else now.
std::optional<Fix> whole_call_fix(const PythonFile& file, NodeId literal, const NameRow& row) {
    const SyntaxTree& tree = file.tree();
    const NodeId call = tree.parent(tree.parent(literal));
    const std::string head = row.to->substr(0, row.to->find('.'));
    const auto& imports = row.rule->imports;
    const bool is_bound = std::any_of(imports.begin(), imports.end(),
                                      [&](const ImportRequest& request) { return request.module == head; });
    if (!is_bound || file.last_name(tree.child(call, Field::function)) != kAttributeFunctions.front())
        return std::nullopt;
    return Fix{{{tree.range(call), *row.to}}, imports};
}

}  // namespace

namespace {

// getattr(batch, "cuda")(), hasattr(batch, "cuda"): a member of an object of which no class is known.
void match_unknown_member(const PythonFile& file, const Literal& literal, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    const NodeId object = object_of(file, literal.node);
    if (object == kNoNode || file.bindings().type_of(object)) return;
    for (const Reference& reference : file.bindings().references(object)) {
        if (reference.origin != Origin::local) return;
    }
    const NodeId call = tree.parent(tree.parent(literal.node));
    const bool gets = file.last_name(tree.child(call, Field::function)) == kAttributeFunctions.front();
    for (const MethodRow& row : file.rules().methods.of(literal.text)) {
        if (!file.may_have_objects_of(row.when_imported)) continue;
        const bool is_called = !gets || file.call_of(call) != kNoNode;
        if (row.called && !is_called) continue;
        const bool may_be_own = file.is_project_member(row.called ? literal.text + "()" : literal.text);
        Finding finding = make_finding(*row.rule, tree.range(literal.node), literal.text,
                                       may_be_own ? Certainty::textual : Certainty::likely,
                                       row.fix ? row.fix->to() : std::string_view{}, {}, {});
        const auto content = literal.range_of(0, literal.text.size());
        if (row.fix && row.fix->is_plain() && content)
            finding.fix = Fix{{{*content, row.fix->rename}}, row.rule->imports};
        sink.push_back(std::move(finding));
    }
}

}  // namespace

bool names_attribute(const PythonFile& file, NodeId literal) { return object_of(file, literal) != kNoNode; }

std::vector<Reference> attribute_names(const PythonFile& file, const Literal& literal) {
    const NodeId object = object_of(file, literal.node);
    if (object == kNoNode) return {};
    std::vector<Reference> names = names_of(file, object, literal.text);
    for (Reference& reference : names) reference.name += "." + literal.text;
    return names;
}

void match_attribute_strings(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    for (const Literal& literal : literals) {
        const std::vector<Reference> names = attribute_names(file, literal);
        if (names.empty()) match_unknown_member(file, literal, sink);
        for (const Reference& named : names) {
            const std::string& qualified = named.name;
            const std::string owner = qualified.substr(0, qualified.size() - literal.text.size() - 1);
            const NameRow* row = file.rules().names.row(qualified);
            if (row == nullptr) continue;
            Finding finding = make_finding(*row->rule, file.tree().range(literal.node), qualified, named.certainty,
                                           row->to.value_or(""), row->note, row->source);
            finding.effort = row->effort;
            auto content = literal.range_of(0, literal.text.size());
            if (row->to && content) {
                // The object itself may get a new name as well; only the last part is written here.
                std::size_t dot = row->to->rfind('.');
                std::string parent = row->to->substr(0, dot);
                bool same_parent = parent == file.rules().names.renamed(owner) || parent == owner;
                if (same_parent) finding.fix = Fix{{{*content, row->to->substr(dot + 1)}}, row->rule->imports};
                else if (row->member) finding.fix.reset();
                else finding.fix = whole_call_fix(file, literal.node, *row);
            }
            sink.push_back(std::move(finding));
            break;
        }
    }
}

}  // namespace migrator
