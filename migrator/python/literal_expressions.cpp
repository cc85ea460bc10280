#include "migrator/python/literal_expressions.h"

#include <algorithm>

#include "base/text.h"

namespace migrator {
namespace {

bool ends_name(char c) { return base::is_word_char(c) || static_cast<unsigned char>(c) >= 0x80; }

// `return"cuda"`: a name needs a blank where a quote needed none.
std::string blank_in_front(std::string_view source, std::uint64_t at) {
    return at > 0 && ends_name(source[at - 1]) ? " " : "";
}
std::string blank_behind(std::string_view source, std::uint64_t at) {
    return at < source.size() && ends_name(source[at]) ? " " : "";
}

// The strings that the literal is written as: itself, or the parts of a concatenation.
std::vector<NodeId> pieces_of(const SyntaxTree& tree, NodeId literal) {
    if (tree.kind(literal) == NodeKind::string) return {literal};
    std::vector<NodeId> out;
    for (NodeId part : tree.named_children(literal)) {
        if (tree.kind(part) == NodeKind::string) out.push_back(part);
    }
    return out;
}

void make_formatted(const SyntaxTree& tree, const Literal& literal, NodeId piece, std::vector<Edit>& edits) {
    const NodeId start = tree.first_child(piece);
    const std::string_view prefix = tree.text(start);
    if (prefix.find_first_of("fF") != prefix.npos) return;
    const base::ByteRange range = tree.range(piece);
    const bool unicode = prefix.front() == 'u' || prefix.front() == 'U';
    edits.push_back({{range.begin, range.begin + (unicode ? 1 : 0)}, blank_in_front(tree.source(), range.begin) + "f"});
    // Braces were text until now.
    for (std::size_t i = 0; i < literal.text.size(); ++i) {
        const std::uint64_t at = literal.offsets[i];
        const char c = literal.text[i];
        if (range.contains(at) && (c == '{' || c == '}')) edits.push_back({{at, at}, std::string(1, c)});
    }
}

// case "cuda": the patterns of a match statement take no expressions. What is around an expression is not looked through.
bool is_in_pattern(const SyntaxTree& tree, NodeId literal) {
    for (NodeId at = tree.parent(literal); at != kNoNode; at = tree.parent(at)) {
        switch (tree.kind(at)) {
            case NodeKind::case_pattern: return true;
            case NodeKind::argument_list:
            case NodeKind::block:
            case NodeKind::comparison_operator:
            case NodeKind::conditional_expression:
            case NodeKind::dictionary:
            case NodeKind::list:
            case NodeKind::tuple: return false;
            default: break;
        }
    }
    return false;
}

}  // namespace

std::optional<std::vector<Edit>> expression_edits(const SyntaxTree& tree, const Literal& literal,
                                                  const std::vector<LiteralExpression>& parts) {
    if (is_in_pattern(tree, literal.node)) return std::nullopt;
    const std::vector<NodeId> pieces = pieces_of(tree, literal.node);
    const LiteralExpression& first = parts.front();
    if (pieces.size() == 1 && first.begin == 0 && first.end == literal.text.size()) {
        const base::ByteRange range = tree.range(literal.node);
        return std::vector<Edit>{{range, blank_in_front(tree.source(), range.begin) + first.expression +
                                             blank_behind(tree.source(), range.end)}};
    }
    std::vector<Edit> edits;
    for (NodeId piece : pieces) {
        bool formatted = false;
        for (const LiteralExpression& part : parts) {
            const auto range = literal.range_of(part.begin, part.end);
            if (!range) return std::nullopt;
            if (!tree.range(piece).contains(range->begin)) continue;
            if (!formatted) make_formatted(tree, literal, piece, edits);
            formatted = true;
            edits.push_back({*range, "{" + part.expression + "}"});
        }
    }
    return edits;
}

}  // namespace migrator
