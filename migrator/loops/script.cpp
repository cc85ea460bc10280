#include "migrator/loops/script.h"
#include "base/text.h"

#include <algorithm>

namespace migrator {

std::vector<NodeId> Script::below(NodeId node, NodeKind kind) const {
    std::vector<NodeId> out;
    for (NodeId id = node; id < tree.subtree_end(node); ++id) {
        if (tree.kind(id) == kind && tree.named(id)) out.push_back(id);
    }
    return out;
}

std::vector<NodeId> Script::all(NodeKind kind) const { return below(tree.root(), kind); }

bool Script::means(NodeId expression, const std::vector<std::string>& names) const {
    const auto references = bindings.references(expression);
    if (references.empty())
        return tree.kind(expression) == NodeKind::identifier && base::contains(names, tree.text(expression));
    return std::any_of(references.begin(), references.end(), [&](const Reference& reference) {
        const bool known = reference.origin == Origin::external || reference.origin == Origin::builtin;
        return known && base::contains(names, reference.name);
    });
}

std::string_view Script::called_member(NodeId call) const {
    const NodeId function = tree.child(call, Field::function);
    if (function == kNoNode || tree.kind(function) != NodeKind::attribute) return {};
    return tree.text(tree.child(function, Field::attribute));
}

std::optional<std::map<std::string, NodeId, std::less<>>> Script::arguments(
    NodeId call, const std::vector<std::string>& parameters) const {
    std::map<std::string, NodeId, std::less<>> out;
    std::size_t position = 0;
    for (const NodeId argument : tree.named_children(tree.child(call, Field::arguments))) {
        const NodeKind kind = tree.kind(argument);
        if (kind == NodeKind::comment) continue;
        if (kind == NodeKind::list_splat || kind == NodeKind::dictionary_splat) return std::nullopt;
        if (kind == NodeKind::keyword_argument) {
            out.emplace(tree.text(tree.child(argument, Field::name)), tree.child(argument, Field::value));
        } else if (position < parameters.size()) {
            out.emplace(parameters[position++], argument);
        }
    }
    return out;
}

std::vector<std::string> Script::parameters_of(NodeId function) const {
    std::vector<std::string> out;
    for (const NodeId parameter : tree.named_children(tree.child(function, Field::parameters))) {
        for (const NodeId name : below(parameter, NodeKind::identifier)) {
            out.emplace_back(tree.text(name));
            break;
        }
    }
    return out;
}

std::vector<NodeId> Script::calls_of(NodeId function) const {
    std::vector<NodeId> out;
    // A method is called through an object, whose class this script does not always tell.
    if (tree.ancestor(function, NodeKind::class_definition) != kNoNode) return out;
    const std::string_view name = tree.text(tree.child(function, Field::name));
    for (const NodeId call : all(NodeKind::call)) {
        const NodeId callee = tree.child(call, Field::function);
        if (tree.kind(callee) == NodeKind::identifier && tree.text(callee) == name) out.push_back(call);
    }
    return out;
}

NodeId Script::value_of(NodeId name) const {
    const auto sites = bindings.binding_sites(name);
    return sites.size() == 1 ? sites.front().value : kNoNode;
}

bool Script::is_plain(NodeId expression) const {
    NodeId at = expression;
    while (tree.kind(at) == NodeKind::attribute) at = tree.child(at, Field::object);
    const NodeKind kind = tree.kind(at);
    return kind == NodeKind::identifier ||
           (at == expression && (kind == NodeKind::true_ || kind == NodeKind::false_ || kind == NodeKind::none));
}

NodeId Script::statement_of(NodeId node) const {
    NodeId at = node;
    while (tree.parent(at) != kNoNode && tree.kind(tree.parent(at)) != NodeKind::block &&
           tree.kind(tree.parent(at)) != NodeKind::module)
        at = tree.parent(at);
    return at;
}

std::uint64_t Script::line_begin(std::uint64_t offset) const {
    const std::size_t end = tree.source().substr(0, offset).rfind('\n');
    return end == std::string_view::npos ? 0 : end + 1;
}

std::uint64_t Script::line_end(std::uint64_t offset) const {
    const std::size_t end = tree.source().find('\n', offset);
    return end == std::string_view::npos ? tree.source().size() : end + 1;
}

std::string Script::indentation(NodeId statement) const {
    const std::uint64_t begin = line_begin(tree.range(statement).begin);
    const std::string_view line = tree.source().substr(begin);
    return std::string(line.substr(0, line.find_first_not_of(" \t")));
}

std::string Script::with_own_line_ends(std::string_view text) const {
    const bool crlf = tree.source().find("\r\n") != std::string_view::npos;
    std::string out;
    for (const char c : text) out += c == '\n' && crlf ? "\r\n" : std::string(1, c);
    return out;
}

bool has_word(std::string_view name, const std::vector<std::string>& words) {
    std::string word;
    bool lower = false;  // of the last letter
    for (const char c : std::string(name) + "_") {
        const bool upper = c >= 'A' && c <= 'Z';
        const bool letter = upper || (c >= 'a' && c <= 'z');
        if (!letter || (upper && lower)) {
            if (base::contains(words, word)) return true;
            word.clear();
        }
        if (letter) word += upper ? static_cast<char>(c - 'A' + 'a') : c;
        lower = letter && !upper;
    }
    return false;
}

std::string_view last_name(const SyntaxTree& tree, NodeId expression) {
    while (expression != kNoNode && tree.kind(expression) == NodeKind::subscript)
        expression = tree.child(expression, Field::value);
    if (expression == kNoNode) return {};
    if (tree.kind(expression) == NodeKind::attribute) expression = tree.child(expression, Field::attribute);
    return expression != kNoNode && tree.kind(expression) == NodeKind::identifier ? tree.text(expression)
                                                                                  : std::string_view{};
}

}  // namespace migrator
