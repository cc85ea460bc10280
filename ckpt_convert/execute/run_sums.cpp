#include "ckpt_convert/execute/run_sums.h"

#include <iterator>

#include "base/check.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {

void RunSums::add(const WrittenRun& written) {
    auto& runs = runs_[written.target];
    std::uint64_t begin = written.offset;
    Run run{begin + written.bytes, written.crc32};
    auto next = runs.lower_bound(begin);
    if (next != runs.end() && next->first == run.end) {
        run = {next->second.end, crc32_combine(run.crc32, next->second.crc32, next->second.end - next->first)};
        next = runs.erase(next);
    }
    if (next != runs.begin() && std::prev(next)->second.end == begin) {
        Run& before = std::prev(next)->second;
        before = {run.end, crc32_combine(before.crc32, run.crc32, run.end - begin)};
    } else {
        runs.emplace_hint(next, begin, run);
    }
}

std::uint32_t RunSums::sum(std::uint32_t target, std::uint64_t bytes) const {
    std::uint32_t crc = 0;
    std::uint64_t end = 0;
    auto append = [&](std::uint32_t next, std::uint64_t count) {
        crc = crc32_combine(crc, next, count);
        end += count;
    };
    for (const auto& [begin, run] : runs_[target]) {
        CHECK(begin >= end && run.end <= bytes);
        if (begin > end) append(crc32_of_zeros(begin - end), begin - end);
        append(run.crc32, run.end - begin);
    }
    if (end < bytes) append(crc32_of_zeros(bytes - end), bytes - end);
    return crc;
}

}  // namespace ckpt
