#include "ckpt_convert/app/training_time.h"

#include "base/format.h"
#include "base/parallel.h"
#include "base/text.h"
#include "ckpt_convert/step_time/pipeline_drawing.h"

namespace ckpt {
namespace {

// Micro-batches of the picture, for each stage: enough to show filling, steady state and draining.
constexpr std::size_t kDrawnForStage = 3;

struct Hide {
    std::string_view word;
    bool Overlap::*member;
};
constexpr Hide kHides[] = {{"tensor", &Overlap::tensor},
                           {"experts", &Overlap::experts},
                           {"pipeline", &Overlap::pipeline},
                           {"graphs", &Overlap::graphs},
                           {"once-per-node", &Overlap::once_per_node},
                           {"ring-attention", &Overlap::ring_attention}};

Result<Overlap> overlap_of(const std::string& words) {
    Overlap out;
    for (std::string_view rest = words; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view word = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        bool is_known = false;
        std::vector<std::string> known;
        for (const Hide& hide : kHides) {
            known.emplace_back(hide.word);
            if (hide.word != word) continue;
            out.*hide.member = true;
            is_known = true;
        }
        if (!is_known)
            return base::fail(ErrorKind::usage, base::format("--hides: there is no \"{}\"; there are {}", word,
                                                             base::joined(known, ", ")));
    }
    return out;
}

double share(double part, const StepTime& time) { return 100 * part * time.gap / time.seconds; }

}  // namespace

Result<std::unique_ptr<TrainingClock>> TrainingClock::make(const base::DataStore& store, const ModelShape& model,
                                                           const Device& device, const TrainingJob& job,
                                                           const TimeOptions& options) {
    TRY_ASSIGN(TimeRules rules, TimeRules::load(store));
    std::unique_ptr<TrainingClock> out(new TrainingClock(model, std::move(rules)));
    TRY_ASSIGN(out->shares_, out->rules_.of_device(device.id));
    TRY_ASSIGN(const StepClock clock, StepClock::make(out->model_, device, out->rules_, job.precision, job.fp8));
    out->clock_ = clock;
    TRY_ASSIGN(out->overlap_, overlap_of(options.hides));
    out->price_ = options.price;
    out->compares_fsdp2_ = options.fsdp2;
    return out;
}

Status TrainingClock::calibrate(const TrainingJob& job, const Calibration& measured) {
    TRY_ASSIGN(const TimedJob timed, time(job));
    TRY_ASSIGN(scale_, time_scale(measured, timed.time, rules_.calibration));
    return {};
}

Result<TimedJob> TrainingClock::time(const TrainingJob& job) const {
    TRY_ASSIGN(const Placement placement, place_layers(job, model_));
    Overlap overlap = overlap_;
    overlap.pipeline = overlap.pipeline || placement.chunks() > 1;
    overlap.experts = overlap.experts && (placement.chunks() > 1 || job.ranks.pp == 1);
    TimedJob out;
    out.time = clock_->step(job, overlap, placement, clock_->micro(job, overlap), scale_);
    const bool runs = !job.ranks.dualpipev || job.micro_batches() >= 2 * job.ranks.pp;
    if (job.ranks.pp > 1 && runs)
        out.chart = clock_->chart(job, out.time, kDrawnForStage * static_cast<std::size_t>(job.ranks.pp));
    if (price_) {
        out.step_cost = *price_ * job.ranks.devices * out.time.seconds / 3600;
        out.million_cost = *price_ / 3600 / out.time.tokens_per_second * 1e6;
    }
    return out;
}

SearchResult TrainingClock::search(const TrainingJob& job, double budget, const PeakOf& peak, std::size_t best) const {
    SearchInput input;
    input.model = &model_;
    input.clock = &*clock_;
    input.job = job;
    input.overlap = overlap_;
    input.budget = budget;
    input.peak = peak;
    input.scale = scale_;
    input.best = best;
    input.threads = base::default_thread_count();
    if (job.ranks.cp > 1) input.space.cp = {job.ranks.cp};
    if (job.batch.micro > 1) input.space.micro = {job.batch.micro};
    input.space.fsdp2 = compares_fsdp2_;
    // What the job says of recomputation is kept; otherwise the search chooses.
    const MemoryOptions& kept = job.memory;
    const bool is_said =
        kept.recompute != Recompute::none || kept.recomputed != std::array<bool, kParts>{} || kept.swap_attention;
    input.space.recompute = !is_said;
    input.space.swap = !is_said && job.engine == Engine::mindspeed && job.optimizer.distributed;
    input.space.dualpipev = job.engine == Engine::mindspeed && model_.moe.experts > 0;
    return ckpt::search(input);
}

std::optional<LayerLists> TrainingClock::lists(const TrainingJob& job, bool npu) const {
    return layer_lists(job, model_, clock_->micro(job, overlap_), npu);
}

Result<std::optional<RecomputeChoice>> TrainingClock::recompute(const TrainingJob& job, double budget,
                                                                const PeakOf& peak,
                                                                const std::array<bool, kParts>& possible) const {
    TRY_ASSIGN(const Placement placement, place_layers(job, model_));
    return cheapest_recompute(job, *clock_, overlap_, placement, budget, peak, possible);
}

std::string TrainingClock::basis() const {
    std::vector<std::string> out;
    for (const auto& [key, member] : kDeviceShares)
        out.push_back(base::format("{} {} {}", key, (shares_.*member)->value, name((shares_.*member)->basis)));
    return base::joined(out, ", ");
}

std::string TrainingClock::text(const TimedJob& timed, const base::Language& say) const {
    const StepTime& time = timed.time;
    std::string out =
        say.show("  step {:.3g} s ({:.3g} to {:.3g}), {:.0f} tokens/s for each device, MFU {:.1f} % of {:.0f} TFLOPS\n",
                 time.seconds, time.low, time.high, time.tokens_per_second, 100 * time.utilisation,
                 clock_->layers().speed().peak / 1e12);
    out += say.show(
        "  of it: pipeline {:.0f} % (waiting {:.1f} %), sent between stages {:.1f} %, gradients {:.1f} %, optimizer "
        "{:.1f} %\n",
        share(time.pipeline, time), 100 * time.bubble, share(time.sent, time), share(time.gradients, time),
        share(time.optimizer, time));
    const double busy = time.of_slowest.forward_seconds() + time.of_slowest.backward_seconds();
    out += say.text("  slowest stage:");
    for (std::size_t i = 0; i < kWorks; ++i) {
        const double part = time.of_slowest.forward[i] + time.of_slowest.backward[i];
        if (part > 0.005 * busy)
            out += base::format(" {} {:.0f} %", say.text(std::string(name(static_cast<Work>(i)))), 100 * part / busy);
    }
    out += "\n";
    if (timed.step_cost)
        out +=
            say.show("  costs {:.4g} for a step, {:.4g} for a million tokens\n", *timed.step_cost, *timed.million_cost);
    return out;
}

void TrainingClock::write(base::JsonWriter& out, const TimedJob& timed) const {
    const StepTime& time = timed.time;
    out.begin_object();
    out.key("step_seconds")
        .number(time.seconds)
        .key("low_seconds")
        .number(time.low)
        .key("high_seconds")
        .number(time.high);
    out.key("tokens_per_second_per_device").number(time.tokens_per_second);
    out.key("mfu").number(time.utilisation).key("model_flops_per_token").number(time.model_flops);
    out.key("pipeline_seconds").number(time.pipeline).key("bubble").number(time.bubble);
    out.key("sent_seconds").number(time.sent).key("gradients_seconds").number(time.gradients);
    out.key("optimizer_seconds").number(time.optimizer).key("gap").number(time.gap);
    out.key("slowest_stage").unsigned_integer(time.slowest);
    out.key("micro_batch").begin_object();
    for (std::size_t i = 0; i < kWorks; ++i)
        out.key(name(static_cast<Work>(i))).number(time.of_slowest.forward[i] + time.of_slowest.backward[i]);
    out.end_object();
    if (timed.step_cost)
        out.key("step_cost").number(*timed.step_cost).key("million_tokens_cost").number(*timed.million_cost);
    out.key("rests_on").begin_object();
    for (const auto& [key, member] : kDeviceShares) {
        const TimeFactor& of = *(shares_.*member);
        out.key(key).begin_object().key("value").number(of.value).key("basis").string(name(of.basis)).end_object();
    }
    out.end_object().end_object();
}

}  // namespace ckpt
