#include "ckpt_convert/app/training_plan.h"

#include <algorithm>

#include "base/format.h"
#include "base/human.h"
#include "ckpt_convert/memory/fitting_layouts.h"
#include "ckpt_convert/plan/layout.h"
#include "ckpt_convert/target/megatron_target.h"

namespace ckpt {
namespace {

constexpr std::size_t kShownLayouts = 5;
constexpr std::size_t kSearchedLayouts = 40;  // some of which rules of frameworks forbid
constexpr std::int64_t kUsualSequence = 4096;
constexpr int kAssumedSamples = 8;  // of a step on each device, where nobody says how many

template <class Enum>
Result<Enum> one_of(const std::string& option, const std::string& word) {
    for (const Enum value : base::kAll<Enum>)
        if (name(value) == word) return value;
    return base::fail(ErrorKind::usage, base::format("{}: there is no \"{}\"", option, word));
}

class Planner {
public:
    Planner(const Knowledge& knowledge, const DeviceTable& devices, const LegalityRules& legality, TrainingPlan& out,
            const TrainingPlanOptions& options)
        : knowledge_(knowledge), devices_(devices), legality_(legality), out_(out), options_(options) {}

    Result<JobPlan> weigh(const TrainingJob& job) const {
        JobPlan plan{job, {}, {}, {}};
        TRY_ASSIGN(plan.budget, budget_of(out_.device, devices_.reserve, out_.model.shape, job, options_.budget));
        TRY_ASSIGN(plan.stages, memory_of(out_.model.shape, job, out_.device.npu));
        return plan;
    }

    // From now on memory and time are scaled so that those of the layout that was measured are what was measured.
    Status calibrate(const Calibration& measured, TrainingPlanOptions& options) {
        TrainingJob job = measured.layout ? in_layout(*measured.layout, options.job) : options.job;
        if (measured.choices) {
            job.memory = {};
            job.optimizer = {};
            job.sharded = {};
            job.ranks.sequence_parallel = job.ranks.tp > 1;
            TRY(apply_choices(out_.choices, *measured.choices, job));
        }
        TRY(check(job));
        if (measured.memory) {
            TRY_ASSIGN(const JobPlan plan, weigh(job));
            TRY_ASSIGN(const MemoryScale scale, memory_scale(*measured.memory, plan.stages, devices_.calibration));
            job.kept_scale = options.job.kept_scale = scale.kept;
            options.budget.used_share = scale.used;
            out_.memory_scale = scale;
        }
        return measured.step_seconds ? out_.clock->calibrate(job, measured) : Status();
    }

    // What the layout cannot be for the converter and the programs of the engine. Of sizes alone nothing can be said.
    Status check_conversion(const TrainingJob& job) const {
        if (!out_.model.model || job.engine == Engine::fsdp2 || out_.model.shape.tower_stages() > 0) return {};
        const Model& model = *out_.model.model;
        ConvertOptions conversion;
        conversion.target = job.engine == Engine::megatron ? "mcore" : "mindspeed";
        conversion.topology = job.ranks;
        conversion.vocab = options_.vocab;
        TRY_ASSIGN(const MegatronTarget target, megatron_target(knowledge_, model, conversion));
        TRY_ASSIGN(const auto wrong, misfits(model, target.parallel));
        if (wrong.empty()) return {};
        return base::fail(ErrorKind::usage, base::joined(wrong, "; "));
    }

    // Every reason against the layout at once.
    Status check(const TrainingJob& job) const {
        JobFacts facts = facts_of(out_.model.shape, job, out_.device.npu);
        facts["fp8_device"] = out_.device.fp8_tflops.has_value();
        TRY_ASSIGN(const std::vector<Illegal> broken, broken_rules(legality_, facts));
        if (broken.empty()) return check_conversion(job);
        std::string message = base::format("{}; {}", broken.front().because, broken.front().instead);
        base::Error error{ErrorKind::usage, std::move(message), {}, {}};
        for (std::size_t i = 1; i < broken.size(); ++i)
            error.context.push_back(base::format("{}; {}", broken[i].because, broken[i].instead));
        return tl::unexpected<base::Error>(std::move(error));
    }

    Status time(JobPlan& plan) const {
        if (out_.clock == nullptr) return {};
        TRY_ASSIGN(plan.time, out_.clock->time(plan.job));
        return {};
    }

    PeakOf peak() const {
        return [this](const TrainingJob& job) -> Result<double> {
            TRY_ASSIGN(const auto stages, memory_of(out_.model.shape, job, out_.device.npu));
            return stages[fullest_stage(stages)].peak();
        };
    }

