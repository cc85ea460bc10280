// PipelineChart: the stages of one pipeline over one step: what each computes forward and backward, when it waits, and what the schedule
// itself makes it wait. Worked out from the transfers between stages, as communication.json has them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "migrator/profile/rank_calls.h"

namespace migrator {

enum class PhaseKind : std::uint8_t { forward, backward, both, transfer, wait };
std::string_view name_of(PhaseKind kind);

// Before the first backward pass of a stage, after its last forward pass, and between.
enum class PhasePart : std::uint8_t { warm_up, steady, cool_down };
std::string_view name_of(PhasePart part);

struct StagePhase {
    PhaseKind kind = PhaseKind::wait;
    std::uint64_t micro_batch = 0;  // from 1 on; 0: of none. Of `both` that of the backward pass
    double begin = 0, end = 0;      // microseconds since the pipeline began
    PhasePart part = PhasePart::steady;

    double length() const { return end - begin; }
};

struct PipelineStage {
    std::string rank;
    std::vector<StagePhase> phases;
    double computing = 0, waiting = 0;  // microseconds
    std::array<double, 3> waits{};      // by part
    bool is_divided = false;            // where forward and backward meet is worked out from the lengths of others
};

struct PipelineChart {
    std::string step;
    std::vector<std::string> ranks;     // by their stage
    std::vector<PipelineStage> stages;  // in their order; none: `reason` says why
    std::string schedule;
    std::uint64_t micro_batches = 0, chunks = 1;  // chunks: of the model on each stage
    double length = 0;                            // microseconds, from the first forward pass to the last backward pass
    std::optional<double> residual;               // how far clocks are apart after they are aligned; nothing: not told
    base::Message reason;

    bool is_told() const { return !stages.empty(); }
    double bubble() const;                 // share of the time of all stages in which they wait
    double least_bubble() const;           // what the schedule itself costs with even stages
    double imbalance() const;              // computing: most over mean
    const PipelineStage& slowest() const;  // that computes longest
};

// `stages`: in their order. `groups`: the ranks that use each group. Transfers of groups that reach beyond the pipeline are not its own.
PipelineChart pipeline_chart(const std::string& step, std::vector<StageCalls> stages, const GroupRanks& groups);

}  // namespace migrator
