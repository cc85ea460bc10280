#include "migrator/match/literal.h"

namespace migrator {
namespace {

bool append_string(const SyntaxTree& tree, NodeId string, Literal& out) {
    for (NodeId part = tree.first_child(string); part != kNoNode; part = tree.next_sibling(part)) {
        switch (tree.kind(part)) {
            case NodeKind::string_start:
                if (tree.text(part).find_first_of("bB") != std::string_view::npos) return false;
                break;
            case NodeKind::string_content: {
                if (tree.first_child(part) != kNoNode) return false;  // escapes
                base::ByteRange range = tree.range(part);
                for (std::uint64_t at = range.begin; at < range.end; ++at) out.offsets.push_back(at);
                out.text += tree.text(part);
                break;
            }
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

std::optional<Literal> read_literal(const SyntaxTree& tree, NodeId node) {
    Literal out;
    out.node = node;
    if (tree.kind(node) == NodeKind::string) {
        if (!append_string(tree, node, out)) return std::nullopt;
        return out;
    }
    for (NodeId part : tree.named_children(node)) {
        if (tree.kind(part) == NodeKind::string && !append_string(tree, part, out)) return std::nullopt;
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

}  // namespace migrator
