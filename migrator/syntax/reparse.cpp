// SyntaxTree::reparse: only statements with changes are parsed again; the rest of the tree is copied.
//
// What stands between two statements of one block is parsed alike wherever it is: behind a head of our own, or as a file
// when the block is the module.
#include <algorithm>
#include <limits>
#include <optional>

#include "migrator/syntax/syntax_tree.h"

namespace migrator {
namespace {

constexpr std::string_view kHead = "if 1:\n";
constexpr NodeId kHeadBlock = 5;  // behind the module, the statement, `if`, `1` and `:`

// With more, most of the text is new.
constexpr std::size_t kMaxChanges = 256;

// Statements in a row: from `first` up to `behind`, a statement of the same block. Bytes are of whole lines.
struct Section {
    NodeId block = 0;
    NodeId first = 0;
    NodeId behind = kNoNode;  // kNoNode: up to the end of the file
    base::ByteRange range;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Where the line of a statement begins that nothing stands in front of.
std::optional<std::uint64_t> line_begin(const SyntaxTree& tree, NodeId statement) {
    const NodeKind kind = tree.kind(statement);
    if (kind == NodeKind::comment || kind == NodeKind::token) return std::nullopt;
    const std::string_view text = tree.source();
    std::uint64_t at = tree.range(statement).begin;
    while (at > 0 && is_blank(text[at - 1])) --at;
    if (at == 0) return at;
    if (text[at - 1] != '\n') return std::nullopt;
    const std::string_view before = text.substr(0, at - 1);
    return before.ends_with('\\') || before.ends_with("\\\r") ? std::nullopt : std::optional(at);
}

// The statements of a block around a change.
std::optional<Section> section_in(const SyntaxTree& tree, NodeId block, base::ByteRange change) {
    Section out{block, kNoNode, kNoNode, {0, tree.source().size()}};
    for (NodeId at = tree.first_child(block); at != kNoNode; at = tree.next_sibling(at)) {
        const std::uint64_t begin = tree.range(at).begin;
        // A comment that is new in front of a statement may belong to the one before it.
        if (begin >= change.begin && begin <= change.end) continue;
        const auto line = line_begin(tree, at);
        if (!line) continue;
        if (begin < change.begin) {
            out.first = at;
            out.range.begin = *line;
        } else if (*line > change.end) {
            out.behind = at;
            out.range.end = *line;
            break;
        }
    }
    const bool is_whole_file = block == tree.root();
    if (out.first == kNoNode || (out.behind == kNoNode && !is_whole_file)) return std::nullopt;
    return out;
}

// Whether nothing but blanks stands in front of it in its line, so that it may change how far the line is indented.
bool is_in_indentation(std::string_view text, std::uint64_t at) {
    while (at > 0 && is_blank(text[at - 1])) --at;
    return at == 0 || text[at - 1] == '\n';
}

// The smallest part of the tree that can be parsed alone.
std::optional<Section> section_of(const SyntaxTree& tree, base::ByteRange change) {
    const bool only_module = is_in_indentation(tree.source(), change.begin);
    for (NodeId at = tree.smallest_at(change); at != kNoNode; at = tree.parent(at)) {
        if (at != tree.root() && (only_module || tree.kind(at) != NodeKind::block)) continue;
        if (auto section = section_in(tree, at, change)) return section;
    }
    return std::nullopt;
}

// The sections of all changes, none of which touches another one; nullopt when one cannot be told.
std::optional<std::vector<Section>> sections_of(const SyntaxTree& tree, std::span<const TextChange> changes) {
    std::vector<Section> found;
    for (const TextChange& change : changes) {
        const auto section = section_of(tree, change.range);
        if (!section) return std::nullopt;
        found.push_back(*section);
    }
    std::ranges::sort(found, [](const Section& a, const Section& b) {
        return std::pair(a.range.begin, b.range.end) < std::pair(b.range.begin, a.range.end);
    });
    std::vector<Section> out;
    for (const Section& section : found) {
        if (out.empty() || section.range.begin >= out.back().range.end) {
            out.push_back(section);
        } else if (section.range.end > out.back().range.end) {
            // Statements of one block, in part the same ones.
            out.back().behind = section.behind;
            out.back().range.end = section.range.end;
        }
    }
    return out;
}

}  // namespace

class SyntaxTree::Reparser {
public:
    Reparser(const SyntaxTree& before, std::span<const TextChange> changes, std::string_view text)
        : before_(before), changes_(changes), text_(text) {
        for (const TextChange& change : changes)
            growth_.push_back(growth_.back() + change.new_size - (change.range.end - change.range.begin));
    }

