#include "migrator/match/python_file.h"

#include <algorithm>
#include <set>

namespace migrator {
namespace {

// "a.b" is "a" or in it.
bool is_within(std::string_view module, std::string_view ancestor) {
    return module.starts_with(ancestor) && (module.size() == ancestor.size() || module[ancestor.size()] == '.');
}

// The text between the quotes of a plain string node; nullopt with prefix, escapes or interpolation.
std::optional<std::string_view> plain_content(const SyntaxTree& tree, NodeId string) {
    NodeId first = tree.first_child(string);
    if (first == kNoNode || tree.text(first).find_first_not_of("'\"") != std::string_view::npos) return std::nullopt;
    NodeId content = tree.next_sibling(first);
    if (content == kNoNode || tree.kind(content) != NodeKind::string_content) return std::nullopt;
    return tree.text(content);
}

}  // namespace

PythonFile::PythonFile(std::string_view path, const SyntaxTree& tree, const Bindings& bindings,
                       const MatchContext& context)
    : path_(path), tree_(tree), bindings_(bindings), context_(context), own_members_(member_names(tree)) {
    find_target_mentions();
}

bool PythonFile::imports_any(std::span<const std::string> modules) const {
    return std::any_of(modules.begin(), modules.end(), [&](const std::string& module) {
        auto imports = bindings_.imports();
        return std::any_of(imports.begin(), imports.end(), [&](const ImportedName& import) {
            return !import.type_checking_only && (is_within(import.module, module) || import.qualified() == module);
        });
    });
}

std::string PythonFile::as_imported(const std::string& qualified) const {
    const bool in_package = !context_.helper_package.empty() && rules().style().is_of_helper(qualified);
    return in_package ? context_.helper_package + "." + qualified : qualified;
}

bool PythonFile::is_project_module(std::string_view module) const {
    auto modules = context_.module.project_modules;
    return std::binary_search(modules.begin(), modules.end(), module, std::less<>());
}

bool PythonFile::is_project_member(std::string_view member) const {
    return std::binary_search(context_.project_members.begin(), context_.project_members.end(), member,
                              std::less<>()) ||
           std::binary_search(own_members_.begin(), own_members_.end(), member, std::less<>());
}

NodeId PythonFile::chain_root(NodeId expression) const {
    while (tree_.kind(expression) == NodeKind::attribute) {
        NodeId object = tree_.child(expression, Field::object);
        if (object == kNoNode) break;  // in a part that does not parse
        expression = object;
    }
    return expression;
}

std::string_view PythonFile::last_name(NodeId expression) const {
    if (tree_.kind(expression) == NodeKind::identifier) return tree_.text(expression);
    if (tree_.kind(expression) != NodeKind::attribute) return {};
    NodeId attribute = tree_.child(expression, Field::attribute);
    return attribute == kNoNode ? std::string_view{} : tree_.text(attribute);
}

NodeId PythonFile::skip_parentheses(NodeId expression) const {
    while (tree_.kind(expression) == NodeKind::parenthesized_expression) {
        std::vector<NodeId> inner = tree_.named_children(expression);
        std::erase_if(inner, [&](NodeId id) { return tree_.kind(id) == NodeKind::comment; });
        if (inner.size() != 1) break;
        expression = inner.front();
    }
    return expression;
}

bool PythonFile::has_external_reference(NodeId expression) const {
    auto references = bindings_.references(expression);
    return std::any_of(references.begin(), references.end(),
                       [](const Reference& reference) { return reference.origin == Origin::external; });
}

NodeId PythonFile::call_of(NodeId function) const {
    NodeId parent = tree_.parent(function);
    if (parent == kNoNode || tree_.kind(parent) != NodeKind::call) return kNoNode;
    return tree_.field(function) == Field::function ? parent : kNoNode;
}

std::optional<std::size_t> PythonFile::argument_position(NodeId argument) const {
    std::size_t position = 0;
    for (NodeId id : tree_.named_children(tree_.parent(argument))) {
        if (id == argument) return position;
        if (tree_.kind(id) == NodeKind::list_splat) return std::nullopt;
        if (tree_.kind(id) != NodeKind::comment && tree_.kind(id) != NodeKind::keyword_argument) ++position;
    }
    return std::nullopt;
}

std::span<const NodeId> PythonFile::identifiers(std::string_view text) const {
    if (identifiers_.empty()) {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::identifier) identifiers_[tree_.text(id)].push_back(id);
        }
        identifiers_[{}] = {};  // so that a file without identifiers is walked once only
    }
    auto found = identifiers_.find(text);
    if (found == identifiers_.end()) return {};
    return found->second;
}

