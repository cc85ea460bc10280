#include "migrator/compare/sequence_match.h"

#include <algorithm>
#include <unordered_map>

namespace migrator {
namespace {

struct Block {
    std::uint32_t base, compared, size;
};
struct Range {
    std::uint32_t base_begin, base_end, begin, end;
};

class BlockFinder {
public:
    BlockFinder(const std::vector<std::uint32_t>& base, const std::vector<std::uint32_t>& compared)
        : base_(base), compared_(compared), lengths_(compared.size() + 1), fresh_(compared.size() + 1) {
        std::uint32_t most = 0;
        for (const std::uint32_t name : compared) most = std::max(most, name + 1);
        places_.resize(most);
        for (std::uint32_t j = 0; j < compared.size(); ++j) places_[compared[j]].push_back(j);
    }

    std::vector<Block> all() {
        std::vector<Block> out;
        std::vector<Range> open{
            {0, static_cast<std::uint32_t>(base_.size()), 0, static_cast<std::uint32_t>(compared_.size())}};
        while (!open.empty()) {
            const Range range = open.back();
            open.pop_back();
            const Block block = longest(range);
            if (block.size == 0) continue;
            out.push_back(block);
            if (range.base_begin < block.base && range.begin < block.compared)
                open.push_back({range.base_begin, block.base, range.begin, block.compared});
            if (block.base + block.size < range.base_end && block.compared + block.size < range.end)
                open.push_back({block.base + block.size, range.base_end, block.compared + block.size, range.end});
        }
        std::ranges::sort(out, {}, &Block::base);
        return out;
    }

private:
    // lengths_[j + 1]: of the run that ends at j and at the row before.
    Block longest(const Range& range) {
        if (is_equal(range)) return {range.base_begin, range.begin, range.end - range.begin};
        Block best{range.base_begin, range.begin, 0};
        std::vector<std::uint32_t> before, now;
        for (std::uint32_t i = range.base_begin; i < range.base_end; ++i) {
            now.clear();
            if (base_[i] < places_.size()) {
                const auto& places = places_[base_[i]];
                for (auto at = std::ranges::lower_bound(places, range.begin); at != places.end() && *at < range.end;
                     ++at) {
                    const std::uint32_t length = (*at > range.begin ? lengths_[*at] : 0) + 1;
                    fresh_[*at + 1] = length;
                    now.push_back(*at + 1);
                    if (length > best.size) best = {i + 1 - length, *at + 1 - length, length};
                }
            }
            for (const std::uint32_t j : before) lengths_[j] = 0;
            for (const std::uint32_t j : now) lengths_[j] = fresh_[j];
            before.swap(now);
        }
        for (const std::uint32_t j : before) lengths_[j] = 0;
        return best;
    }

    bool is_equal(const Range& range) const {
        return std::equal(base_.begin() + range.base_begin, base_.begin() + range.base_end,
                          compared_.begin() + range.begin, compared_.begin() + range.end);
    }

    const std::vector<std::uint32_t>& base_;
    const std::vector<std::uint32_t>& compared_;
    std::vector<std::vector<std::uint32_t>> places_;  // of each name
    std::vector<std::uint32_t> lengths_, fresh_;
};

}  // namespace

namespace {

constexpr std::size_t kPiece = 4096;
constexpr double kMostSteps = 1e9;

// How often equal names stand across from each other: the steps of looking for one run.
double steps_of(const std::vector<std::uint32_t>& base, const std::vector<std::uint32_t>& compared) {
    std::unordered_map<std::uint32_t, double> counts;
    for (const std::uint32_t name : base) ++counts[name];
    double out = 0;
    for (const std::uint32_t name : compared) {
        const auto found = counts.find(name);
        out += found == counts.end() ? 0 : found->second;
    }
    return out;
}

// `base_begin`, `begin`: what the places of the pairs are counted from.
void add_matched(const std::vector<std::uint32_t>& base, const std::vector<std::uint32_t>& compared,
                 std::uint32_t base_begin, std::uint32_t begin, std::vector<MatchedPair>& out) {
    std::uint32_t i = 0, j = 0;
    const auto alone = [&](std::uint32_t base_end, std::uint32_t end) {
        for (; i < base_end; ++i) out.push_back({base_begin + i, MatchedPair::kNone});
        for (; j < end; ++j) out.push_back({MatchedPair::kNone, begin + j});
    };
    for (const Block& block : BlockFinder(base, compared).all()) {
        alone(block.base, block.compared);
        for (std::uint32_t k = 0; k < block.size; ++k) out.push_back({base_begin + i++, begin + j++});
    }
    alone(static_cast<std::uint32_t>(base.size()), static_cast<std::uint32_t>(compared.size()));
}

std::vector<std::uint32_t> piece_of(const std::vector<std::uint32_t>& all, std::size_t begin) {
    const std::size_t first = std::min(begin, all.size()), last = std::min(begin + kPiece, all.size());
    return {all.begin() + static_cast<std::ptrdiff_t>(first), all.begin() + static_cast<std::ptrdiff_t>(last)};
}

}  // namespace

std::vector<MatchedPair> matched(const std::vector<std::uint32_t>& base, const std::vector<std::uint32_t>& compared) {
    std::vector<MatchedPair> out;
    if (steps_of(base, compared) <= kMostSteps) {
        add_matched(base, compared, 0, 0, out);
        return out;
    }
    for (std::size_t begin = 0; begin < std::max(base.size(), compared.size()); begin += kPiece) {
        const auto place = static_cast<std::uint32_t>(begin);
        add_matched(piece_of(base, begin), piece_of(compared, begin), place, place, out);
    }
    return out;
}

}  // namespace migrator
