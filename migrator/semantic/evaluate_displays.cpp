// Lists, dictionaries and constant texts: the part of Evaluator that looks into what is written out in the code.
#include <algorithm>

#include "migrator/semantic/evaluator.h"
#include "migrator/semantic/string_literal.h"

namespace migrator {
namespace {

// What is in longer ones is not told apart.
constexpr std::size_t kMaxElements = 16;
constexpr int kMaxTextDepth = 8;

bool is_splat(NodeKind kind) { return kind == NodeKind::list_splat || kind == NodeKind::dictionary_splat; }

std::optional<std::size_t> index_of(std::string_view text) {
    if (text.empty() || text.size() > 4) return std::nullopt;
    std::size_t out = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        out = out * 10 + static_cast<std::size_t>(c - '0');
    }
    return out;
}

}  // namespace

// The parts that `display[key]` may give; kNoNode as key: any of them.
NodeList Evaluator::elements(NodeId display, NodeId key) const {
    NodeList parts = operands(tree_, display);
    if (parts.size() > kMaxElements) return {};
    if (std::ranges::any_of(parts, [&](NodeId part) { return is_splat(tree_.kind(part)); })) return {};
    if (tree_.kind(display) != NodeKind::dictionary) {
        const auto index = key == kNoNode ? std::nullopt : index_of(tree_.text(key));
        if (!index) return parts;
        return *index < parts.size() ? NodeList{parts[*index]} : NodeList{};
    }
    const auto wanted = key == kNoNode ? std::nullopt : constant_text(key);
    NodeList out;
    for (const NodeId pair : parts) {
        const NodeId at = tree_.child(pair, Field::key);
        const NodeId value = tree_.child(pair, Field::value);
        if (at == kNoNode || value == kNoNode) return {};
        const auto text = wanted ? string_literal_value(tree_, at) : std::nullopt;
        if (text && *text == *wanted) return {value};
        if (!text) out.push_back(value);
    }
    return out;
}

// What was written down may have been replaced since.
void Evaluator::add_elements(const Candidate& container, NodeId key, Candidates& out) {
    for (const NodeId element : elements(container.display, key)) {
        const Candidates& found = get(element);
        if (found.empty()) merge(out, {});
        for (Candidate c : found) {
            c.certainty = weaker(c.certainty, Certainty::likely);
            c.type_certainty = weaker(c.type_certainty, Certainty::likely);
            merge(out, c);
        }
    }
}

Candidates Evaluator::subscript_value(NodeId node) {
    Candidates out;
    const NodeId object = tree_.child(node, Field::value);
    const NodeId key = tree_.child(node, Field::subscript);
    for (const Candidate& c : get(object)) {
        if (c.display != kNoNode) add_elements(c, key, out);
        else add_method_result(c, "__getitem__", Certainty::likely, out);
    }
    // vars(x)["name"] and x.__dict__["name"] are x.name.
    const NodeId owner = namespace_owner(object);
    const auto member = owner == kNoNode || key == kNoNode ? std::nullopt : constant_text(key);
    if (member) {
        for (const Candidate& c : get(owner))
            add_member(c, model_.names.text(model_.names.intern_copy(*member)), kNoNode, out);
    }
    settle(out);
    return out;
}

// x, when the expression is `x.__dict__` or `vars(x)`.
NodeId Evaluator::namespace_owner(NodeId expression) const {
    if (expression == kNoNode) return kNoNode;
    if (tree_.kind(expression) == NodeKind::attribute) {
        const NodeId name = tree_.child(expression, Field::attribute);
        return name != kNoNode && tree_.text(name) == "__dict__" ? tree_.child(expression, Field::object) : kNoNode;
    }
    if (tree_.kind(expression) != NodeKind::call) return kNoNode;
    const NodeId function = tree_.child(expression, Field::function);
    const NodeList parts = arguments(expression);
    return function != kNoNode && tree_.text(function) == "vars" && parts.size() == 1 ? parts.front() : kNoNode;
}

// The text that an expression always has: a literal, several of them joined, or a variable that is bound to one once.
std::optional<std::string> Evaluator::constant_text(NodeId expression) const {
    return constant_text(expression, kMaxTextDepth);
}

std::optional<std::string> Evaluator::constant_text(NodeId expression, int depth) const {
    if (expression == kNoNode || depth == 0) return std::nullopt;
    if (auto literal = string_literal_value(tree_, expression)) return literal;
    switch (tree_.kind(expression)) {
        case NodeKind::identifier: {
            const auto found =
                model_.lookup(model_.scope_of[expression], model_.names.find(tree_.text(expression)).value_or(kNoName));
            if (!found) return std::nullopt;
            const auto bindings = model_.bindings_of(found->symbol);
            if (bindings.size() != 1 || bindings[0].kind != BindingKind::value) return std::nullopt;
            return constant_text(bindings[0].value, depth - 1);
        }
        case NodeKind::binary_operator: {
            const NodeId symbol = tree_.child(expression, Field::operator_);
            if (symbol == kNoNode || tree_.text(symbol) != "+") return std::nullopt;
            auto left = constant_text(tree_.child(expression, Field::left), depth - 1);
            const auto right = left ? constant_text(tree_.child(expression, Field::right), depth - 1) : std::nullopt;
            if (!right) return std::nullopt;
            return *left + *right;
        }
        case NodeKind::string: return interpolated_text(expression, depth);
        default: return std::nullopt;
    }
}

std::optional<std::string> Evaluator::interpolated_text(NodeId string, int depth) const {
    std::string out;
    for (NodeId part = tree_.first_child(string); part != kNoNode; part = tree_.next_sibling(part)) {
        switch (tree_.kind(part)) {
            case NodeKind::string_start:
                if (tree_.text(part).find_first_of("bB") != std::string_view::npos) return std::nullopt;
                break;
            case NodeKind::string_end: break;
            case NodeKind::string_content:
                if (tree_.first_child(part) != kNoNode) return std::nullopt;  // escapes
                out += tree_.text(part);
                break;
            case NodeKind::interpolation: {
                const NodeList parts = operands(tree_, part);
                const auto text = parts.size() == 1 ? constant_text(parts.front(), depth - 1) : std::nullopt;
                if (!text) return std::nullopt;
                out += *text;
                break;
            }
            default: return std::nullopt;
        }
    }
    return out;
}

}  // namespace migrator
