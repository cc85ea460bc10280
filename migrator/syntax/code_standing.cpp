#include "migrator/syntax/code_standing.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace migrator {
namespace {

constexpr std::string_view kMainGuard = "__main__";
constexpr std::string_view kSuppress = "suppress";

constexpr auto kExits = std::to_array<std::string_view>({"exit", "quit", "_exit", "abort"});

// with contextlib.suppress(ImportError): what it is around may fail.
bool suppresses(const SyntaxTree& tree, NodeId with_statement) {
    for (NodeId id = with_statement; id < tree.subtree_end(with_statement); ++id) {
        if (tree.kind(id) == NodeKind::block) return false;
        const NodeId function = tree.kind(id) == NodeKind::call ? tree.child(id, Field::function) : kNoNode;
        if (function != kNoNode && tree.text(function).ends_with(kSuppress)) return true;
    }
    return false;
}

// What the statements of a file say of the code in them. A statement is asked by each of its parts, and looked at once.
class Conditions {
public:
    explicit Conditions(const SyntaxTree& tree) : tree_(tree) {}

    bool is_main_guard(NodeId statement) {
        return known(guards_, statement, [&] { return migrator::is_main_guard(tree_, statement); });
    }

    // Whether the child runs in some cases only when its parent runs.
    bool is_conditional(NodeId parent, NodeId child) {
        switch (tree_.kind(parent)) {
            case NodeKind::if_statement:
            case NodeKind::elif_clause:
                return tree_.field(child) != Field::condition && !is_main_guard(parent) && !is_always(parent, child);
            case NodeKind::try_statement:
                if (tree_.kind(child) == NodeKind::finally_clause) return false;
                return tree_.kind(child) != NodeKind::block ||
                       !known(insisting_, parent, [&] { return insists(tree_, parent); });
            case NodeKind::with_statement: return tree_.kind(child) == NodeKind::block && suppresses(tree_, parent);
            case NodeKind::conditional_expression: {
                const NodeList parts = tree_.named_children(parent);
                return parts.size() != 3 || parts[1] != child;
            }
            case NodeKind::boolean_operator: return tree_.field(child) == Field::right;
            case NodeKind::match_statement: return tree_.field(child) != Field::subject;
            default: return false;
        }
    }

private:
    // if True:
    bool is_always(NodeId statement, NodeId child) const {
        const NodeId condition = tree_.child(statement, Field::condition);
        return tree_.field(child) == Field::consequence && condition != kNoNode &&
               tree_.kind(condition) == NodeKind::true_;
    }

    using Answers = std::unordered_map<NodeId, bool>;
    template <class Ask>
    static bool known(Answers& answers, NodeId statement, Ask ask) {
        const auto [at, is_new] = answers.try_emplace(statement, false);
        if (is_new) at->second = ask();
        return at->second;
    }

    const SyntaxTree& tree_;
    Answers guards_;
    Answers insisting_;
};

}  // namespace

NodeId last_statement(const SyntaxTree& tree, NodeId block) {
    const NodeList statements = block == kNoNode ? NodeList{} : tree.named_children(block);
    return statements.empty() ? kNoNode : statements.back();
}

bool ends_run(const SyntaxTree& tree, NodeId statement) {
    if (statement == kNoNode) return false;
    const NodeId first = tree.first_child(statement);
    switch (tree.kind(statement)) {
        case NodeKind::raise_statement: return true;
        case NodeKind::assert_statement: {
            const NodeList parts = tree.named_children(statement);
            return !parts.empty() && tree.kind(parts.front()) == NodeKind::false_;
        }
        case NodeKind::expression_statement: {
            if (first == kNoNode || tree.kind(first) != NodeKind::call) return false;
            const std::string_view function = tree.text(tree.child(first, Field::function));
            return std::ranges::find(kExits, function.substr(function.rfind('.') + 1)) != kExits.end();
        }
        default: return false;
    }
}

bool is_main_guard(const SyntaxTree& tree, NodeId if_statement) {
    const NodeId condition = tree.child(if_statement, Field::condition);
    return condition != kNoNode && tree.text(condition).find(kMainGuard) != std::string_view::npos;
}

bool insists(const SyntaxTree& tree, NodeId try_statement) {
    return std::ranges::all_of(tree.named_children(try_statement), [&](NodeId part) {
        if (tree.kind(part) != NodeKind::except_clause) return true;
        const NodeList parts = tree.named_children(part);
        return !parts.empty() && ends_run(tree, last_statement(tree, parts.back()));
    });
}

std::vector<NodeId> functions_around(const SyntaxTree& tree) {
    std::vector<NodeId> out(tree.size(), kNoNode);
    NodeId function = kNoNode;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (function != kNoNode && id >= tree.subtree_end(function)) function = kNoNode;
        if (function == kNoNode && tree.kind(id) == NodeKind::function_definition) function = id;
        out[id] = function;
    }
    return out;
}

CodeStandings code_standings(const SyntaxTree& tree) {
    const std::vector<NodeId> around = functions_around(tree);
    Conditions conditions(tree);
    CodeStandings out(tree.size());
    std::int32_t functions = 0;
    // A parent comes before its children.
    for (NodeId id = 0; id < tree.size(); ++id) {
        const NodeId parent = tree.parent(id);
        if (parent == kNoNode) continue;
        CodeStanding& standing = out[id] = out[parent];
        standing.sometimes |= conditions.is_conditional(parent, id);
        if (around[id] == id) standing.function = functions++;
        else if (!standing.is_in_function() && tree.kind(parent) == NodeKind::if_statement &&
                 tree.kind(id) == NodeKind::block && conditions.is_main_guard(parent))
            standing.function = CodeStanding::kAsProgram;
    }
    return out;
}

}  // namespace migrator