void PythonFile::find_target_mentions() {
    std::set<std::string_view> targets;
    for (const ValueRow& row : rules().values()) {
        for (const auto& [from, to] : row.replace) targets.insert(to);
    }
    for (NodeId id = 0; id < tree_.size(); ++id) {
        if (tree_.kind(id) != NodeKind::string) continue;
        auto content = plain_content(tree_, id);
        if (content && targets.contains(content->substr(0, content->find(':'))))
            mentions_.push_back(tree_.range(id).begin);
    }
    const auto& guards = rules().adapted().guards;
    for (NodeId id : bindings_.external_expressions()) {
        for (const Reference& reference : bindings_.references(id)) {
            if (std::find(guards.begin(), guards.end(), reference.name) == guards.end()) continue;
            guards_.push_back(id);
            mentions_.push_back(tree_.range(id).begin);
        }
    }
    std::sort(mentions_.begin(), mentions_.end());
}

bool PythonFile::mentions_target(base::ByteRange range) const {
    auto at = std::lower_bound(mentions_.begin(), mentions_.end(), range.begin);
    return at != mentions_.end() && *at < range.end;
}

bool PythonFile::guard_below(NodeId node) const {
    return std::any_of(guards_.begin(), guards_.end(), [&](NodeId guard) { return tree_.is_ancestor(node, guard); });
}

// Entries of a mapping are told apart by the keys, if these are names that may get another one; else by the values.
Field PythonFile::compared_side(NodeId pair, NodeId node) const {
    NodeId key = tree_.child(pair, Field::key);
    NodeId value = tree_.child(pair, Field::value);
    if (value == kNoNode || !tree_.is_ancestor(value, node)) return Field::key;
    auto content = key != kNoNode && tree_.kind(key) == NodeKind::string ? plain_content(tree_, key) : std::nullopt;
    auto renames = [&](const ValueRow& row) { return row.replace.contains(*content); };
    return content && std::any_of(rules().values().begin(), rules().values().end(), renames) ? Field::key
                                                                                             : Field::value;
}

bool PythonFile::is_adapted(NodeId node) const {
    if (mentions_.empty()) return false;
    auto condition_mentions = [&](NodeId branch) {
        NodeId condition = tree_.child(branch, Field::condition);
        return condition != kNoNode && mentions_target(tree_.range(condition));
    };
    for (NodeId child = node, at = tree_.parent(node); at != kNoNode; child = at, at = tree_.parent(at)) {
        switch (tree_.kind(at)) {
            case NodeKind::boolean_operator:
            case NodeKind::conditional_expression:
                if (mentions_target(tree_.range(at))) return true;
                break;
            case NodeKind::list:
            case NodeKind::tuple:
            case NodeKind::set:
                for (NodeId item : tree_.named_children(at)) {
                    if (tree_.kind(item) == NodeKind::string && mentions_target(tree_.range(item))) return true;
                }
                break;
            case NodeKind::dictionary:
                for (NodeId pair : tree_.named_children(at)) {
                    NodeId side = tree_.child(pair, compared_side(child, node));
                    if (side != kNoNode && tree_.kind(side) == NodeKind::string && mentions_target(tree_.range(side)))
                        return true;
                }
                break;
            case NodeKind::if_statement:
                if (condition_mentions(at)) return true;
                for (NodeId part : tree_.named_children(at)) {
                    if (tree_.kind(part) == NodeKind::elif_clause && condition_mentions(part)) return true;
                }
                break;
            case NodeKind::function_definition: return guard_below(at);
            default: break;
        }
    }
    return false;
}

std::vector<std::string> member_names(const SyntaxTree& tree) {
    std::set<std::string> names;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) == NodeKind::assignment) {
            NodeId left = tree.child(id, Field::left);
            if (left == kNoNode) continue;
            bool in_class = tree.kind(left) == NodeKind::identifier &&
                            tree.kind(tree.parent(tree.parent(id))) == NodeKind::block &&
                            tree.kind(tree.parent(tree.parent(tree.parent(id)))) == NodeKind::class_definition;
            if (tree.kind(left) == NodeKind::attribute) left = tree.child(left, Field::attribute);
            else if (!in_class) continue;
            if (left != kNoNode) names.emplace(tree.text(left));
        } else if (tree.kind(id) == NodeKind::function_definition || tree.kind(id) == NodeKind::class_definition) {
            NodeId owner = tree.ancestor(id, NodeKind::class_definition);
            NodeId function = tree.ancestor(id, NodeKind::function_definition);
            // The nearest of the two: a function inside a method is not a member.
            if (owner == kNoNode || (function != kNoNode && function > owner)) continue;
            NodeId identifier = tree.child(id, Field::name);
            if (identifier == kNoNode) continue;
            names.emplace(tree.text(identifier));
            names.insert(std::string(tree.text(identifier)) + "()");
        }
    }
    return {names.begin(), names.end()};
}

Finding make_finding(const Rule& rule, base::ByteRange range, std::string subject, Certainty certainty,
                     std::string_view to, std::string_view note, std::string_view source) {
    Finding finding;
    finding.rule = rule.id;
    finding.kind = rule.kind;
    finding.severity = rule.severity;
    finding.certainty = certainty;
    finding.range = range;
    finding.message = fill_message(rule.message, subject, to, note);
    finding.subject = std::move(subject);
    finding.source = source.empty() ? rule.source : std::string(source);
    finding.at_run_time = rule.at_run_time;
    return finding;
}

}  // namespace migrator
