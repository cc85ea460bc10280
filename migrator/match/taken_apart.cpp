#include "base/text.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// The values that a piece of code looks into: `value[0]`, `value >= (8, 0)`, `a, b = value`, `for part in value`, `f(*value)`.
NodeList looked_into(const SyntaxTree& tree, NodeId node) {
    NodeList out;
    const auto add = [&](NodeId value) {
        if (value != kNoNode) out.push_back(value);
    };
    switch (tree.kind(node)) {
        case NodeKind::subscript: add(tree.child(node, Field::value)); break;
        case NodeKind::comparison_operator: return tree.named_children(node);
        case NodeKind::for_statement:
        case NodeKind::for_in_clause: add(tree.child(node, Field::right)); break;
        case NodeKind::list_splat: add(tree.first_child(node)); break;
        case NodeKind::assignment: {
            const NodeKind target = tree.kind(tree.child(node, Field::left));
            if (target == NodeKind::pattern_list || target == NodeKind::tuple_pattern ||
                target == NodeKind::list_pattern)
                add(tree.child(node, Field::right));
            break;
        }
        default: break;
    }
    return out;
}

}  // namespace

void match_taken_apart(const PythonFile& file, FindingSink& sink) {
    if (file.rules().taken_apart.empty()) return;
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        for (NodeId value : looked_into(tree, id)) {
            const auto type = file.bindings().type_of(file.skip_parentheses(value));
            if (!type) continue;
            for (const TakenApartRow& row : file.rules().taken_apart) {
                if (!base::contains(row.all, type->name)) continue;
                sink.push_back(make_finding(*row.rule, tree.range(id), std::string(tree.text(value)), type->certainty,
                                            {}, {}, {}));
            }
        }
    }
}

}  // namespace migrator
