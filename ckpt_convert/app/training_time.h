// The time of a planned training: of a step, with what it rests on, the picture of its pipeline, and what it costs.
#pragma once

#include <memory>

#include "base/json_writer.h"
#include "base/language.h"
#include "ckpt_convert/search/layer_lists.h"
#include "ckpt_convert/search/recompute_choice.h"
#include "ckpt_convert/search/search.h"
#include "ckpt_convert/step_time/calibration.h"

namespace ckpt {

// What the command line says.
struct TimeOptions {
    std::string hides;            // words of Overlap, with commas
    std::optional<double> price;  // of a device for an hour, in any currency
    Path calibrate;               // empty: none
    bool fsdp2 = false;           // layouts of FSDP2 are compared as well

    bool is_asked() const { return !hides.empty() || price; }
};

struct TimedJob {
    StepTime time;
    PipelineChart chart;                 // of a few micro-batches
    std::optional<double> step_cost;     // in the currency of the price
    std::optional<double> million_cost;  // of a million tokens
};

// Times jobs of one model on one device.
class TrainingClock {
public:
    // Fails with usage on words that there are not, and where the device's figures are not published.
    static Result<std::unique_ptr<TrainingClock>> make(const base::DataStore& store, const ModelShape& model,
                                                       const Device& device, const TrainingJob& job,
                                                       const TimeOptions& options);

    // From now on every estimate is scaled so that the one of this job is what was measured. Fails as time_scale does.
    Status calibrate(const TrainingJob& job, const Calibration& measured);

    Result<TimedJob> time(const TrainingJob& job) const;
    // The fastest layouts of other jobs of these devices, one of each TP, PP, CP and EP.
    SearchResult search(const TrainingJob& job, double budget, const PeakOf& peak, std::size_t best) const;

    std::optional<LayerLists> lists(const TrainingJob& job, bool npu) const;
    Result<std::optional<RecomputeChoice>> recompute(const TrainingJob& job, double budget, const PeakOf& peak,
                                                     const std::array<bool, kParts>& possible) const;

    std::string text(const TimedJob& timed, const base::Language& say) const;
    void write(base::JsonWriter& out, const TimedJob& timed) const;
    // "gemm 0.8 derived, fp8_gain 1.75 assumed ..."
    std::string basis() const;

private:
    TrainingClock(const ModelShape& model, TimeRules rules) : model_(model), rules_(std::move(rules)) {}

    const ModelShape model_;
    const TimeRules rules_;
    DeviceShares shares_;
    std::optional<StepClock> clock_;
    Overlap overlap_;
    std::optional<double> price_;
    double scale_ = 1;
    bool compares_fsdp2_ = false;
};

}  // namespace ckpt
