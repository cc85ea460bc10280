#include "migrator/profile/kernel_runs.h"

#include <algorithm>
#include <unordered_map>

namespace migrator {
namespace {

constexpr std::size_t kLongest = 10;
constexpr std::uint64_t kLeastRepeats = 6;
constexpr double kLeastShare = 0.01, kMoving = 0.8, kCovered = 0.4;

struct RunTotals {
    std::size_t first = 0, next = 0;  // where it came first, and where it may come again
    std::uint64_t repeats = 0;
    double us = 0, moving = 0, wall = 0;
};

}  // namespace

void KernelRuns::add(std::string_view type, double begin, double duration, double moving) {
    first_us_ = std::min(first_us_, begin);
    last_us_ = std::max(last_us_, begin + duration);
    if (kernels_.size() == kMostKernels) return;
    const auto found = numbers_.find(type);
    const auto number = found == numbers_.end() ? static_cast<std::uint32_t>(types_.size()) : found->second;
    if (found == numbers_.end()) {
        numbers_.emplace(std::string(type), number);
        types_.emplace_back(type);
    }
    kernels_.push_back({number, begin, duration, moving});
}

std::optional<KernelRun> KernelRuns::longest() const {
    const double all_us = last_us_ - first_us_;
    std::optional<KernelRun> best;
    std::size_t first = 0;  // where that came first
    for (std::size_t length = 2; length <= kLongest && length <= kernels_.size(); ++length) {
        std::unordered_map<std::uint64_t, RunTotals> runs;
        for (std::size_t i = 0; i + length <= kernels_.size(); ++i) {
            std::uint64_t key = 0;
            double us = 0, moving = 0;
            for (std::size_t j = i; j < i + length; ++j) {
                constexpr std::uint64_t kPrime = 0x100000001b3;
                key = (key ^ (kernels_[j].type + 1)) * kPrime;
                us += kernels_[j].duration;
                moving += kernels_[j].moving;
            }
            const auto [place, is_new] = runs.try_emplace(key);
            RunTotals& run = place->second;
            if (is_new) run.first = i;
            if (i < run.next) continue;
            const Kernel& last = kernels_[i + length - 1];
            run.next = i + length;
            ++run.repeats;
            run.us += us;
            run.moving += moving;
            run.wall += last.begin + last.duration - kernels_[i].begin;
        }
        for (const auto& [key, run] : runs) {
            const bool is_slow = run.moving > kMoving * run.us || (run.wall > 0 && run.us < kCovered * run.wall);
            if (run.repeats < kLeastRepeats || run.us <= kLeastShare * all_us || !is_slow) continue;
            // Of two that take as long, the one that came first: the order of the map says nothing.
            if (best &&
                (run.us < best->us || (run.us == best->us && (best->types.size() < length || first < run.first))))
                continue;
            first = run.first;
            best = KernelRun{{}, run.repeats, run.us, all_us > 0 ? run.us / all_us : 0};
            for (std::size_t j = run.first; j < run.first + length; ++j)
                best->types.push_back(types_[kernels_[j].type]);
        }
    }
    return best;
}

}  // namespace migrator
