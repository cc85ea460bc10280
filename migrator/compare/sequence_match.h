// Pairs two sequences of names: the longest run that both have, then what is before it and behind it, in the same way.
#pragma once

#include <cstdint>
#include <vector>

namespace migrator {

struct MatchedPair {
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};
    std::uint32_t base = kNone, compared = kNone;  // places in the sequences
};

// As difflib's SequenceMatcher without its notion of junk does: of several longest runs the earliest in the base, then the earliest in the
// other one. Sequences that would take more than some seconds so are cut into pieces of a few thousand, which are paired each for itself.
// What has no partner stands at its place, that of the base first.
std::vector<MatchedPair> matched(const std::vector<std::uint32_t>& base, const std::vector<std::uint32_t>& compared);

}  // namespace migrator
