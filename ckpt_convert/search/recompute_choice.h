// RecomputeChoice: which parts of the layers are best computed again, so that a plan fits and loses the least time.
#pragma once

#include <optional>

#include "ckpt_convert/search/search.h"

namespace ckpt {

struct RecomputeChoice {
    std::array<bool, kParts> parts{};
    double seconds = 0;  // of a step
    double peak = 0;     // bytes of the fullest device
};

// The fastest set of parts, of those in `possible`, with which the fullest device has at most `budget` bytes; layers are not
// computed again as a whole. Nothing when no set is enough.
std::optional<RecomputeChoice> cheapest_recompute(const TrainingJob& job, const StepClock& clock,
                                                  const Overlap& overlap, const Placement& placement, double budget,
                                                  const PeakOf& peak, const std::array<bool, kParts>& possible);

}  // namespace ckpt
