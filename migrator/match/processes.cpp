// Where a process that works with the device of its own number begins, and has not chosen the device.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "base/text.h"
#include "migrator/loops/script.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

class ProcessMatcher {
public:
    ProcessMatcher(const PythonFile& file, const ProcessRow& row, FindingSink& sink)
        : script_(file.tree(), file.bindings()), tree_(file.tree()), row_(row), sink_(sink) {}

    void run() {
        std::vector<NodeId> joining, starting;
        for (const NodeId call : script_.all(NodeKind::call)) {
            const NodeId function = tree_.child(call, Field::function);
            if (script_.means(function, row_.joins)) joining.push_back(call);
            if (script_.means(function, row_.starts)) starting.push_back(call);
        }
        if (joining.size() + starting.size() > kMaxBeginnings) return;
        for (const NodeId call : starting) begin_with(first_function(call));
        for (const NodeId call : joining) begin_behind(call);
    }

private:
    // A file with more of them is no program; each is followed to the end of its function.
    static constexpr std::size_t kMaxBeginnings = 16;

    void begin_behind(NodeId call) {
        const NodeId statement = tree_.parent(call);
        const NodeId function = script_.function_of(call);
        const bool is_plain = tree_.kind(statement) == NodeKind::expression_statement && starts_line(statement);
        if (!is_plain || begun_.contains(function)) return;
        const NodeId block = function == kNoNode ? tree_.root() : tree_.child(function, Field::body);
        const auto number = number_behind(statement, block);
        if (!number) return;
        const NodeId behind = number->bound_by == kNoNode ? statement : number->bound_by;
        const NodeId around = tree_.parent(behind);
        if (around != block && around != tree_.parent(statement)) return;
        if (begun_.insert(function).second) add(behind, number->text, script_.line_end(tree_.range(behind).end));
    }

    // The function of this file that the started processes run.
    NodeId first_function(NodeId call) const {
        const NodeList arguments = tree_.named_children(tree_.child(call, Field::arguments));
        if (arguments.empty()) return kNoNode;
        const std::string_view name = tree_.text(arguments.front());
        for (const NodeId statement : tree_.named_children(tree_.root())) {
            if (tree_.kind(statement) == NodeKind::function_definition &&
                tree_.text(tree_.child(statement, Field::name)) == name)
                return statement;
        }
        return kNoNode;
    }

    // In front of the first statement that is no documentation, with the number that the process gets.
    void begin_with(NodeId function) {
        if (function == kNoNode || !begun_.insert(function).second) return;
        const std::vector<std::string> parameters = script_.parameters_of(function);
        const NodeId block = tree_.child(function, Field::body);
        if (parameters.empty() || block == kNoNode) return;
        NodeId first = kNoNode;
        for (const NodeId statement : tree_.named_children(block)) {
            const bool is_text = tree_.kind(statement) == NodeKind::expression_statement &&
                                 tree_.kind(tree_.first_child(statement)) == NodeKind::string;
            if (tree_.kind(statement) == NodeKind::comment || (first == kNoNode && is_text)) continue;
            first = statement;
            break;
        }
        if (first == kNoNode || !starts_line(first)) return;
        const auto number = number_behind(first, block);
        if (number && number->bound_by == kNoNode && number->text == parameters.front())
            add(first, number->text, script_.line_begin(tree_.range(first).begin));
    }

    bool starts_line(NodeId statement) const {
        const std::uint64_t begin = tree_.range(statement).begin;
        const std::string_view line = tree_.source().substr(script_.line_begin(begin));
        return script_.line_begin(begin) + line.find_first_not_of(" \t") == begin;
    }

    struct Number {
        std::string_view text;
        NodeId node = kNoNode;
        NodeId bound_by = kNoNode;  // the statement behind the beginning that binds it, if one does
        bool is_sure = false;       // a device is made of it whatever an `if` decides
    };

    // The one expression that devices are numbered with, from the statement to the end of the function's block, if nothing
    // but one assignment in front of its uses binds it or a part of it there.
    std::optional<Number> number_behind(NodeId statement, NodeId block) const {
        std::optional<Number> out;
        std::multimap<std::string_view, NodeId> bound;
        NodeId conditional_until = 0;
        for (NodeId id = statement; id < tree_.subtree_end(block); ++id) {
            const NodeKind kind = tree_.kind(id);
            if (kind == NodeKind::function_definition) {
                id = tree_.subtree_end(id) - 1;  // its names are its own
                continue;
            }
            if (kind == NodeKind::if_statement || kind == NodeKind::elif_clause || kind == NodeKind::else_clause)
                conditional_until = std::max(conditional_until, tree_.subtree_end(id));
            if (kind == NodeKind::assignment || kind == NodeKind::augmented_assignment)
                bound.emplace(tree_.text(tree_.child(id, Field::left)), tree_.parent(id));
            const NodeId number = number_at(id);
            if (number == kNoNode || !is_variable(number)) continue;
            if (out && out->text != tree_.text(number)) return std::nullopt;
            if (!out) {
                out = Number{tree_.text(number), number};
                if (const auto one = bound.find(out->text); one != bound.end()) out->bound_by = one->second;
            }
            out->is_sure |= id >= conditional_until;
        }
        const bool is_bound_once = out && bound.count(out->text) == (out->bound_by == kNoNode ? 0U : 1U);
        return is_bound_once && out->is_sure && keeps_its_root(*out, statement, tree_.subtree_end(block))
                   ? out
                   : std::nullopt;
    }