    // The fastest of all layouts that fit, one of each TP, PP, CP and EP.
    Result<std::vector<JobPlan>> fastest(const TrainingJob& job) const {
        TRY_ASSIGN(const Budget budget,
                   budget_of(out_.device, devices_.reserve, out_.model.shape, job, options_.budget));
        out_.searched = out_.clock->search(job, budget.usable(), peak(), kSearchedLayouts);
        std::vector<JobPlan> found;
        for (const RankedPlan& ranked : out_.searched->plans) {
            if (found.size() == kShownLayouts) break;
            TRY_ASSIGN(const LegalityRule* broken,
                       first_broken(legality_, facts_of(out_.model.shape, ranked.job, out_.device.npu)));
            if (broken != nullptr || !converts(ranked.job)) continue;
            // More groups of ranks have more buffers, so what a plan may use is asked again.
            TRY_ASSIGN(JobPlan plan, weigh(ranked.job));
            if (!plan.fits()) continue;
            TRY(time(plan));
            found.push_back(std::move(plan));
        }
        return found;
    }

    // What the first plan could do better, where it is the one that was asked for.
    Status advise() const {
        if (out_.clock == nullptr || out_.plans.empty()) return {};
        const JobPlan& plan = out_.plans.front();
        out_.lists = out_.clock->lists(plan.job, out_.device.npu);
        if (plan.job.engine == Engine::fsdp2) return {};
        TRY_ASSIGN(out_.recompute, out_.clock->recompute(plan.job, plan.budget.usable(), peak(),
                                                         recomputable_parts(out_.choices, plan.job.engine)));
        return {};
    }

    Result<std::vector<JobPlan>> fitting(const TrainingJob& job, std::size_t most) const {
        std::vector<JobPlan> found;
        for (const TrainingJob& candidate : possible_layouts(out_.model.shape, job)) {
            if (found.size() == most) break;
            const JobFacts facts = facts_of(out_.model.shape, candidate, out_.device.npu);
            TRY_ASSIGN(const LegalityRule* broken, first_broken(legality_, facts));
            if (broken != nullptr || !converts(candidate)) continue;
            TRY_ASSIGN(JobPlan plan, weigh(candidate));
            if (plan.fits()) found.push_back(std::move(plan));
        }
        return found;
    }

    // In powers of two, with as many samples as fill the pipeline.
    Result<std::optional<int>> least_devices() const {
        constexpr int kMostDevices = 1 << 16;
        for (int devices = 1; devices <= kMostDevices; devices *= 2) {
            TrainingJob job = options_.job;
            job.ranks.devices = devices;
            job.batch.global = 0;
            if (out_.model.shape.parameters() * 2 / devices > static_cast<std::int64_t>(kMostBytes)) continue;
            TRY_ASSIGN(const auto found, fitting(job, 1));
            if (!found.empty()) return std::optional(devices);
        }
        return std::optional<int>();
    }

    Result<std::vector<WhatIf>> what_if(const JobPlan& plan) const {
        std::vector<WhatIf> out;
        const std::size_t stage = plan.fullest();
        for (const Choice& choice : out_.choices.choices) {
            if (!is_suggested(choice, out_.model.shape, plan.job.engine)) continue;
            TrainingJob job = plan.job;
            apply_choice(choice, 0, job);
            const JobFacts facts = facts_of(out_.model.shape, job, out_.device.npu);
            TRY_ASSIGN(const LegalityRule* broken, first_broken(legality_, facts));
            if (broken != nullptr) continue;
            TRY_ASSIGN(const JobPlan changed, weigh(job));
            const double freed = plan.stages[stage].peak() - changed.stages[stage].peak();
            if (freed > kLeastFreed) out.push_back({&choice, freed, changed.fits()});
        }
        std::stable_sort(out.begin(), out.end(), [](const WhatIf& a, const WhatIf& b) { return a.freed > b.freed; });
        return out;
    }

    // Why the converter refuses all layouts that were tried; nullptr: not all, or for want of memory.
    const base::Error* refusal() const { return converted_ == 0 && refused_ ? &*refused_ : nullptr; }

private:
    bool converts(const TrainingJob& job) const {
        const Status done = check_conversion(job);
        if (done) ++converted_;
        else if (!refused_) refused_ = done.error();
        return done.has_value();
    }

    static constexpr double kLeastFreed = 1 << 20;
    static constexpr double kMostBytes = 1.0 * (std::int64_t{1} << 38);  // of weights on a device; more is hopeless

