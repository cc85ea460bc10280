#include "ckpt_convert/job/training_job.h"

#include <algorithm>
#include <iterator>

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

namespace {

// The stages of the language model. A list of stages has the towers' too, as MindSpeed-MM's pipeline_num_layers.
Topology behind_towers(Topology split, int towers) {
    split.pp -= towers;
    auto& list = split.layers_per_stage;
    if (!list.empty()) list.erase(list.begin(), list.begin() + std::min<std::ptrdiff_t>(towers, std::ssize(list)));
    return split;
}

}  // namespace

Result<Placement> place_layers(const TrainingJob& job, const ModelShape& model) {
    const Topology whole;
    const Topology& split = job.engine == Engine::fsdp2 ? whole : job.ranks;
    const int towers = job.engine == Engine::fsdp2 ? 0 : model.tower_stages();
    if (towers == 0) return place_layers(split, static_cast<std::uint32_t>(model.layer_count()));
    TRY_ASSIGN(Placement out,
               place_layers(behind_towers(split, towers), static_cast<std::uint32_t>(model.layer_count())));
    out.stages.insert(out.stages.begin(), static_cast<std::size_t>(towers), {{}});
    for (ChunkPosition* position : {&out.head, &out.norm, &out.modules})
        position->pp += static_cast<std::uint32_t>(towers);
    return out;
}

}  // namespace ckpt
