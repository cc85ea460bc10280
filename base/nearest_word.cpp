#include "base/nearest_word.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/format.h"

namespace base {
namespace {

// Insertions, deletions and exchanges of characters that make one word the other.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t exchanged = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({row[j] + 1, row[j + 1] + 1, exchanged});
        }
    }
    return row.back();
}

constexpr std::size_t kMaxWordBytes = 100;  // beyond, nobody has mistyped a short word

}  // namespace

std::string_view nearest_word(std::string_view word, std::span<const std::string> known) {
    std::string_view nearest;
    std::size_t least = std::min(word.size(), std::size_t{6}) / 2 + 1;  // half of a short word, three of a long one
    for (const std::string& candidate : known) {
        const std::size_t steps = word.size() > kMaxWordBytes ? least : distance(word, candidate);
        if (steps >= least) continue;
        least = steps;
        nearest = candidate;
    }
    return nearest;
}

bool is_mistyped(std::string_view word, std::string_view meant) {
    constexpr std::size_t kMostSteps = 2;
    constexpr std::size_t kCharactersOfAStep = 4;
    if (meant.empty() || word.size() > kMaxWordBytes) return false;
    const std::size_t steps = distance(word, meant);
    return steps <= kMostSteps && steps * kCharactersOfAStep <= meant.size();
}

std::string did_you_mean(std::string_view word, std::span<const std::string> known) {
    const std::string_view nearest = nearest_word(word, known);
    return nearest.empty() ? "" : format("; did you mean \"{}\"?", nearest);
}

std::string did_you_mean_or_all(std::string_view word, std::span<const std::string> known) {
    const std::string meant = did_you_mean(word, known);
    return meant.empty() ? "; there are " + joined(known, ", ") : meant;
}

}  // namespace base
