// SyntaxTree: a Python file as a flat array of nodes, in preorder. The only folder that sees tree-sitter.
//
// tree-sitter's tree is copied once and freed: parents and siblings are then a lookup, and no walk over input-shaped
// data needs recursion (a tree may be a million levels deep).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/inline_vector.h"
#include "base/text_position.h"
#include "migrator/syntax/node_kind.h"

struct TSTree;

namespace migrator {

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0xFFFFFFFF;
using NodeList = base::InlineVector<NodeId, 8>;

// A part of a text that is replaced by one of another size.
struct TextChange {
    base::ByteRange range;  // in the text before
    std::uint64_t new_size = 0;
};

class SyntaxTree {
public:
    // The text must be UTF-8 and outlive the tree. Never fails: unparsable parts become `error` nodes.
    static SyntaxTree parse(std::string_view text);
    // The same tree for the text that `changes`, sorted and without overlaps, make of that of `before`, but only the
    // statements with changes are parsed where that is possible.
    static SyntaxTree reparse(const SyntaxTree& before, std::span<const TextChange> changes, std::string_view text);

    // The tree in a fifth of its memory, and back: the same tree for the same text.
    std::string pack() const;
    static SyntaxTree unpack(std::string_view packed, std::string_view text);

    std::string_view source() const { return text_; }
    NodeId root() const { return 0; }
    std::size_t size() const { return nodes_.size(); }  // ids are 0 .. size()-1 in preorder
    std::size_t bytes() const { return nodes_.capacity() * sizeof(Node); }

    NodeKind kind(NodeId id) const { return nodes_[id].kind; }
    Field field(NodeId id) const { return nodes_[id].field; }  // its role in the parent
    bool named(NodeId id) const { return nodes_[id].named; }   // false: punctuation or a keyword
    bool missing(NodeId id) const { return nodes_[id].missing; }
    base::ByteRange range(NodeId id) const { return {nodes_[id].begin, nodes_[id].end}; }
    std::string_view text(NodeId id) const { return text_.substr(nodes_[id].begin, nodes_[id].end - nodes_[id].begin); }

    NodeId parent(NodeId id) const { return nodes_[id].parent; }
    NodeId first_child(NodeId id) const { return nodes_[id].subtree_end == id + 1 ? kNoNode : id + 1; }
    NodeId next_sibling(NodeId id) const {
        const NodeId next = nodes_[id].subtree_end;
        return nodes_[id].parent == kNoNode || next == nodes_[nodes_[id].parent].subtree_end ? kNoNode : next;
    }
    // One past the last node of the subtree: the subtree of `id` is [id, subtree_end(id)).
    NodeId subtree_end(NodeId id) const { return nodes_[id].subtree_end; }
    bool is_ancestor(NodeId ancestor, NodeId id) const { return id >= ancestor && id < subtree_end(ancestor); }

    // The first child with this role, or kNoNode.
    NodeId child(NodeId id, Field field) const;
    NodeList named_children(NodeId id) const;
    // The nearest ancestor (not `id` itself) of this kind, or kNoNode.
    NodeId ancestor(NodeId id, NodeKind kind) const;
    // The smallest node that spans the range.
    NodeId smallest_at(base::ByteRange range) const;

    // Ranges of ERROR and MISSING nodes; edits inside or touching one are refused.
    const std::vector<base::ByteRange>& error_ranges() const { return errors_; }
    bool has_errors() const { return !errors_.empty(); }
    // It took more work to parse than a text of its size may take: all of it is one `error` node.
    bool gave_up() const { return gave_up_; }
    bool touches_error(base::ByteRange range) const;

private:
    class Reparser;

    // Children come right behind their parent, siblings behind each other's subtrees: no links are needed.
    struct Node {
        std::uint32_t begin = 0;
        std::uint32_t end = 0;
        NodeId parent = kNoNode;
        NodeId subtree_end = 0;
        NodeKind kind = NodeKind::other;
        Field field = Field::none;
        bool named : 1 = false;
        bool missing : 1 = false;
    };

    void copy(const TSTree* parsed);
    void note_error(NodeId id);
    void add_unparsable();

    std::string_view text_;
    std::vector<Node> nodes_;
    std::vector<base::ByteRange> errors_;
    bool gave_up_ = false;
    bool recovered_ = false;  // the parser had to guess, even if it is not at a node that shows
};

}  // namespace migrator
