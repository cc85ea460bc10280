#include "ckpt_convert/search/recompute_choice.h"

#include <vector>

namespace ckpt {
namespace {

// Parts that a layer of the model has, and whose activations flash attention does not do away with.
std::vector<std::size_t> parts_of(const TrainingJob& job, const MicroTime& micro,
                                  const std::array<bool, kParts>& possible) {
    std::vector<std::size_t> out;
    for (std::size_t part = 0; part < kParts; ++part) {
        if (!possible[part]) continue;
        if (static_cast<Part>(part) == Part::core_attention && job.memory.flash_attention) continue;
        for (const LayerTime& kind : micro.kinds) {
            if (kind.again[part] == 0) continue;
            out.push_back(part);
            break;
        }
    }
    return out;
}

}  // namespace

std::optional<RecomputeChoice> cheapest_recompute(const TrainingJob& given, const StepClock& clock,
                                                  const Overlap& overlap, const Placement& placement, double budget,
                                                  const PeakOf& peak, const std::array<bool, kParts>& possible) {
    TrainingJob job = given;
    job.memory.recompute = Recompute::none;
    const MicroTime micro = clock.micro(job, overlap);
    const std::vector<std::size_t> parts = parts_of(job, micro, possible);
    std::optional<RecomputeChoice> best;
    for (std::size_t set = 0; set < std::size_t{1} << parts.size(); ++set) {
        job.memory.recomputed = {};
        for (std::size_t i = 0; i < parts.size(); ++i) job.memory.recomputed[parts[i]] = (set >> i & 1) != 0;
        const double seconds = clock.step(job, overlap, placement, micro).seconds;
        if (best && seconds >= best->seconds) continue;
        const auto bytes = peak(job);
        if (!bytes || *bytes > budget) continue;
        best = RecomputeChoice{job.memory.recomputed, seconds, *bytes};
    }
    return best;
}

}  // namespace ckpt
