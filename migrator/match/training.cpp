// What is said of training loops: calls and indexes that cost time in them, and the loop itself.
#include <algorithm>

#include "migrator/match/matchers.h"
#include "migrator/python/training_code.h"

namespace migrator {
namespace {

NodeId first_argument(const SyntaxTree& tree, NodeId call) {
    const NodeId list = tree.child(call, Field::arguments);
    if (list == kNoNode) return kNoNode;
    const NodeList arguments = tree.named_children(list);
    return arguments.empty() ? kNoNode : arguments.front();
}

bool is_given(const PythonFile& file, NodeId call, const CallRow& row) {
    if (row.given.empty()) return true;
    const NodeId argument = first_argument(file.tree(), call);
    if (argument == kNoNode) return false;
    const auto type = file.bindings().type_of(argument);
    return type && base::contains(row.given, type->name);
}

bool holds_one(const PythonFile& file, NodeId call, const CallRow& row) {
    const NodeId list = file.tree().child(call, Field::arguments);
    if (row.holds.empty() || list == kNoNode) return row.holds.empty();
    return std::ranges::any_of(row.holds, [&](const std::string& name) {
        const auto all = file.identifiers(name);
        const auto first = std::ranges::lower_bound(all, list);
        return first != all.end() && *first < file.tree().subtree_end(list);
    });
}

// `function`: the outermost one around the call.
bool is_inside_one(const PythonFile& file, NodeId function, const std::vector<std::string>& words) {
    if (words.empty() || function == kNoNode) return false;
    const SyntaxTree& tree = file.tree();
    const NodeId owner = tree.ancestor(function, NodeKind::class_definition);
    return has_word(tree.text(tree.child(function, Field::name)), words) ||
           (owner != kNoNode && has_word(tree.text(tree.child(owner, Field::name)), words));
}

// A comparison, or a variable that only ever holds one.
bool is_comparison(const PythonFile& file, NodeId expression) {
    const SyntaxTree& tree = file.tree();
    expression = file.skip_parentheses(expression);
    const NodeKind kind = tree.kind(expression);
    if (kind == NodeKind::comparison_operator) return true;
    if (kind == NodeKind::unary_operator || kind == NodeKind::binary_operator) {
        const NodeList parts = tree.named_children(expression);
        const NodeId sign = tree.child(expression, Field::operator_);
        const std::string_view text = sign == kNoNode ? std::string_view{} : tree.text(sign);
        const bool combines = kind == NodeKind::unary_operator ? text == "~" : text == "&" || text == "|";
        return combines && std::all_of(parts.begin(), parts.end(), [&](NodeId part) {
                   const NodeId inner = file.skip_parentheses(part);
                   return tree.kind(inner) == NodeKind::comparison_operator ||
                          (tree.kind(inner) == NodeKind::identifier && is_comparison(file, inner));
               });
    }
    if (kind != NodeKind::identifier) return false;
    const BindingSites sites = file.bindings().binding_sites(expression);
    return !sites.empty() && sites.size() <= kMaxBindingSites &&
           std::all_of(sites.begin(), sites.end(), [&](const BindingSite& site) {
               return site.value != kNoNode &&
                      tree.kind(file.skip_parentheses(site.value)) == NodeKind::comparison_operator;
           });
}

// `mean` of `x[m].mean()`; empty elsewhere.
std::string_view member_called_on(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    const NodeId attribute = tree.parent(value);
    if (tree.kind(attribute) != NodeKind::attribute || tree.field(value) != Field::object) return {};
    const NodeId call = tree.parent(attribute);
    const bool is_called = tree.kind(call) == NodeKind::call && tree.field(attribute) == Field::function;
    return is_called ? file.last_name(attribute) : std::string_view{};
}

// What is picked from is known to be something else, as an array of numpy.
bool is_no_tensor(const PythonFile& file, NodeId subscript) {
    const NodeId value = file.tree().child(subscript, Field::value);
    const auto type = value == kNoNode ? std::nullopt : file.bindings().type_of(value);
    return type && type->name != file.rules().tensors.type;
}

// The code of a file that each round of a training loop runs, or runs when it calls the function around.
class EachRound {
public:
    explicit EachRound(const PythonFile& file)
        : file_(file),
          around_(functions_around(file.tree())),
          in_loop_(nodes_of_each_round(file.tree(), parts_of(file.training_loops()))),
          in_call_(nodes_of_each_round(file.tree(), {around_.begin(), around_.end()})) {}

