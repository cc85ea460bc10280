#include "migrator/pattern/match_parts.h"

#include <algorithm>
#include <tuple>

namespace migrator {
namespace {

// Where a subtree of a match begins or ends.
struct Edge {
    NodeId at;
    bool begins;
    bool is_hole;
    std::size_t match;
    auto order() const { return std::tuple(at, begins); }  // at the same node, ends come first
};

std::vector<Edge> edges_of(const SyntaxTree& tree, const std::vector<PatternMatch>& found) {
    std::vector<Edge> out;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto add = [&](NodeId node, bool is_hole) {
            if (node == kNoNode) return;
            out.push_back({node, true, is_hole, i});
            out.push_back({tree.subtree_end(node), false, is_hole, i});
        };
        add(found[i].root, false);
        for (const Definition& definition : found[i].definitions) add(definition.statement, false);
        for (const PatternMatch::Hole& hole : found[i].holes) {
            for (const CodePlace& place : hole.places) add(place.node, true);
        }
    }
    std::sort(out.begin(), out.end(), [](const Edge& a, const Edge& b) { return a.order() < b.order(); });
    return out;
}

// Walks the nodes in preorder and knows which matches take up the node at hand.
class Sweep {
public:
    Sweep(const SyntaxTree& tree, const std::vector<PatternMatch>& found)
        : edges_(edges_of(tree, found)), inside_(found.size()) {}

    void go_to(NodeId node) {
        for (; next_ < edges_.size() && edges_[next_].at <= node; ++next_) {
            const Edge& edge = edges_[next_];
            taking_ -= takes(edge.match);
            (edge.is_hole ? inside_[edge.match].holes : inside_[edge.match].parts) += edge.begins ? 1 : -1;
            taking_ += takes(edge.match);
        }
    }

    int takes(std::size_t match) const { return inside_[match].parts > 0 && inside_[match].holes == 0 ? 1 : 0; }
    int taking() const { return taking_; }

private:
    struct Inside {
        int parts = 0, holes = 0;
    };

    std::vector<Edge> edges_;
    std::size_t next_ = 0;
    std::vector<Inside> inside_;  // by match
    int taking_ = 0;              // matches
};

}  // namespace

std::vector<PatternMatch> without_parts(const SyntaxTree& tree, std::vector<PatternMatch> found) {
    Sweep sweep(tree, found);
    std::vector<PatternMatch> out;
    for (std::size_t first = 0, end = 0; first < found.size(); first = end) {
        sweep.go_to(found[first].root);
        int others = sweep.taking();
        for (end = first; end < found.size() && found[end].root == found[first].root; ++end) others -= sweep.takes(end);
        if (others == 0) out.push_back(std::move(found[first]));
    }
    return out;
}

}  // namespace migrator
