#include "ckpt_convert/memory/pipeline_load.h"

#include <algorithm>

namespace ckpt {
namespace {

std::int64_t chunks_in_flight(const TrainingJob& job, int stage, std::int64_t chunks) {
    const std::int64_t pp = job.ranks.pp, batches = job.micro_batches();
    if (pp == 1) return chunks;
    if (job.ranks.dualpipev) return std::min(2 * batches, 2 * pp + 1);
    if (chunks == 1) return std::min(batches, pp - stage);
    if (batches == pp) return batches * chunks;
    const std::int64_t group = job.ranks.group_size > 0 ? job.ranks.group_size : pp;
    return std::min(batches * chunks, 2 * (pp - stage - 1) + (chunks - 1) * group + 1);
}

}  // namespace

std::vector<std::int64_t> in_flight(const TrainingJob& job, int stage, std::uint32_t chunks) {
    std::vector<std::int64_t> out(chunks, 0);
    std::int64_t left = chunks_in_flight(job, stage, chunks);
    // Chunks are filled in turn, with virtual stages a group of micro-batches each.
    const bool grouped = chunks > 1 && !job.ranks.dualpipev && job.ranks.pp > 1;
    const std::int64_t group = !grouped ? 1 : job.ranks.group_size > 0 ? job.ranks.group_size : job.ranks.pp;
    while (left > 0) {
        for (std::int64_t& chunk : out) {
            const std::int64_t more = std::min(group, left);
            chunk += more;
            left -= more;
        }
    }
    return out;
}

}  // namespace ckpt
