#include "migrator/match/dtypes.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "migrator/python/call_arguments.h"

namespace migrator {
namespace {

constexpr std::string_view kDtype = "dtype";
// Expressions that one answer may look at; what is longer is not told.
constexpr int kMaxDTypeSteps = 64;

bool is_number(NodeKind kind) { return kind == NodeKind::integer || kind == NodeKind::float_; }

}  // namespace

std::optional<std::string_view> DtypeFlow::of(NodeId expression) const {
    std::optional<std::string_view> found;
    NodeList open{expression};
    NodeList seen;  // of variables, which may go round in a loop; no more than the steps
    for (int steps = 0; !open.empty(); ++steps) {
        if (steps == kMaxDTypeSteps) return std::nullopt;
        const NodeId node = file_.skip_parentheses(open.back());
        open.pop_back();
        const NodeKind kind = file_.tree().kind(node);
        if (kind == NodeKind::identifier || (kind == NodeKind::attribute && !file_.has_external_reference(node))) {
            const auto values = reaching_values(node);
            if (!values) return std::nullopt;
            for (NodeId value : *values) {
                if (base::contains(seen, value)) continue;
                seen.push_back(value);
                open.push_back(value);
            }
            continue;
        }
        const Step one = step(node);
        if (one.next != kNoNode) open.push_back(one.next);
        else if (!one.dtype || (found && found != one.dtype)) return std::nullopt;
        else found = one.dtype;
    }
    return found;
}

// What a variable may be bound to where it is read; nullopt when one of the values is not known.
std::optional<NodeList> DtypeFlow::reaching_values(NodeId read) const {
    const BindingSites sites = file_.bindings().binding_sites(read);
    if (sites.size() > kMaxBindingSites) return std::nullopt;
    const SyntaxTree& tree = file_.tree();
    // The last binding that every way to the read passes makes those in front of it, and behind the read, void.
    const auto behind = std::find_if(sites.begin(), sites.end(), [&](const auto& site) { return site.target >= read; });
    auto first = behind;
    bool is_passed = false;
    while (first != sites.begin() && !is_passed) {
        --first;
        // x = x.double() reads the one in front of it.
        if (first->value != kNoNode && tree.is_ancestor(first->value, read)) continue;
        NodeId statement = first->target;
        while (tree.parent(statement) != kNoNode && tree.kind(tree.parent(statement)) != NodeKind::block)
            statement = tree.parent(statement);
        const NodeId block = tree.parent(statement);
        is_passed = block != kNoNode && tree.is_ancestor(block, read) &&
                    file_.bindings().scope_at(first->target) == file_.bindings().scope_at(read) &&
                    !is_in_loop_below(read, block);
    }
    NodeList values;
    for (auto site = is_passed ? first : sites.begin(); site != (is_passed ? behind : sites.end()); ++site) {
        if (site->value == kNoNode) return std::nullopt;
        if (is_passed && tree.is_ancestor(site->value, read)) continue;
        values.push_back(site->value);
    }
    return values.empty() ? std::nullopt : std::optional(std::move(values));
}

// Whether a loop inside the block may lead back to the node.
bool DtypeFlow::is_in_loop_below(NodeId node, NodeId block) const {
    const SyntaxTree& tree = file_.tree();
    for (NodeId at = tree.parent(node); at != block; at = tree.parent(at)) {
        if (tree.kind(at) == NodeKind::for_statement || tree.kind(at) == NodeKind::while_statement) return true;
    }
    return false;
}

DtypeFlow::Step DtypeFlow::step(NodeId expression) const {
    switch (file_.tree().kind(expression)) {
        case NodeKind::call: return step_of_call(expression);
        case NodeKind::binary_operator:
        case NodeKind::unary_operator: return step_of_operator(expression);
        default: return {};
    }
}

DtypeFlow::Step DtypeFlow::step_of_call(NodeId call) const {
    const SyntaxTree& tree = file_.tree();
    const NodeId function = tree.child(call, Field::function);
    const auto references = file_.bindings().references(function);
    if (references.size() != 1 || references.front().origin != Origin::external) return {};
    const std::string& name = references.front().name;
    if (const auto made = facts_.made_by.find(name); made != facts_.made_by.end())
        return made->second.empty() ? Step{} : Step{made->second};
    const auto arguments = call_arguments(file_, call, references.front());
    const auto type = file_.bindings().type_of(call);
    if (!arguments || !type || type->name != facts_.type) return {};
    if (const NodeId dtype = arguments->find(tree, std::nullopt, kDtype); dtype != kNoNode)
        return {named_dtype(tree.child(dtype, Field::value))};
    if (base::contains(facts_.casts, name) && !arguments->by_position.empty()) {
        if (const auto dtype = named_dtype(arguments->by_position.front())) return {dtype};
    }
    // x.to(device) has the type of x.
    const bool is_method = tree.kind(function) == NodeKind::attribute;
    if (is_method && !facts_.computes(name)) return {std::nullopt, tree.child(function, Field::object)};
    return {};
}

// -x, x * 2 and x * y of one type keep it.
DtypeFlow::Step DtypeFlow::step_of_operator(NodeId expression) const {
    const SyntaxTree& tree = file_.tree();
    if (const NodeId argument = tree.child(expression, Field::argument); argument != kNoNode)
        return {std::nullopt, argument};
    const NodeId left = tree.child(expression, Field::left);
    const NodeId right = tree.child(expression, Field::right);
    if (left == kNoNode || right == kNoNode) return {};
    if (is_number(tree.kind(right))) return {std::nullopt, left};
    return is_number(tree.kind(left)) ? Step{std::nullopt, right} : Step{};
}

std::optional<std::string_view> DtypeFlow::named_dtype(NodeId expression) const {
    if (expression == kNoNode) return std::nullopt;
    const auto references = file_.bindings().references(expression);
    if (references.size() != 1 || references.front().origin != Origin::external) return std::nullopt;
    const auto word = facts_.dtypes.find(references.front().name);
    if (word == facts_.dtypes.end()) return std::nullopt;
    return word->second;
}

}  // namespace migrator
