#include "migrator/compare/operator_pairs.h"

#include <algorithm>

#include "base/format.h"
#include "base/string_map.h"
#include "migrator/profile/json_tokens.h"

namespace migrator {
namespace {

// Gives both sides the same numbers for the same names.
class PairNames {
public:
    explicit PairNames(const PairingOptions& options) : options_(options) {}

    std::uint32_t number(const ProfileSide& side, const OperatorTree& tree, std::uint32_t node) {
        std::string name(tree.name(node));
        if (const auto other = options_.names.find(name); other != options_.names.end()) name = other->second;
        if (options_.by_shape) name += "\n" + joined_shapes(side.trace.texts[tree.event(node).shapes]);
        return numbers_.try_emplace(std::move(name), static_cast<std::uint32_t>(numbers_.size())).first->second;
    }

private:
    const PairingOptions& options_;
    base::StringMap<std::uint32_t> numbers_;
};

class Pairing {
public:
    Pairing(const ProfileSide& base, const OperatorTree& base_tree, const ProfileSide& compared,
            const OperatorTree& tree, const PairingOptions& options)
        : base_(base), compared_(compared), base_tree_(base_tree), tree_(tree), options_(options), names_(options) {}

    std::vector<MatchedPair> run() {
        const auto &a = base_tree_.top(), &b = tree_.top();
        if (options_.without_details) {
            for (const std::uint32_t node : a) out_.push_back({node, MatchedPair::kNone});
            for (const std::uint32_t node : b) out_.push_back({MatchedPair::kNone, node});
            return std::move(out_);
        }
        const TextNumber one = backward_thread(base_), other = backward_thread(compared_);
        if (one == kNoText || other == kNoText) match(a, b);
        else match_runs(runs(base_, base_tree_, a, one), runs(compared_, tree_, b, other));
        return std::move(out_);
    }

private:
    // Operators of the backward pass, or of all else, that follow each other.
    struct Run {
        bool is_backward = false;
        std::vector<std::uint32_t> nodes;
    };

    static TextNumber backward_thread(const ProfileSide& side) {
        return side.trace.kind == TraceKind::gpu ? side.trace.first_backward : side.trace.last_backward;
    }

    static std::vector<Run> runs(const ProfileSide& side, const OperatorTree& tree, std::vector<std::uint32_t> nodes,
                                 TextNumber backward) {
        std::ranges::stable_sort(nodes, {}, [&](std::uint32_t node) { return tree.event(node).begin; });
        std::vector<Run> out;
        for (const std::uint32_t node : nodes) {
            const bool is_backward = side.trace.threads[tree.event(node).thread].second == backward;
            if (out.empty() || out.back().is_backward != is_backward) out.push_back({is_backward, {}});
            out.back().nodes.push_back(node);
        }
        return out;
    }

    void match_runs(const std::vector<Run>& a, const std::vector<Run>& b) {
        std::size_t i = 0, j = 0;
        if (!a.empty() && !b.empty() && a[0].is_backward != b[0].is_backward) {
            if (a.size() > b.size()) match(a[i++].nodes, {});
            else match({}, b[j++].nodes);
        }
        for (; i < a.size() || j < b.size(); ++i, ++j)
            match(i < a.size() ? a[i].nodes : std::vector<std::uint32_t>(),
                  j < b.size() ? b[j].nodes : std::vector<std::uint32_t>());
    }

    void match(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
        std::vector<std::uint32_t> one, other;
        for (const std::uint32_t node : a) one.push_back(names_.number(base_, base_tree_, node));
        for (const std::uint32_t node : b) other.push_back(names_.number(compared_, tree_, node));
        for (const MatchedPair& pair : matched(one, other)) {
            const std::uint32_t left = pair.base == MatchedPair::kNone ? pair.base : a[pair.base];
            const std::uint32_t right = pair.compared == MatchedPair::kNone ? pair.compared : b[pair.compared];
            if (is_too_large(left, right)) match(base_tree_.children(left), tree_.children(right));
            else out_.push_back({left, right});
        }
    }

    bool is_too_large(std::uint32_t left, std::uint32_t right) const {
        if (!options_.max_kernels || left == MatchedPair::kNone || right == MatchedPair::kNone) return false;
        if (!base_tree_.has_children(left) || !tree_.has_children(right)) return false;
        return std::max(base_tree_.all_kernels(left).size(), tree_.all_kernels(right).size()) > *options_.max_kernels;
    }

    const ProfileSide &base_, &compared_;
    const OperatorTree &base_tree_, &tree_;
    const PairingOptions& options_;
    PairNames names_;
    std::vector<MatchedPair> out_;
};

}  // namespace

std::vector<MatchedPair> pair_operators(const ProfileSide& base, const OperatorTree& base_tree,
                                        const ProfileSide& compared, const OperatorTree& tree,
                                        const PairingOptions& options) {
    return Pairing(base, base_tree, compared, tree, options).run();
}

std::string joined_shapes(std::string_view written) {
    if (!written.starts_with('[')) {
        std::string scratch;
        return std::string(unescaped(unquoted(written), scratch));
    }
    std::string out;
    each_item(written, [&, is_first = true](std::string_view item) mutable {
        if (!is_first) out += ";\r\n";
        is_first = false;
        each_item(item, [&, is_first_size = true](std::string_view size) mutable {
            if (!is_first_size) out += ',';
            is_first_size = false;
            out += size;
        });
    });
    return out;
}

std::string python_text(std::string_view written) {
    std::string out, scratch;
    if (written.starts_with('[')) {
        out = "[";
        each_item(written, [&](std::string_view item) {
            if (out.size() > 1) out += ", ";
            if (item.starts_with('"')) out += base::format("'{}'", unescaped(unquoted(item), scratch));
            else out += python_text(item);
        });
        return out + "]";
    }
    return std::string(unescaped(unquoted(written), scratch));
}

std::string python_number(double value) {
    std::string out = base::format("{}", value);
    if (out.find_first_not_of("-0123456789") == out.npos) out += ".0";
    return out;
}

}  // namespace migrator