    bool is_variable(NodeId number) const {
        const NodeKind kind = tree_.kind(number);
        return (kind == NodeKind::identifier || kind == NodeKind::attribute) && script_.is_plain(number);
    }

    // What the name at its beginning is bound to is known, and stays but for the assignment of the whole.
    bool keeps_its_root(const Number& number, NodeId begin, NodeId end) const {
        NodeId root = number.node;
        while (tree_.kind(root) == NodeKind::attribute) root = tree_.child(root, Field::object);
        const bool is_whole = root == number.node;
        const bool is_assigned = number.bound_by != kNoNode;
        if (is_assigned &&
            (tree_.kind(number.bound_by) != NodeKind::expression_statement || !starts_line(number.bound_by)))
            return false;
        const BindingSites sites = script_.bindings.binding_sites(root);
        const auto again = std::ranges::count_if(
            sites, [&](const BindingSite& site) { return site.target >= begin && site.target < end; });
        return !sites.empty() && sites.size() <= kMaxBindingSites && again == (is_whole && is_assigned ? 1 : 0);
    }

    // The number in a node that makes a device: f"cuda:{rank}", "cuda:%d" % rank, "cuda:" + str(rank),
    // torch.device("cuda", rank), x.cuda(rank).
    NodeId number_at(NodeId id) const {
        switch (tree_.kind(id)) {
            case NodeKind::string: return number_in_text(id);
            case NodeKind::binary_operator: return number_behind_text(id);
            case NodeKind::call: return number_of_call(id);
            default: return kNoNode;
        }
    }

    NodeId number_in_text(NodeId text) const {
        const NodeList parts = tree_.named_children(text);  // start, content, interpolation, end
        if (parts.size() != 4 || tree_.kind(parts[2]) != NodeKind::interpolation) return kNoNode;
        if (!base::contains(row_.texts, tree_.text(parts[1]))) return kNoNode;
        return tree_.child(parts[2], Field::expression);
    }

    NodeId number_behind_text(NodeId operation) const {
        const NodeId left = tree_.child(operation, Field::left);
        const NodeId right = tree_.child(operation, Field::right);
        const auto text = left == kNoNode ? std::nullopt : script_.bindings.constant_string(left);
        const NodeId sign = tree_.child(operation, Field::operator_);
        if (!text || right == kNoNode || sign == kNoNode) return kNoNode;
        if (tree_.text(sign) == "%") {
            const bool is_number = text->ends_with("%d") || text->ends_with("%s");
            return is_number && base::contains(row_.texts, text->substr(0, text->size() - 2)) ? right : kNoNode;
        }
        if (tree_.text(sign) != "+" || !base::contains(row_.texts, *text) || tree_.kind(right) != NodeKind::call)
            return kNoNode;
        const NodeId function = tree_.child(right, Field::function);
        const NodeList arguments = tree_.named_children(tree_.child(right, Field::arguments));
        return tree_.text(function) == "str" && arguments.size() == 1 ? arguments.front() : kNoNode;
    }

    NodeId number_of_call(NodeId call) const {
        const NodeId function = tree_.child(call, Field::function);
        const NodeId list = tree_.child(call, Field::arguments);
        if (function == kNoNode || list == kNoNode || tree_.kind(list) != NodeKind::argument_list) return kNoNode;
        const NodeList arguments = tree_.named_children(list);
        if (base::contains(row_.members, script_.called_member(call)))
            return arguments.size() == 1 ? arguments.front() : kNoNode;
        for (const ParameterRow& row : row_.numbers) {
            if (!script_.means(function, row.of)) continue;
            if (row.position && *row.position < arguments.size()) return arguments[*row.position];
        }
        return kNoNode;
    }

    void add(NodeId statement, std::string_view number, std::uint64_t at) {
        Finding finding =
            make_finding(*row_.rule, tree_.range(statement), std::string(number), Certainty::resolved, {}, {}, {});
        const bool ends_open = at == tree_.source().size() && !tree_.source().ends_with('\n');
        std::string line = script_.indentation(statement) + row_.fix.insert;
        line.replace(line.find(ProcessFix::kNumber), ProcessFix::kNumber.size(), number);
        line = ends_open ? "\n" + line : line + "\n";
        finding.fix = Fix{{{{at, at}, script_.with_own_line_ends(line)}}, row_.rule->imports};
        sink_.push_back(std::move(finding));
    }

    const Script script_;
    const SyntaxTree& tree_;
    const ProcessRow& row_;
    FindingSink& sink_;
    std::set<NodeId> begun_;  // functions that processes begin with, and those with a beginning
};

}  // namespace

void match_processes(const PythonFile& file, FindingSink& sink) {
    for (const ProcessRow& row : file.rules().processes) {
        const bool chooses = std::ranges::any_of(
            row.chosen_by, [&](const std::string& name) { return !file.identifiers(name).empty(); });
        if (!chooses) ProcessMatcher(file, row, sink).run();
    }
}

}  // namespace migrator