    bool may_have(Finding& finding) const {
        const NodeId node = file_.tree().smallest_at(finding.range);
        if (in_loop_[node]) return true;
        if (!in_call_[node]) return false;
        std::string function = file_.bindings().shared_name(file_.tree().child(around_[node], Field::name));
        if (function.empty()) return false;
        finding.needs_training = std::make_shared<const std::string>(std::move(function));
        return true;
    }

private:
    const PythonFile& file_;
    std::vector<NodeId> around_;
    std::vector<bool> in_loop_;
    std::vector<bool> in_call_;
};

}  // namespace

void match_calls(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    const std::vector<NodeId> around = functions_around(tree);
    for (NodeId id = 0; id < tree.size(); ++id) {
        const NodeId function = tree.kind(id) == NodeKind::call ? tree.child(id, Field::function) : kNoNode;
        if (function == kNoNode) continue;
        auto add = [&](const CallRow& row, std::string name, Certainty certainty) {
            // Of `x.cpu().item()` the whole is said, not its beginning once more.
            const bool is_beginning =
                !sink.empty() && sink.back().rule == row.rule->id && sink.back().range.begin == tree.range(id).begin;
            if (!is_beginning && is_given(file, id, row) && holds_one(file, id, row) &&
                (row.inside.empty() || is_inside_one(file, around[id], row.inside)) &&
                !is_inside_one(file, around[id], row.not_inside))
                sink.push_back(make_finding(*row.rule, tree.range(id), std::move(name), certainty, {}, {}, {}));
        };
        const auto references = file.bindings().references(function);
        for (const Reference& reference : references) {
            if (reference.origin != Origin::external && reference.origin != Origin::builtin) continue;
            for (const CallRow& row : file.rules().calls.of(reference.name))
                add(row, reference.name, reference.certainty);
        }
        if (tree.kind(function) != NodeKind::attribute || !references.empty()) continue;
        for (const CallRow& row : file.rules().method_calls.of(file.last_name(function))) {
            if (file.imports_any(row.when_imported)) add(row, std::string(file.last_name(function)), Certainty::likely);
        }
    }
}

void match_indexes(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    std::vector<const IndexRow*> rows;
    for (const IndexRow& row : file.rules().indexes) {
        if (file.imports_any(row.when_imported)) rows.push_back(&row);
    }
    // What is more exact comes first, and says all.
    std::stable_partition(rows.begin(), rows.end(), [](const IndexRow* row) { return !row->reduced.empty(); });
    for (NodeId id = 0; id < tree.size() && !rows.empty(); ++id) {
        if (tree.kind(id) != NodeKind::subscript) continue;
        const NodeId index = tree.child(id, Field::subscript);
        if (index == kNoNode || !is_comparison(file, index)) continue;
        const std::string_view member = member_called_on(file, id);
        for (const IndexRow* row : rows) {
            if (!row->reduced.empty() && (!base::contains(row->reduced, member) || is_no_tensor(file, id))) continue;
            sink.push_back(
                make_finding(*row->rule, tree.range(id), std::string(tree.text(id)), Certainty::likely, {}, {}, {}));
            if (!row->reduced.empty()) break;
        }
    }
}

void match_training(const PythonFile& file, FindingSink& sink) {
    const SyntaxTree& tree = file.tree();
    for (const TrainingRow& row : file.rules().trainings) {
        const auto& loops = file.training_loops();
        const auto loop = std::find_if(loops.begin(), loops.end(),
                                       [&](const TrainingLoop& one) { return one.accumulates || !row.accumulates; });
        if (loop == loops.end()) continue;
        const auto names = file.bindings().external_expressions();
        const bool uses = std::any_of(names.begin(), names.end(), [&](NodeId node) {
            const auto references = file.bindings().references(node);
            return std::any_of(references.begin(), references.end(),
                               [&](const Reference& reference) { return base::contains(row.uses, reference.name); });
        });
        if (!uses && !row.uses.empty()) continue;
        const std::uint64_t begin = tree.range(loop->loop).begin;
        const std::uint64_t end = tree.range(tree.child(loop->loop, Field::body)).begin;
        sink.push_back(make_finding(*row.rule, {begin, std::min(end, tree.source().find('\n', begin))}, "training loop",
                                    Certainty::resolved, {}, {}, {}));
    }
}

void keep_in_place(const PythonFile& file, FindingSink& sink) {
    std::optional<EachRound> each_round;
    std::erase_if(sink, [&](Finding& finding) {
        const Rule* rule = file.rules().find_rule(finding.rule);
        if (rule == nullptr || rule->in == RulePlace::anywhere) return false;
        if (file.context().loops == nullptr) return true;
        if (rule->in == RulePlace::training_program) {
            if (file.training_loops().empty()) finding.needs_training = std::make_shared<const std::string>();
            return false;
        }
        if (!each_round) each_round.emplace(file);
        return !each_round->may_have(finding);
    });
}

}  // namespace migrator
