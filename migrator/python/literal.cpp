#include "migrator/python/literal.h"

#include <unordered_map>

#include "base/lower_case.h"

namespace migrator {
namespace {

// A text that is longer is no name of a device.
constexpr std::size_t kMaxComposed = 256;

void append_text(const SyntaxTree& tree, base::ByteRange range, Literal& out) {
    for (std::uint64_t at = range.begin; at < range.end; ++at) out.offsets.push_back(at);
    out.text += tree.source().substr(range.begin, range.size());
}

// A character has the place of the last byte of its escape, so that no range of one piece has an escape in it.
bool append_escape(const SyntaxTree& tree, NodeId escape, Literal& out) {
    constexpr std::string_view kEscapes = "\\\\\"\"''n\nt\t";  // pairs
    const std::string_view text = tree.text(escape);
    if (tree.kind(escape) == NodeKind::escape_interpolation) {
        out.offsets.push_back(tree.range(escape).end - 1);
        out.text += text.back();
        return true;
    }
    if (text == "\\\n") return true;  // a line that goes on
    for (std::size_t i = 0; text.size() == 2 && i < kEscapes.size(); i += 2) {
        if (text[1] != kEscapes[i]) continue;
        out.offsets.push_back(tree.range(escape).end - 1);
        out.text += kEscapes[i + 1];
        return true;
    }
    return false;
}

bool append_content(const SyntaxTree& tree, NodeId content, Escapes escapes, Literal& out) {
    base::ByteRange rest = tree.range(content);
    for (NodeId escape = tree.first_child(content); escape != kNoNode; escape = tree.next_sibling(escape)) {
        if (escapes == Escapes::none) return false;
        append_text(tree, {rest.begin, tree.range(escape).begin}, out);
        if (!append_escape(tree, escape, out)) return false;
        rest.begin = tree.range(escape).end;
    }
    append_text(tree, rest, out);
    return true;
}

bool append_string(const SyntaxTree& tree, NodeId string, Escapes escapes, Literal& out) {
    for (NodeId part = tree.first_child(string); part != kNoNode; part = tree.next_sibling(part)) {
        switch (tree.kind(part)) {
            case NodeKind::string_start:
                if (tree.text(part).find_first_of("bB") != std::string_view::npos) return false;
                break;
            case NodeKind::string_content:
                if (!append_content(tree, part, escapes, out)) return false;
                break;
            case NodeKind::interpolation:
                out.offsets.push_back(tree.range(part).begin);
                out.text += kHole;
                break;
            case NodeKind::string_end: break;
            default: return false;
        }
    }
    return true;
}

}  // namespace

std::string Literal::shown() const {
    std::string out;
    for (char c : text) {
        if (c == kHole) out += "{}";
        else out += c;
    }
    return out;
}

std::optional<base::ByteRange> Literal::range_of(std::size_t begin, std::size_t end) const {
    if (begin >= end || end > offsets.size()) return std::nullopt;
    if (offsets[end - 1] - offsets[begin] != end - 1 - begin) return std::nullopt;
    return base::ByteRange{offsets[begin], offsets[end - 1] + 1};
}

std::optional<Literal> read_literal(const SyntaxTree& tree, NodeId node, Escapes escapes) {
    Literal out;
    out.node = node;
    if (tree.kind(node) == NodeKind::string) {
        if (!append_string(tree, node, escapes, out)) return std::nullopt;
        return out;
    }
    for (NodeId part : tree.named_children(node)) {
        if (tree.kind(part) == NodeKind::string && !append_string(tree, part, escapes, out)) return std::nullopt;
    }
    return out;
}

std::vector<Literal> read_literals(const SyntaxTree& tree) {
    std::vector<Literal> out;
    for (NodeId id = 0; id < tree.size(); ++id) {
        bool whole = tree.kind(id) == NodeKind::concatenated_string;
        bool single = tree.kind(id) == NodeKind::string && tree.kind(tree.parent(id)) != NodeKind::concatenated_string;
        if (!(whole || single) || tree.kind(tree.parent(id)) == NodeKind::expression_statement) continue;
        if (auto literal = read_literal(tree, id)) out.push_back(std::move(*literal));
    }
    return out;
}

namespace {

// "text".lower(): nullopt for other methods.
std::optional<std::string> changed_case(const SyntaxTree& tree, NodeId call) {
    const NodeId function = tree.child(call, Field::function);
    if (tree.kind(function) != NodeKind::attribute || !tree.named_children(tree.child(call, Field::arguments)).empty())
        return std::nullopt;
    const std::string_view method = tree.text(tree.child(function, Field::attribute));
    auto literal = read_literal(tree, tree.child(function, Field::object));
    if (!literal || (method != "lower" && method != "casefold")) return std::nullopt;
    return base::lower_case(literal->text);
}

bool is_sum(const SyntaxTree& tree, NodeId node) {
    return tree.kind(node) == NodeKind::binary_operator && tree.text(tree.child(node, Field::operator_)) == "+";
}

}  // namespace

std::vector<ComposedText> read_composed_texts(const SyntaxTree& tree) {
    std::vector<ComposedText> out;
    // Of the sum that is looked at: a longer one contains it, and its text is known when that is asked for.
    std::unordered_map<NodeId, std::string> sums;
    for (NodeId id = static_cast<NodeId>(tree.size()); id-- > 0;) {
        if (tree.kind(id) == NodeKind::call) {
            if (auto text = changed_case(tree, id)) out.push_back({id, std::move(*text)});
        }
        if (!is_sum(tree, id)) continue;
        auto text_of = [&](NodeId part) -> std::optional<std::string> {
            if (const auto known = sums.find(part); known != sums.end()) return known->second;
            const auto literal = read_literal(tree, part);
            return literal ? std::optional(literal->text) : std::nullopt;
        };
        const auto left = text_of(tree.child(id, Field::left)), right = text_of(tree.child(id, Field::right));
        if (!left || !right || left->size() + right->size() > kMaxComposed) continue;
        sums.emplace(id, *left + *right);
        if (!is_sum(tree, tree.parent(id))) out.push_back({id, *left + *right});
    }
    return out;
}

}  // namespace migrator
