#include "migrator/match/guarded_code.h"

#include <algorithm>
#include <set>

namespace migrator {
namespace {

bool leaves(const SyntaxTree& tree, NodeId block) {
    const NodeList statements = tree.named_children(block);
    return std::ranges::any_of(statements, [&](NodeId statement) {
        const NodeKind kind = tree.kind(statement);
        return kind == NodeKind::return_statement || ends_run(tree, statement);
    });
}

// What follows in the function or file.
base::ByteRange behind(const SyntaxTree& tree, NodeId statement) {
    const NodeId function = tree.ancestor(statement, NodeKind::function_definition);
    return {tree.range(statement).end, tree.range(function == kNoNode ? tree.root() : function).end};
}

// Of an if or elif: what runs where its condition holds, or does not.
base::ByteRange branch_of(const SyntaxTree& tree, NodeId statement, bool holds) {
    const NodeId consequence = tree.child(statement, Field::consequence);
    if (consequence == kNoNode) return {};
    const base::ByteRange then = tree.range(consequence);
    if (holds) return then;
    const bool goes_on = tree.kind(statement) == NodeKind::if_statement && leaves(tree, consequence);
    return {then.end, goes_on ? behind(tree, statement).end : tree.range(statement).end};
}

// `x is None` is the opposite of x, and `x is not None` the same.
bool negates(const SyntaxTree& tree, NodeId node) {
    if (tree.kind(node) == NodeKind::not_operator) return true;
    if (tree.kind(node) != NodeKind::comparison_operator) return false;
    bool differs = false, is_with_none = false;
    for (NodeId child = tree.first_child(node); child != kNoNode; child = tree.next_sibling(child)) {
        const std::string_view text = tree.text(child);
        differs |= tree.field(child) == Field::operators && (text == "!=" || text == "not in" || text == "is not");
        is_with_none |= text == "None";
    }
    return differs != is_with_none;
}

// An expression that holds the answer, or its opposite.
struct Answer {
    NodeId node;
    bool holds = true;
    bool is_variable = false;  // which keeps it: what is made of the variable is something else
};

// What an answer decides: code, and the variables that keep it.
struct Asked {
    std::vector<base::ByteRange> code;
    std::vector<NodeId> kept_in;
    bool holds = true;
    bool is_demanded = false;    // nothing goes on where it is no, or that is not known
    NodeId function = kNoNode;   // that returns it
    NodeId statement = kNoNode;  // if, elif: it is their condition

    void add(base::ByteRange range) {
        if (range.size() > 0) code.push_back(range);
    }
};

// `answer and B`, `not answer or B`: the second half is looked at only where the answer is yes.
base::ByteRange second_half(const SyntaxTree& tree, NodeId operation, NodeId half, bool holds) {
    const NodeId right = tree.child(operation, Field::right);
    const bool goes_on = tree.text(tree.child(operation, Field::operator_)) == (holds ? "and" : "or");
    return tree.kind(operation) == NodeKind::boolean_operator && right != half && goes_on ? tree.range(right)
                                                                                          : base::ByteRange{};
}

// @pytest.mark.skipif(not answer), @unittest.skipUnless(answer, "...")
bool runs_only_with(const SyntaxTree& tree, NodeId decorator, bool holds) {
    const std::string_view text = tree.text(decorator);
    const auto has = [&](std::string_view word) { return text.find(word) != text.npos; };
    return has("skipif") || has("skipIf") ? !holds : has("skipUnless") && holds;
}

Asked asked_by(const SyntaxTree& tree, Answer answer) {
    Asked out{{}, {}, answer.holds};
    bool is_one_of_several = false;  // in ("cuda", "cpu")
    for (NodeId at = answer.node, parent = tree.parent(at); parent != kNoNode; at = parent, parent = tree.parent(at)) {
        if (negates(tree, parent)) out.holds = !out.holds;
        switch (tree.kind(parent)) {
            case NodeKind::boolean_operator: out.add(second_half(tree, parent, at, out.holds)); break;
            case NodeKind::if_statement:
            case NodeKind::elif_clause:
                if (tree.field(at) != Field::condition) return out;
                out.add(branch_of(tree, parent, out.holds));
                out.statement = parent;
                return out;
            case NodeKind::assert_statement:
                if (!out.holds || is_one_of_several) return out;
                out.add(behind(tree, parent));
                out.is_demanded = true;
                return out;
            case NodeKind::conditional_expression: {
                const NodeList parts = tree.named_children(parent);
                if (parts.size() == 3 && parts[1] == at) out.add(tree.range(parts[out.holds ? 0 : 2]));
                return out;
            }
            case NodeKind::tuple:
            case NodeKind::list:
            case NodeKind::set: is_one_of_several |= tree.named_children(parent).size() > 1; break;
            case NodeKind::match_statement:
                out.add(tree.range(parent));
                out.is_demanded = true;
                return out;
            case NodeKind::return_statement:
                out.function = tree.ancestor(parent, NodeKind::function_definition);
                return out;
            case NodeKind::decorator:
                if (runs_only_with(tree, parent, out.holds)) out.add(tree.range(tree.parent(parent)));
                return out;
            case NodeKind::assignment: out.kept_in = targets_of(tree, at); return out;
            case NodeKind::attribute:
            case NodeKind::subscript:
            case NodeKind::argument_list:
                if (answer.is_variable) return out;
                break;
            case NodeKind::block:
            case NodeKind::module: return out;
            default: break;
        }
    }
    return out;
}

// Whether a program does without the code behind a question.
class OtherWay {
public:
    OtherWay(const PythonFile& file, const Guarded& guarded)
        : file_(file), tree_(file.tree()), guarded_(guarded.code) {}

