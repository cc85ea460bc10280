// KernelRuns: kernels that follow each other in the same order again and again, and do little but move data: what could be one kernel.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/string_map.h"

namespace migrator {

struct KernelRun {
    std::vector<std::string> types;  // in their order
    std::uint64_t repeats = 0;
    double us = 0;     // of all repeats
    double share = 0;  // of the time from the first kernel to the last
};

class KernelRuns {
public:
    // In the order of the table, times in microseconds. Only the first kMostKernels are kept: a step has fewer.
    void add(std::string_view type, double begin, double duration, double moving);
    // The one that takes most time: 2 to 10 kernels, more than five times, more than a hundredth of the whole time, of which
    // more than 0.8 moves data or less than 0.4 is covered by kernels.
    std::optional<KernelRun> longest() const;

private:
    static constexpr std::size_t kMostKernels = 200'000;
    struct Kernel {
        std::uint32_t type = 0;
        double begin = 0, duration = 0, moving = 0;
    };
    std::vector<Kernel> kernels_;
    std::vector<std::string> types_;
    base::StringMap<std::uint32_t> numbers_;
    double first_us_ = std::numeric_limits<double>::infinity(), last_us_ = 0;
};

}  // namespace migrator
