// SyntaxTree::pack: a tree in a fifth of its memory. Of each node there is the kind, a byte for its field and flags, and
// two numbers of few bytes: how far behind the node before it begins, with what leads to its parent, and its length.
#include "migrator/syntax/syntax_tree.h"

namespace migrator {
namespace {

constexpr unsigned kNamed = 0x80, kMissing = 0x40;  // above the field
constexpr unsigned kHasChildren = 1, kIsLast = 2;   // below the distance

#define X(kind) +1
static_assert(3 MIGRATOR_NODE_KINDS(X) <= 0x100 && 1 MIGRATOR_FIELDS(X) <= kMissing);
#undef X

// Seven bits a byte, the lowest first; the highest bit says that more follow.
void put(std::string& out, std::uint64_t number) {
    for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
    out += static_cast<char>(number);
}

std::uint64_t take(std::string_view packed, std::size_t& at) {
    std::uint64_t out = 0;
    for (int shift = 0;; shift += 7) {
        const auto byte = static_cast<std::uint8_t>(packed[at++]);
        out |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
        if (byte < 0x80) return out;
    }
}

// Small numbers of either sign as small ones without: broken code may have a node in front of the one before it.
std::uint64_t folded(std::int64_t number) {
    return number < 0 ? static_cast<std::uint64_t>(-number) * 2 - 1 : static_cast<std::uint64_t>(number) * 2;
}
std::int64_t unfolded(std::uint64_t number) {
    const auto half = static_cast<std::int64_t>(number / 2);
    return number % 2 == 0 ? half : -half - 1;
}

}  // namespace

std::string SyntaxTree::pack() const {
    std::string out;
    out.reserve(nodes_.size() * 5 + 16);
    put(out, nodes_.size());
    out += static_cast<char>((recovered_ ? 1 : 0) + (gave_up_ ? 2 : 0));
    std::uint32_t begin = 0;
    for (NodeId id = 0; id < nodes_.size(); ++id) {
        const Node& node = nodes_[id];
        const bool is_last = node.parent == kNoNode || node.subtree_end == nodes_[node.parent].subtree_end;
        out += static_cast<char>(node.kind);
        out += static_cast<char>(static_cast<unsigned>(node.field) | (node.named ? kNamed : 0) |
                                 (node.missing ? kMissing : 0));
        put(out, folded(static_cast<std::int64_t>(node.begin) - begin) << 2 | (is_last ? kIsLast : 0) |
                     (node.subtree_end == id + 1 ? 0 : kHasChildren));
        put(out, node.end - node.begin);
        begin = node.begin;
    }
    out.shrink_to_fit();
    return out;
}

SyntaxTree SyntaxTree::unpack(std::string_view packed, std::string_view text) {
    SyntaxTree tree;
    tree.text_ = text;
    std::size_t at = 0;
    const std::uint64_t count = take(packed, at);
    tree.recovered_ = (packed[at] & 1) != 0;
    tree.gave_up_ = (packed[at++] & 2) != 0;
    tree.nodes_.resize(count);
    std::uint32_t begin = 0;
    NodeId parent = kNoNode;
    for (NodeId id = 0; id < count; ++id) {
        Node& node = tree.nodes_[id];
        node.kind = static_cast<NodeKind>(static_cast<std::uint8_t>(packed[at++]));
        const auto bits = static_cast<std::uint8_t>(packed[at++]);
        node.field = static_cast<Field>(bits & (kMissing - 1));
        node.named = (bits & kNamed) != 0;
        node.missing = (bits & kMissing) != 0;
        const std::uint64_t distance = take(packed, at);
        begin = static_cast<std::uint32_t>(begin + unfolded(distance >> 2));
        node.begin = begin;
        node.end = begin + static_cast<std::uint32_t>(take(packed, at));
        node.parent = parent;
        tree.note_error(id);
        bool is_last = (distance & kIsLast) != 0;
        if ((distance & kHasChildren) != 0) {
            // Until its end is known, whether it is the last one of its parent.
            node.subtree_end = is_last;
            parent = id;
            continue;
        }
        node.subtree_end = id + 1;
        while (is_last && parent != kNoNode) {
            Node& above = tree.nodes_[parent];
            is_last = above.subtree_end != 0;
            above.subtree_end = id + 1;
            parent = above.parent;
        }
    }
    return tree;
}

}  // namespace migrator