    // nullopt: only a parse of the whole text tells.
    std::optional<SyntaxTree> run() {
        if (before_.recovered_ || before_.first_child(before_.root()) == kNoNode) return std::nullopt;
        if (changes_.size() > kMaxChanges || text_.size() > std::numeric_limits<std::uint32_t>::max())
            return std::nullopt;
        const auto sections = sections_of(before_, changes_);
        if (!sections) return std::nullopt;
        after_.text_ = text_;
        after_.nodes_.reserve(before_.nodes_.size() + 64);
        new_id_.resize(before_.nodes_.size() + 1);
        NodeId next = 0;
        for (const Section& section : *sections) {
            copy(next, section.first);
            if (!parse(section)) return std::nullopt;
            next = section.behind == kNoNode ? static_cast<NodeId>(before_.nodes_.size()) : section.behind;
        }
        copy(next, static_cast<NodeId>(before_.nodes_.size()));
        new_id_.back() = static_cast<NodeId>(after_.nodes_.size());
        finish(*sections);
        return std::move(after_);
    }

private:
    void copy(NodeId from, NodeId to) {
        for (NodeId id = from; id < to; ++id) {
            new_id_[id] = static_cast<NodeId>(after_.nodes_.size());
            Node node = before_.nodes_[id];
            node.begin = shifted(node.begin);
            node.end = shifted(node.end);
            if (node.parent != kNoNode) node.parent = new_id_[node.parent];
            copied_.push_back(new_id_[id]);
            after_.nodes_.push_back(node);
        }
    }

    bool parse(const Section& section) {
        const bool is_in_module = section.block == before_.root();
        const std::uint64_t begin = shifted(section.range.begin);
        const std::uint64_t end = section.behind == kNoNode ? text_.size() : shifted(section.range.end);
        const std::string_view part = text_.substr(begin, end - begin);
        // Behind a backslash the next statement would go on.
        if (part.ends_with("\\\n") || part.ends_with("\\\r\n")) return false;
        const std::string wrapped = std::string(is_in_module ? "" : kHead).append(part);
        const SyntaxTree tree = SyntaxTree::parse(wrapped);
        const NodeId block = is_in_module ? 0 : kHeadBlock;
        const bool is_as_expected =
            !tree.recovered_ && tree.size() > block + 1 &&
            (is_in_module || (tree.kind(block) == NodeKind::block && tree.parent(block) == 1 &&
                              tree.subtree_end(block) == tree.size() && tree.kind(block - 1) == NodeKind::token));
        if (!is_as_expected) return false;

        const NodeId parent = new_id_[section.block];
        const auto first = static_cast<NodeId>(after_.nodes_.size());
        const NodeId shift = first - (block + 1);
        const auto bytes = static_cast<std::uint32_t>(begin - (wrapped.size() - part.size()));
        new_id_[section.first] = first;
        for (NodeId id = block + 1; id < tree.size(); ++id) {
            Node node = tree.nodes_[id];
            node.begin += bytes;
            node.end += bytes;
            node.parent = node.parent == block ? parent : node.parent + shift;
            node.subtree_end += shift;
            after_.nodes_.push_back(node);
        }
        return true;
    }

    // What only the whole tells: where subtrees end, and how far blocks with new statements go.
    void finish(const std::vector<Section>& sections) {
        for (const NodeId id : copied_) after_.nodes_[id].subtree_end = new_id_[after_.nodes_[id].subtree_end];
        for (const Section& section : sections) {
            const NodeId block = new_id_[section.block];
            if (section.first == section.block + 1) after_.nodes_[block].begin = after_.nodes_[block + 1].begin;
        }
        after_.nodes_.front().end = static_cast<std::uint32_t>(text_.size());
    }

    // Where a byte of the text before, which no change touches, stands now. What is inserted at it comes behind it.
    std::uint32_t shifted(std::uint64_t offset) const {
        const auto behind =
            std::ranges::lower_bound(changes_, offset, {}, [](const TextChange& change) { return change.range.begin; });
        return static_cast<std::uint32_t>(offset + growth_[static_cast<std::size_t>(behind - changes_.begin())]);
    }

    const SyntaxTree& before_;
    std::span<const TextChange> changes_;
    std::string_view text_;
    std::vector<std::uint64_t> growth_{0};  // by change: of the text in front of it, modulo 2^64
    SyntaxTree after_;
    std::vector<NodeId> new_id_;  // by the node's id in `before_`
    std::vector<NodeId> copied_;  // ids in `after_`
};

SyntaxTree SyntaxTree::reparse(const SyntaxTree& before, std::span<const TextChange> changes, std::string_view text) {
    if (auto tree = Reparser(before, changes, text).run()) return std::move(*tree);
    return parse(text);
}

}  // namespace migrator
