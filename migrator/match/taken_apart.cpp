#include <optional>

#include "base/text.h"
#include "migrator/match/guarded_code.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

// Whether None can be compared so.
bool compares_any(const SyntaxTree& tree, NodeId comparison) {
    for (NodeId child = tree.first_child(comparison); child != kNoNode; child = tree.next_sibling(child)) {
        const std::string_view text = tree.text(child);
        if (tree.field(child) == Field::operators && (text.starts_with("is") || text == "==" || text == "!="))
            return true;
    }
    return false;
}

// The values that a piece of code looks into: `value[0]`, `value >= (8, 0)`, `a, b = value`, `for part in value`, `f(*value)`,
// `value.split()`, `value // 1000`.
NodeList looked_into(const SyntaxTree& tree, NodeId node) {
    NodeList out;
    const auto add = [&](NodeId value) {
        if (value != kNoNode) out.push_back(value);
    };
    switch (tree.kind(node)) {
        case NodeKind::subscript: add(tree.child(node, Field::value)); break;
        case NodeKind::comparison_operator:
            if (compares_any(tree, node)) break;
            return tree.named_children(node);
        case NodeKind::binary_operator: return tree.named_children(node);
        case NodeKind::attribute: add(tree.child(node, Field::object)); break;
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

struct Seen {
    const TakenApartRow* row;
    Certainty certainty;
};

// The row of a value, by its type or by its name, or by that of the function that gives it.
std::optional<Seen> seen_as(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    const auto type = file.bindings().type_of(value);
    const bool is_call = tree.kind(value) == NodeKind::call;
    const auto references = file.bindings().references(is_call ? tree.child(value, Field::function) : value);
    for (const TakenApartRow& row : file.rules().taken_apart) {
        if (type && base::contains(row.all, type->name)) return Seen{&row, type->certainty};
        for (const Reference& reference : references) {
            if (reference.origin != Origin::project && base::contains(row.all, reference.name))
                return Seen{&row, reference.certainty};
        }
    }
    return std::nullopt;
}

// `value is not None and value[0] > 8`
bool is_behind_own_test(const PythonFile& file, NodeId value) {
    const SyntaxTree& tree = file.tree();
    const std::size_t at = tree.range(value).begin;
    for (const NodeId named : file.identifiers(file.last_name(value))) {
        const NodeId whole = file.whole_name(named);
        if (whole == value || tree.text(whole) != tree.text(value) || !is_asked(tree, whole)) continue;
        for (const base::ByteRange& code : guarded_by(file, whole).code) {
            if (code.begin <= at && at < code.end) return true;
        }
    }
    return false;
}

}  // namespace

void match_taken_apart(const PythonFile& file, FindingSink& sink) {
    if (file.rules().taken_apart.empty()) return;
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        for (const NodeId part : looked_into(tree, id)) {
            const NodeId value = file.skip_parentheses(part);
            const auto seen = seen_as(file, value);
            if (!seen || is_behind_own_test(file, value)) continue;
            sink.push_back(make_finding(*seen->row->rule, tree.range(id), std::string(tree.text(value)),
                                        seen->certainty, {}, {}, {}));
        }
    }
}

}  // namespace migrator