    // Of an if or elif; `holds`: it is taken where the answer is yes.
    bool is_there(NodeId statement, bool holds) const {
        const NodeId taken = tree_.child(statement, Field::consequence);
        if (taken == kNoNode) return true;
        if (!holds) return !raises(taken);
        const NodeId other = next_branch(statement);
        if (other != statement && tree_.kind(other) == NodeKind::elif_clause) return true;
        if (tree_.kind(other) == NodeKind::else_clause) return !raises(tree_.child(other, Field::body));
        return leaves(tree_, taken) ? goes_on(statement, taken) : is_not_needed(taken);
    }

private:
    bool raises(NodeId block) const { return ends_run(tree_, last_statement(tree_, block)); }

    // The else or elif that comes next; itself when there is none.
    NodeId next_branch(NodeId statement) const {
        const NodeId next = tree_.kind(statement) == NodeKind::elif_clause ? tree_.next_sibling(statement)
                                                                           : tree_.child(statement, Field::alternative);
        return next != kNoNode && tree_.field(next) == Field::alternative ? next : statement;
    }

    // What is left with a value has to be given another one.
    bool goes_on(NodeId statement, NodeId taken) const {
        const NodeId whole = tree_.kind(statement) == NodeKind::elif_clause ? tree_.parent(statement) : statement;
        NodeId next = tree_.next_sibling(whole);
        while (next != kNoNode && tree_.kind(next) == NodeKind::comment) next = tree_.next_sibling(next);
        if (next != kNoNode) return !ends_run(tree_, next);
        const NodeId last = last_statement(tree_, taken);
        return tree_.kind(last) == NodeKind::return_statement && tree_.named_children(last).empty();
    }

    // Whether nothing reads what only this code makes.
    bool is_not_needed(NodeId block) const {
        for (NodeId id = block; id < tree_.subtree_end(block); ++id) {
            if (!file_.may_step()) return false;
            if (gets_value(id) && is_needed(id)) return false;
        }
        return true;
    }

    bool gets_value(NodeId id) const {
        const NodeId parent = tree_.parent(id);
        switch (tree_.kind(parent)) {
            case NodeKind::assignment: return tree_.field(id) == Field::left && tree_.kind(id) != NodeKind::subscript;
            case NodeKind::function_definition:
            case NodeKind::class_definition: return tree_.field(id) == Field::name;
            case NodeKind::pattern_list:
            case NodeKind::tuple_pattern: return true;
            case NodeKind::aliased_import: return tree_.field(id) == Field::alias;
            case NodeKind::dotted_name:
                return tree_.ancestor(id, NodeKind::aliased_import) == kNoNode && is_imported(id);
            default: return false;
        }
    }
    // import a.b binds a, from a import b binds b.
    bool is_imported(NodeId identifier) const {
        const NodeId name = tree_.parent(identifier);
        const NodeId statement = tree_.parent(name);
        if (tree_.kind(statement) == NodeKind::import_statement) return tree_.first_child(name) == identifier;
        return tree_.kind(statement) == NodeKind::import_from_statement && tree_.field(name) == Field::name;
    }