    const Knowledge& knowledge_;
    const DeviceTable& devices_;
    const LegalityRules& legality_;
    TrainingPlan& out_;
    const TrainingPlanOptions& options_;
    // Of the layouts that were tried.
    mutable std::size_t converted_ = 0;
    mutable std::optional<base::Error> refused_;
};

// As few samples as fill the pipeline, where nothing is said.
void settle_batch(TrainingJob& job) {
    if (job.batch.global > 0) return;
    const std::int64_t depth = std::int64_t{job.ranks.pp} * (job.ranks.dualpipev ? 2 : 1);
    job.batch.global = job.batch.micro * std::max(1, job.ranks.dp()) * std::max<std::int64_t>(depth, 1);
}

Status settle_words(const TrainingPlanOptions& options, TrainingJob& job) {
    TRY_ASSIGN(job.engine, one_of<Engine>("--engine", options.engine));
    TRY_ASSIGN(job.mode, one_of<TrainingMode>("--mode", options.mode));
    TRY_ASSIGN(job.precision, one_of<Precision>("--precision", options.precision));
    job.ranks.sequence_parallel = job.ranks.tp > 1 && !options.no_sequence_parallel;
    return {};
}

void adopt_saved_layout(const ParallelLayout& saved, const TrainingPlanOptions& options, TrainingJob& job) {
    job.ranks.tp = saved.tp;
    job.ranks.pp = saved.placement.pp();
    job.ranks.experts = saved.experts;
    if (saved.placement.virtual_stages) job.ranks.virtual_stages = saved.placement.chunks();
    job.ranks.sequence_parallel = saved.tp > 1 && !options.no_sequence_parallel;
}

Dialect dialect_of(const Knowledge& knowledge, Engine engine) {
    const auto& targets = knowledge.targets.targets();
    const std::string_view wanted = engine == Engine::megatron ? "te" : "local";
    const auto found =
        std::find_if(targets.begin(), targets.end(), [&](const Target& target) { return target.layers == wanted; });
    const Target& target = found == targets.end() ? knowledge.targets.default_target() : *found;
    Dialect out;
    out.target = target.name;
    out.core = target.core;
    out.layers = target.layers;
    return out;
}

Status add_towers(const std::vector<std::string>& towers, TrainingPlan& plan) {
    ModelShape& shape = plan.model.shape;
    for (const std::string& sizes : towers) {
        TRY_ASSIGN(TowerShape tower, given_tower(sizes));
        plan.notes.push_back(
            base::format("the tower, {} parameters before the first stage, is counted from its sizes; nobody has "
                         "published its memory",
                         base::human_count(static_cast<std::uint64_t>(tower.parameters(shape.hidden)))));
        if (!shape.towers.empty() && shape.towers.front().stages != tower.stages)
            return base::fail(ErrorKind::usage,
                              "--tower: all towers have the same stages=, the first ones of the pipeline, or none");
        shape.towers.push_back(std::move(tower));
    }
    if (shape.tower_stages() > 0)
        plan.notes.push_back(
            "the stages of the tower are those of MindSpeed-MM's pipeline_num_layers, with 0 layers of the language "
            "model; "
            "ckpt_convert writes neither its checkpoint nor its scripts, so no command is printed");
    if (plan.model.is_part && towers.empty())
        plan.notes.push_back(
            "the towers of the model are not counted, only its language model; --tower gives their sizes");
    return {};
}

// As the checkpoint has it or the converter makes it; of sizes alone, as Megatron does.
Result<VocabularyRows> vocabulary_rows(const Knowledge& knowledge, const PlannedModel& model,
                                       const TrainingPlanOptions& options) {
    const VocabOptions& vocab = options.vocab;
    VocabularyRows out;
    if (model.saved && !options.layout_given) out.given = static_cast<std::int64_t>(model.saved->padded_vocab);
    if (vocab.rows) out.given = static_cast<std::int64_t>(*vocab.rows);
    if (vocab.rule.empty() && !vocab.divisor && !model.model) return out;
    TRY_ASSIGN(const VocabPadding* padding, knowledge.targets.padding(vocab.rule, vocab.divisor.has_value()));
    out.multiple = static_cast<std::int64_t>(vocab.divisor.value_or(padding->divisor));
    out.times_tp = padding->times_tp;
    return out;
}

Device with_figures(Device device, const DeviceFigures& figures) {
    if (figures.tflops) device.bf16_tflops = figures.tflops;
    if (figures.hbm_tb_s) device.hbm_tb_s = figures.hbm_tb_s;
    if (figures.intra_gb_s) device.intra_gb_s = figures.intra_gb_s;
    if (figures.inter_gb_s) device.inter_gb_s = figures.inter_gb_s;
    return device;
}

}  // namespace

Result<TrainingPlan> plan_training(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                   const SourceOptions& source, const TrainingPlanOptions& given) {
    TrainingPlanOptions options = given;
    TRY_ASSIGN(const DeviceTable devices, load_devices(store));
    TRY_ASSIGN(const LegalityRules legality, load_legality(store));
    TRY(settle_words(options, options.job));
    TrainingPlan out;
    TRY_ASSIGN(out.choices, load_choices(store));
    TRY_ASSIGN(const Device* device, find_device(devices, options.device));
    out.device = with_figures(*device, options.figures);
    options.job.device_takes_flash = out.device.takes_flash;
    options.job.ranks.per_node = static_cast<int>(options.per_node.value_or(out.device.per_node));
    TRY(apply_choices(out.choices, options.choices, options.job));
    TRY_ASSIGN(out.model,
               planned_model(fs, knowledge, store, source, options.sizes, dialect_of(knowledge, options.job.engine)));
    out.target = dialect_of(knowledge, options.job.engine).target;
    TRY(add_towers(options.towers, out));
    out.vocab = options.vocab;
    TRY_ASSIGN(options.job.rows, vocabulary_rows(knowledge, out.model, options));
    if (options.job.batch.sequence == 0)
        options.job.batch.sequence = std::min(kUsualSequence, out.model.positions.value_or(kUsualSequence));
    if (out.model.saved && !options.layout_given) {
        adopt_saved_layout(*out.model.saved, options, options.job);
        options.layout_given = true;
    }
    if (options.job.batch.global == 0 && !options.layout_given && options.job.ranks.devices > 1)
        out.assumed_batch = options.job.batch.global = std::int64_t{kAssumedSamples} * options.job.ranks.devices;
    std::optional<Calibration> measured;
    if (!options.time.calibrate.empty()) {
        TRY_ASSIGN(measured, read_calibration(fs, options.time.calibrate));
    }
    auto clock = TrainingClock::make(store, out.model.shape, out.device, options.job, options.time);
    if (clock) out.clock = std::move(*clock);
    else if (options.time.is_asked() || (measured && measured->step_seconds)) return tl::unexpected(clock.error());
    else out.no_time = clock.error().message;
    Planner planner(knowledge, devices, legality, out, options);
    const bool pinned = options.layout_given || options.job.ranks.devices == 1 || options.job.engine == Engine::fsdp2;
    if (!pinned && out.model.shape.tower_stages() > 0)
        return base::fail(ErrorKind::usage,
                          "--tower: layouts with a tower on stages of its own are not searched; give --tp and --pp");
    if (pinned) {
        settle_batch(options.job);
        TRY(planner.check(options.job));
        if (measured) TRY(planner.calibrate(*measured, options));
        TRY_ASSIGN(JobPlan plan, planner.weigh(options.job));
        TRY(planner.time(plan));
        out.plans.push_back(std::move(plan));
    } else if (out.clock != nullptr) {
        if (measured && !measured->layout)
            return base::fail(ErrorKind::usage,
                              "--calibrate needs the layout that was measured: give --tp, --pp and what else was "
                              "set, or \"layout\": {\"tp\": 2, \"pp\": 4} in the file");
        if (measured) TRY(planner.calibrate(*measured, options));
        TRY_ASSIGN(out.plans, planner.fastest(options.job));
    } else {
        TRY_ASSIGN(out.plans, planner.fitting(options.job, kShownLayouts));
    }
    if (out.plans.empty() && planner.refusal() != nullptr) return tl::unexpected(*planner.refusal());
    if (out.plans.empty() || !out.plans.front().fits()) {
        TRY_ASSIGN(out.least_devices, planner.least_devices());
    }
    if (!out.plans.empty()) {
        TRY_ASSIGN(out.what_if, planner.what_if(out.plans.front()));
    }
    TRY(planner.advise());
    out.notes.insert(out.notes.begin(), out.model.shape.unverified.begin(), out.model.shape.unverified.end());
    if (out.memory_scale)
        out.notes.push_back(
            base::format("memory is calibrated by {:.2f} GiB measured on stage {}: what layers keep and work with "
                         "counts {:.3f} times, "
                         "states and buffers as they follow from sizes; believe it for the same kernels, recomputation "
                         "and sequences, "
                         "less for others",
                         gib(out.memory_scale->peak), out.memory_scale->stage, out.memory_scale->kept));
    if (options.job.engine == Engine::megatron && options.job.mode == TrainingMode::dpo)
        out.notes.push_back(
            "Megatron-LM has no program for DPO, so no scripts are written: train with ms-swift (megatron rlhf) or "
            "NeMo RL "
            "(examples/run_dpo.py), which run Megatron");
    if (options.job.holds_pairs())
        out.notes.push_back(
            "DPO is counted with both answers of a pair of --seq-length tokens each in a micro-batch, and the logits "
            "of "
            "both models; shorter answers take less");
    else if (options.job.mode == TrainingMode::dpo)
        out.notes.push_back(
            "activations of DPO are counted for one answer of --seq-length tokens, as published runs have them; where "
            "both answers of a pair are so long, plan with twice the micro-batch");
    return out;
}

}  // namespace ckpt
