#include "migrator/python/python_file.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "migrator/pattern/operations.h"

namespace migrator {
namespace {

// A value of ordinary code needs a few dozen, and few nodes of a file are values.
constexpr std::size_t kFreeSteps = 100'000;
constexpr std::size_t kStepsPerNode = 32;

}  // namespace

PythonFile::PythonFile(std::string_view path, const SyntaxTree& tree, const Bindings& bindings,
                       const MatchContext& context)
    : path_(path),
      tree_(tree),
      bindings_(bindings),
      context_(context),
      own_members_(member_names(tree)),
      loads_framework_(loads_framework(bindings, context)),
      steps_(kFreeSteps, kStepsPerNode, tree.size()) {}

bool PythonFile::imports_any(std::span<const std::string> modules) const {
    return std::any_of(modules.begin(), modules.end(), [&](const std::string& module) {
        const bool is_framework = loads_framework_ && module == rules().framework.loaded_by.front();
        return is_framework || imports_module(bindings_, module);
    });
}

bool PythonFile::may_have_objects_of(std::span<const std::string> modules) const {
    const std::string& framework = rules().framework.loaded_by.front();
    const bool is_given = context_.is_beside_framework && base::contains(modules, framework);
    return is_given || imports_any(modules);
}

std::string PythonFile::as_imported(const std::string& qualified) const {
    const bool in_package = !context_.helper_package.empty() && rules().style.is_of_helper(qualified);
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

NodeId PythonFile::whole_name(NodeId identifier) const {
    const NodeId parent = tree_.parent(identifier);
    const bool ends_attribute =
        tree_.kind(parent) == NodeKind::attribute && tree_.field(identifier) == Field::attribute;
    return ends_attribute ? parent : identifier;
}

NodeId PythonFile::skip_parentheses(NodeId expression) const { return migrator::skip_parentheses(tree_, expression); }

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
    if (!argument_positions_) {
        argument_positions_.emplace();
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::argument_list) note_argument_positions(id);
        }
    }
    const auto found = argument_positions_->find(argument);
    return found == argument_positions_->end() ? std::nullopt : std::optional(found->second);
}

void PythonFile::note_argument_positions(NodeId list) const {
    std::size_t position = 0;
    for (NodeId id = tree_.first_child(list); id != kNoNode; id = tree_.next_sibling(id)) {
        if (!tree_.named(id)) continue;
        argument_positions_->emplace(id, position);
        if (tree_.kind(id) == NodeKind::list_splat) return;
        if (tree_.kind(id) != NodeKind::comment && tree_.kind(id) != NodeKind::keyword_argument) ++position;
    }
}

const PythonFile::Identifiers& PythonFile::identifiers() const {
    if (identifiers_.empty()) {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) == NodeKind::identifier) identifiers_[tree_.text(id)].push_back(id);
        }
        identifiers_[{}] = {};  // so that a file without identifiers is walked once only
    }
    return identifiers_;
}

std::span<const NodeId> PythonFile::identifiers(std::string_view text) const {
    const auto found = identifiers().find(text);
    if (found == identifiers_.end()) return {};
    return found->second;
}

std::span<const NodeId> PythonFile::key_texts(std::string_view text) const {
    if (key_texts_.empty()) {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) != NodeKind::string) continue;
            const NodeKind around = tree_.kind(tree_.parent(id));
            const std::string_view written = tree_.text(id);
            const bool is_plain = written.size() > 2 && (written.front() == '"' || written.front() == '\'');
            if (is_plain && (around == NodeKind::subscript || around == NodeKind::argument_list))
                key_texts_[written.substr(1, written.size() - 2)].push_back(id);
        }
        key_texts_[{}] = {};  // so that a file without them is walked once only
    }
    const auto found = key_texts_.find(text);
    return found == key_texts_.end() ? std::span<const NodeId>() : found->second;
}

const ImportIndex& PythonFile::import_index() const {
    if (!import_index_) import_index_.emplace(bindings_.imports());
    return *import_index_;
}

const base::LineIndex& PythonFile::lines() const {
    if (!lines_) lines_.emplace(tree_.source());
    return *lines_;
}

std::uint32_t PythonFile::line_of(NodeId node) const { return lines().position(tree_.range(node).begin).line; }

const std::vector<TrainingLoop>& PythonFile::training_loops() const {
    if (!training_loops_) {
        training_loops_.emplace();
        if (context_.loops != nullptr)
            *training_loops_ = find_training_loops(Script(tree_, bindings_), *context_.loops);
    }
    return *training_loops_;
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
                     std::string_view to, const base::Message& note, std::string_view source) {
    Finding finding;
    finding.rule = rule.id;
    finding.kind = rule.kind;
    finding.severity = rule.severity;
    finding.certainty = certainty;
    finding.range = range;
    finding.message = fill_message(rule.message, subject, to, note);
    finding.message.add(rule.remark);
    finding.subject = std::move(subject);
    finding.source = source.empty() ? rule.source : std::string(source);
    finding.effort = rule.effort;
    finding.at_run_time = rule.at_run_time;
    return finding;
}

void add_use_count(Finding& finding, std::size_t count) {
    if (count > 1) finding.message.add({"Used {count} times in this file.", {{"count", std::to_string(count)}}});
}

}  // namespace migrator