    bool is_needed(NodeId target) const {
        const NodeId word = tree_.kind(target) == NodeKind::attribute ? tree_.child(target, Field::attribute) : target;
        if (word == kNoNode) return false;
        bool is_read = false, has_default = false;
        for (const NodeId other : file_.identifiers(tree_.text(word))) {
            if (!file_.may_step()) return true;
            if (other == word || guarded_.contains(tree_.range(other).begin) || !is_in_reach(target, other)) continue;
            const NodeId whole =
                tree_.kind(tree_.parent(other)) == NodeKind::attribute && tree_.field(other) == Field::attribute
                    ? tree_.parent(other)
                    : other;
            (gets_value(whole) ? has_default : is_read) = true;
        }
        return is_read && !has_default;
    }

    // Of a member the class that has it, of a variable the function.
    bool is_in_reach(NodeId target, NodeId other) const {
        const bool is_member = tree_.kind(target) == NodeKind::attribute;
        const NodeId around =
            tree_.ancestor(target, is_member ? NodeKind::class_definition : NodeKind::function_definition);
        return around == kNoNode || tree_.is_ancestor(around, other);
    }

    const PythonFile& file_;
    const SyntaxTree& tree_;
    const base::ByteRanges guarded_;
};

}  // namespace

NodeId whole_call(const PythonFile& file, NodeId use) {
    const NodeId call = file.call_of(file.whole_name(use));
    return call == kNoNode ? use : call;
}

// The targets of the assignment that the node is on the right side of.
std::vector<NodeId> targets_of(const SyntaxTree& tree, NodeId node) {
    for (NodeId at = node, parent = tree.parent(at); parent != kNoNode; at = parent, parent = tree.parent(at)) {
        const NodeKind kind = tree.kind(parent);
        if (kind == NodeKind::assignment && tree.field(at) == Field::right) {
            const NodeId left = tree.child(parent, Field::left);
            if (tree.kind(left) == NodeKind::identifier || tree.kind(left) == NodeKind::attribute) return {left};
            if (tree.kind(left) != NodeKind::pattern_list) return {};
            const NodeList parts = tree.named_children(left);
            return {parts.begin(), parts.end()};
        }
        if (kind == NodeKind::block || kind == NodeKind::module || kind == NodeKind::lambda) return {};
    }
    return {};
}

bool is_asked(const SyntaxTree& tree, NodeId node) {
    for (NodeId at = node, parent = tree.parent(at); parent != kNoNode; at = parent, parent = tree.parent(at)) {
        switch (tree.kind(parent)) {
            case NodeKind::if_statement:
            case NodeKind::elif_clause: return tree.field(at) == Field::condition;
            case NodeKind::assert_statement:
            case NodeKind::conditional_expression: return true;
            case NodeKind::boolean_operator:
            case NodeKind::not_operator:
            case NodeKind::comparison_operator:
            case NodeKind::parenthesized_expression: break;
            default: return false;
        }
    }
    return false;
}

void Guarded::add(const Guarded& other) {
    code.insert(code.end(), other.code.begin(), other.code.end());
    kept_in.insert(kept_in.end(), other.kept_in.begin(), other.kept_in.end());
    branches.insert(branches.end(), other.branches.begin(), other.branches.end());
    is_demanded |= other.is_demanded;
}

Guarded guarded_by(const PythonFile& file, NodeId question, bool holds) {
    Guarded out;
    std::vector<Answer> pending{{question, holds}};
    std::set<NodeId> seen;
    while (!pending.empty() && file.may_step()) {
        const Answer answer = pending.back();
        pending.pop_back();
        if (!seen.insert(answer.node).second) continue;
        const Asked asked = asked_by(file.tree(), answer);
        out.code.insert(out.code.end(), asked.code.begin(), asked.code.end());
        for (const NodeId target : asked.kept_in) {
            out.kept_in.emplace_back(target, asked.holds);
            for (const NodeId read : file.bindings().reads(target)) pending.push_back({read, asked.holds, true});
        }
        if (const NodeId name = asked.function == kNoNode ? kNoNode : file.tree().child(asked.function, Field::name);
            name != kNoNode) {
            out.kept_in.emplace_back(name, asked.holds);
            for (const NodeId read : file.bindings().reads(name))
                pending.push_back({whole_call(file, read), asked.holds, true});
        }
        out.is_demanded |= asked.is_demanded;
        if (asked.statement != kNoNode) out.branches.emplace_back(asked.statement, asked.holds);
    }
    return out;
}

bool has_other_way(const PythonFile& file, const Guarded& guarded) {
    if (guarded.is_demanded) return false;
    const OtherWay other(file, guarded);
    return std::ranges::all_of(guarded.branches,
                               [&](const auto& branch) { return other.is_there(branch.first, branch.second); });
}

}  // namespace migrator
