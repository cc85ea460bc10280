#include "ckpt_convert/job/training_job.h"

#include <algorithm>

namespace ckpt {

std::int64_t TrainingJob::micro_batches() const {
    const std::int64_t samples = batch.micro * std::max(ranks.dp(), 1);
    return std::max<std::int64_t>(1, batch.global / std::max<std::int64_t>(samples, 1));
}

std::vector<int> divisors(std::int64_t number, std::int64_t most) {
    std::vector<int> out;
    for (std::int64_t i = 1; i <= std::min(number, most); ++i) {
        if (number % i == 0) out.push_back(static_cast<int>(i));
    }
    return out;
}

Result<Placement> place_layers(const TrainingJob& job, const ModelShape& model) {
    const Topology whole;
    const Topology& split = job.engine == Engine::fsdp2 ? whole : job.ranks;
    return place_layers(split, static_cast<std::uint32_t>(model.layer_count()));
}

}  // namespace ckpt
