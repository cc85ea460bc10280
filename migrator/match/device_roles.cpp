#include "migrator/match/device_roles.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "migrator/match/guarded_code.h"

namespace migrator {
namespace {

// "--device" of add_argument("-d", "--device", default="cuda"): the longest of its names.
std::string_view option_of(const SyntaxTree& tree, NodeId arguments) {
    std::string_view out;
    for (const NodeId argument : tree.named_children(arguments)) {
        if (tree.kind(argument) != NodeKind::string) continue;
        const std::string_view name = base::trimmed(tree.text(argument), "\"'");
        if (name.starts_with('-') && name.size() > out.size()) out = name;
    }
    return out;
}

// "DEVICE" of os.environ.get("DEVICE", "cuda").
std::string_view variable_of(const PythonFile& file, NodeId call) {
    const SyntaxTree& tree = file.tree();
    const NodeId function = tree.child(call, Field::function);
    const bool looks_up =
        function != kNoNode && std::ranges::any_of(file.bindings().references(function), [&](const Reference& one) {
            return base::contains(file.rules().adapted.variable_lookups, one.name);
        });
    const NodeList arguments = looks_up ? tree.named_children(tree.child(call, Field::arguments)) : NodeList{};
    if (arguments.size() != 2 || tree.kind(arguments[0]) != NodeKind::string) return {};
    return base::trimmed(tree.text(arguments[0]), "\"'");
}

// device="cuda"
bool is_taken_as(const PythonFile& file, const Finding& finding, std::string_view keyword) {
    return std::ranges::any_of(file.rules().values, [&](const ValueRow& row) {
        return row.rule->id == finding.rule && row.is_carrier(keyword);
    });
}

// torch.ones(1, "cuda"), x.to("cuda"), make("cuda"); not os.environ.get("DEVICE", "cuda").
bool is_taken_by(const PythonFile& file, NodeId call) {
    const NodeId function = file.tree().child(call, Field::function);
    if (function == kNoNode) return false;
    if (base::contains(file.rules().adapted.default_lookups, file.last_name(function))) return false;
    return std::ranges::none_of(file.bindings().references(function), [&](const Reference& reference) {
        const auto is_part = [&](const std::string& module) { return is_within(reference.name, module); };
        return reference.origin == Origin::builtin || (reference.origin == Origin::external &&
                                                       std::ranges::none_of(file.rules().framework.loaded_by, is_part));
    });
}

// The call of a function of the project.
bool is_own_call(const PythonFile& file, NodeId call) {
    const NodeId function =
        file.tree().kind(call) == NodeKind::call ? file.tree().child(call, Field::function) : kNoNode;
    return function != kNoNode && std::ranges::any_of(file.bindings().references(function), [](const Reference& one) {
               return one.origin == Origin::project || one.origin == Origin::local;
           });
}

// Nodes of an if statement that are searched for an end of the program; a longer one counts as if it had one.
constexpr NodeId kMostNodes = 512;

// Whether the statement that asks ends the program where the answer is no, or yes.
bool ends_without(const SyntaxTree& tree, NodeId question) {
    if (tree.ancestor(question, NodeKind::assert_statement) != kNoNode) return true;
    const NodeId statement = tree.ancestor(question, NodeKind::if_statement);
    if (statement == kNoNode) return false;
    const NodeId end = std::min(tree.subtree_end(statement), statement + kMostNodes);
    for (NodeId id = statement; id < end; ++id) {
        if (ends_run(tree, id)) return true;
    }
    return end < tree.subtree_end(statement);
}

}  // namespace

NodeId literal_at(const SyntaxTree& tree, NodeId node) {
    return tree.kind(node) == NodeKind::string ? node : tree.ancestor(node, NodeKind::string);
}

bool is_handed_over(const PythonFile& file, const Finding& finding, NodeId literal) {
    const SyntaxTree& tree = file.tree();
    const NodeId parent = tree.parent(literal);
    switch (tree.kind(parent)) {
        case NodeKind::keyword_argument: return is_taken_as(file, finding, tree.text(tree.child(parent, Field::name)));
        case NodeKind::argument_list: return is_taken_by(file, tree.parent(parent));
        case NodeKind::assignment: return file.bindings().binding_sites(tree.child(parent, Field::left)).size() == 1;
        case NodeKind::return_statement: return tree.ancestor(parent, NodeKind::class_definition) == kNoNode;
        default: return false;
    }
}

bool asks_for_device(const PythonFile& file, const Finding& finding) {
    const NameRow* row = file.rules().names.row(finding.subject);
    return row != nullptr && row->on_npu && base::contains(file.rules().adapted.guards, *row->on_npu);
}

bool is_of_class(const SyntaxTree& tree, NodeId assignment) {
    const NodeId around = tree.ancestor(assignment, NodeKind::class_definition);
    const NodeId function = tree.ancestor(assignment, NodeKind::function_definition);
    return around != kNoNode && (function == kNoNode || function < around);
}

bool is_assumed(const SyntaxTree& tree, NodeId use) {
    const NodeId literal = literal_at(tree, use);
    if (literal == kNoNode) return false;
    const NodeId parent = tree.parent(literal);
    switch (tree.kind(parent)) {
        case NodeKind::default_parameter:
        case NodeKind::typed_default_parameter:
        case NodeKind::binary_operator: return true;
        case NodeKind::pair: return tree.field(literal) == Field::value;
        case NodeKind::assignment: return is_of_class(tree, parent);
        default: return false;
    }
}

bool is_given_by_project(const PythonFile& file, NodeId use) {
    const SyntaxTree& tree = file.tree();
    const NodeId function = tree.kind(use) == NodeKind::call ? tree.child(use, Field::function) : use;
    if (function == kNoNode) return false;
    const NodeId root = file.chain_root(function);
    if (root != function && is_own_call(file, root)) return true;
    return tree.kind(root) == NodeKind::identifier &&
           std::ranges::any_of(file.bindings().binding_sites(root), [&](const BindingSite& site) {
               return site.value != kNoNode && is_own_call(file, site.value);
           });
}

bool is_only_named(const PythonFile& file, const Finding& finding) {
    // A package has to be there to be imported.
    const bool is_package = finding.kind == FindingKind::third_party || finding.kind == FindingKind::cuda_extension;
    if (is_package || finding.range.size() == 0) return false;
    if (base::contains(file.rules().adapted.harmless, finding.subject)) return true;
    const SyntaxTree& tree = file.tree();
    const NodeId use = tree.smallest_at(finding.range);
    if (asks_for_device(file, finding) && is_asked(tree, whole_call(file, use))) return !ends_without(tree, use);
    NodeId child = tree.kind(use) == NodeKind::string_content ? tree.parent(use) : use;
    if (tree.kind(child) == NodeKind::call) return false;
    for (NodeId at = tree.parent(child); at != kNoNode; child = at, at = tree.parent(at)) {
        switch (tree.kind(at)) {
            case NodeKind::attribute:
            case NodeKind::dotted_name:
            case NodeKind::aliased_import: continue;
            case NodeKind::import_statement:
            case NodeKind::import_from_statement:
            case NodeKind::type:
            case NodeKind::tuple:
            case NodeKind::list:
            case NodeKind::set:
            case NodeKind::pair: return true;
            // torch.backends.cudnn.benchmark = True
            case NodeKind::assignment: return tree.field(child) == Field::left;
            case NodeKind::comparison_operator: return tree.ancestor(at, NodeKind::assert_statement) == kNoNode;
            default: return false;
        }
    }
    return false;
}

std::string told_instead(const PythonFile& file, const AdaptedCode& adapted, const Finding& finding) {
    const SyntaxTree& tree = file.tree();
    const NodeId literal = literal_at(tree, tree.smallest_at(finding.range));
    const std::optional<std::string> target = literal == kNoNode ? std::nullopt : adapted.target_of(literal);
    if (!target) return {};
    const NodeId parent = tree.parent(literal);
    if (tree.kind(parent) == NodeKind::argument_list) {
        const std::string_view variable =
            file.argument_position(literal) == 1 ? variable_of(file, tree.parent(parent)) : std::string_view();
        return variable.empty() ? "" : base::format("{}={}", variable, *target);
    }
    if (tree.kind(parent) != NodeKind::keyword_argument) return {};
    const std::string_view keyword = tree.text(tree.child(parent, Field::name));
    if (!base::contains(file.rules().adapted.default_keywords, keyword)) return {};
    const std::string_view option = option_of(tree, tree.parent(parent));
    return option.empty() ? "" : base::format("{} {}", option, *target);
}

}  // namespace migrator
