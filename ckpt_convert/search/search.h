// Search: all ways to lay a training over its devices, ranked by the time of a step, as far as they fit.
//
// What does not depend on stages (TP, CP, EP, ETP, the micro-batch) is timed once. Each of these with each pipeline is a
// base, ordered by its time with nothing computed again; that is a lower bound of what the ladder below makes of it:
//
//     nothing again  ->  activation functions  ->  latent projections  ->  an eighth, a quarter, half, three quarters, all of
//     the layers
//     and each of these again with the states of the optimizer on the host
//
// Bases are climbed from the fastest on, until none that is left can be among the best.
#pragma once

#include <array>
#include <functional>
#include <string_view>
#include <tuple>
#include <vector>

#include "ckpt_convert/step_time/step_time.h"

namespace ckpt {

// What may be chosen; an empty list: everything that divides.
struct SearchSpace {
    std::vector<int> tp, pp, cp, ep, etp;
    std::vector<std::int64_t> micro;
    std::vector<std::uint32_t> chunks;  // virtual stages of a rank
    bool recompute = true;
    bool swap = false;       // the optimizer's states to the host
    bool fsdp2 = false;      // as well
    bool dualpipev = false;  // as well, where it is possible
    bool wide_tp = false;    // TP over nodes
};

// Bytes that the fullest device needs. Fails where the job is not possible, with the reason.
using PeakOf = std::function<Result<double>(const TrainingJob&)>;

struct SearchInput {
    const ModelShape* model = nullptr;
    const StepClock* clock = nullptr;
    TrainingJob job;  // devices, batch, precision, optimizer; what is searched is overwritten
    Overlap overlap;
    SearchSpace space;
    double budget = 0;  // bytes of a device
    PeakOf peak;
    double scale = 1;       // of a calibration
    std::size_t best = 10;  // families to find
    int threads = 1;
};

// TP, PP, CP, EP.
using LayoutFamily = std::tuple<int, int, int, int>;
LayoutFamily family_of(const TrainingJob& job);

struct RankedPlan {
    TrainingJob job;
    Placement placement;
    StepTime time;
    double peak = 0;  // bytes
};

// Faster than what fits, but for memory.
struct NearMiss {
    TrainingJob job;
    double seconds = 0;
    double peak = 0;
};

// Why candidates were left out, each before the ones below it.
enum class Refusal { heads, devices, experts, batch, sequence, layers, chunks, states };
inline constexpr std::size_t kRefusals = 8;
std::string_view name(Refusal refusal);

struct SearchResult {
    std::vector<RankedPlan> plans;                   // the best of each family, the fastest first
    std::vector<NearMiss> misses;                    // the fastest first
    std::uint64_t candidates = 0;                    // all that were legal, with each step of the ladder
    std::uint64_t weighed = 0;                       // of these, whose memory was worked out
    std::array<std::uint64_t, kRefusals> refused{};  // bases by the first reason
};

SearchResult search(const SearchInput& input);

}  // namespace ckpt
