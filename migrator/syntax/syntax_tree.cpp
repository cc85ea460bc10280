#include "migrator/syntax/syntax_tree.h"

#include <algorithm>
#include <limits>

#include <tree_sitter/api.h>

#include "migrator/syntax/bounded_parse.h"
#include "migrator/syntax/grammar.h"

namespace migrator {
namespace {

// A cursor over a tree; moving needs no recursion, whatever the depth.
class Cursor {
public:
    explicit Cursor(const TSTree* tree) : cursor_(ts_tree_cursor_new(ts_tree_root_node(tree))) {}
    ~Cursor() { ts_tree_cursor_delete(&cursor_); }
    Cursor(const Cursor&) = delete;
    Cursor& operator=(const Cursor&) = delete;

    TSNode node() const { return ts_tree_cursor_current_node(&cursor_); }
    TSFieldId field() const { return ts_tree_cursor_current_field_id(&cursor_); }
    bool to_first_child() { return ts_tree_cursor_goto_first_child(&cursor_); }
    bool to_next_sibling() { return ts_tree_cursor_goto_next_sibling(&cursor_); }
    bool to_parent() { return ts_tree_cursor_goto_parent(&cursor_); }

private:
    TSTreeCursor cursor_;
};

}  // namespace

SyntaxTree SyntaxTree::parse(std::string_view text) {
    SyntaxTree tree;
    tree.text_ = text;
    const bool is_parsed = bounded_parse(text, [&](const TSTree* parsed) { tree.copy(parsed); });
    if (!is_parsed) tree.add_unparsable();
    return tree;
}

void SyntaxTree::add_unparsable() {
    const auto end =
        static_cast<std::uint32_t>(std::min<std::size_t>(text_.size(), std::numeric_limits<std::uint32_t>::max()));
    nodes_ = {Node{.end = end, .subtree_end = 2, .kind = NodeKind::module, .named = true},
              Node{.end = end, .parent = 0, .subtree_end = 2, .kind = NodeKind::error, .named = true}};
    errors_ = {{0, text_.size()}};
    recovered_ = gave_up_ = true;
}

void SyntaxTree::copy(const TSTree* parsed) {
    const Grammar& grammar = Grammar::python();
    nodes_.reserve(ts_node_descendant_count(ts_tree_root_node(parsed)));
    recovered_ = ts_node_has_error(ts_tree_root_node(parsed));
    Cursor cursor(parsed);
    NodeId parent = kNoNode;
    for (;;) {
        const TSNode node = cursor.node();
        const auto id = static_cast<NodeId>(nodes_.size());
        nodes_.push_back({.begin = ts_node_start_byte(node),
                          .end = ts_node_end_byte(node),
                          .parent = parent,
                          .kind = grammar.kind(ts_node_symbol(node)),
                          .field = grammar.field(cursor.field()),
                          .named = ts_node_is_named(node),
                          .missing = ts_node_is_missing(node)});
        note_error(id);

        if (cursor.to_first_child()) {
            parent = id;
            continue;
        }
        NodeId last = id;
        nodes_[last].subtree_end = static_cast<NodeId>(nodes_.size());
        while (!cursor.to_next_sibling()) {
            if (!cursor.to_parent()) return;
            last = parent;
            parent = nodes_[last].parent;
            nodes_[last].subtree_end = static_cast<NodeId>(nodes_.size());
        }
    }
}

void SyntaxTree::note_error(NodeId id) {
    const Node& node = nodes_[id];
    if (node.kind != NodeKind::error && !node.missing) return;
    // Nodes come in the order of their begin, so an error inside an earlier one ends before it does.
    if (!errors_.empty() && node.begin < errors_.back().end && node.end <= errors_.back().end) return;
    errors_.push_back(range(id));
}

NodeId SyntaxTree::child(NodeId id, Field field) const {
    for (NodeId at = first_child(id); at != kNoNode; at = next_sibling(at)) {
        if (nodes_[at].field == field) return at;
    }
    return kNoNode;
}

NodeList SyntaxTree::named_children(NodeId id) const {
    NodeList out;
    for (NodeId at = first_child(id); at != kNoNode; at = next_sibling(at)) {
        if (nodes_[at].named) out.push_back(at);
    }
    return out;
}

NodeId SyntaxTree::ancestor(NodeId id, NodeKind kind) const {
    NodeId at = parent(id);
    while (at != kNoNode && nodes_[at].kind != kind) at = parent(at);
    return at;
}

NodeId SyntaxTree::smallest_at(base::ByteRange range) const {
    // Begins do not decrease in preorder: every node that spans the range is the last one that begins at or before
    // it, or one of that node's ancestors.
    const auto behind = std::ranges::upper_bound(nodes_, range.begin, {}, [](const Node& node) { return node.begin; });
    if (behind == nodes_.begin()) return root();
    auto id = static_cast<NodeId>(behind - nodes_.begin() - 1);
    while (nodes_[id].end < range.end && nodes_[id].parent != kNoNode) id = nodes_[id].parent;
    return id;
}

bool SyntaxTree::touches_error(base::ByteRange range) const {
    const auto first =
        std::ranges::lower_bound(errors_, range.begin, {}, [](const base::ByteRange& error) { return error.end; });
    return first != errors_.end() && first->begin <= range.end;
}

}  // namespace migrator
