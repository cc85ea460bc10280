#include "ckpt_convert/search/search.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/parallel.h"
#include "ckpt_convert/search/ladder.h"
#include "ckpt_convert/search/stage_layers.h"

namespace ckpt {
namespace {

constexpr std::array<std::string_view, kRefusals> kRefusalNames{"heads",    "devices", "experts", "batch",
                                                                "sequence", "layers",  "chunks",  "states"};
constexpr std::int64_t kMostMicro = 8;
constexpr std::uint32_t kMostChunks = 16;
constexpr std::size_t kMostMisses = 20;
// Of plans that differ by less than the model can tell, the one with the fewest virtual stages is shown.
constexpr double kAsFast = 1.01;
// Context parallelism is not tried for shorter pieces of a sequence; MindSpeed's automatic settings draw the line at 4096
// tokens on Atlas A3 and at 8192 on A2. A pinned size is.
constexpr std::int64_t kLeastPiece = 4096;
// Bytes of a parameter that are there in every plan: bf16 weights.
constexpr double kWeightBytes = 2;

// What does not depend on the pipeline, and its times.
struct Split {
    TrainingJob job;
    MicroTime plain, hidden;  // `hidden`: the exchange between experts under another micro-batch
};

// A split with a pipeline.
struct Base {
    double seconds = 0;  // with nothing computed again
    std::uint32_t split = 0;
    std::uint16_t pp = 1, chunks = 1;
    bool dualpipev = false;
};

template <class T>
std::vector<T> powers_of_two(T most) {
    std::vector<T> out;
    for (T i = 1; i <= most; i *= 2) out.push_back(i);
    return out;
}

template <class T>
std::vector<T> or_all(const std::vector<T>& pinned, std::vector<T> all) {
    return pinned.empty() ? std::move(all) : pinned;
}

class Searcher {
public:
    explicit Searcher(const SearchInput& input)
        : input_(input),
          model_(*input.model),
          rungs_(ladder(model_, input.job, input.space.recompute, input.space.swap)) {}

    SearchResult run() {
        list_splits();
        time_splits();
        list_bases();
        climb();
        return std::move(result_);
    }

private:
    // ---- what there is to choose

    void list_splits() {
        const SearchSpace& space = input_.space;
        const int devices = input_.job.ranks.devices;
        const int tp_most = space.wide_tp ? devices : std::min(devices, input_.job.ranks.per_node);
        for (int tp : or_all(space.tp, powers_of_two(tp_most))) {
            for (int cp : or_all(space.cp, powers_of_two(devices / std::max(1, std::min(tp, devices))))) {
                if (const auto reason = dense_refusal(tp, cp)) {
                    refuse(*reason);
                    continue;
                }
                for (int ep : expert_ranks()) {
                    for (int etp : expert_tensor_ranks(tp)) {
                        for (std::int64_t micro : or_all(space.micro, powers_of_two(kMostMicro)))
                            add_split(tp, cp, ep, etp, micro);
                    }
                }
            }
        }
        if (space.fsdp2) list_sharded();
    }

    // FSDP2 has neither TP nor stages.
    void list_sharded() {
        for (int ep : expert_ranks()) {
            for (std::int64_t micro : or_all(input_.space.micro, powers_of_two(4 * kMostMicro))) {
                TrainingJob job = input_.job;
                job.engine = Engine::fsdp2;
                if (job.ranks.devices % ep != 0) continue;
                set_split(job, 1, 1, ep, 1, micro);
                splits_.push_back({std::move(job), {}, {}});
            }
        }
    }

    std::optional<Refusal> dense_refusal(int tp, int cp) const {
        if (tp < 1 || cp < 1 || input_.job.ranks.devices % (tp * cp) != 0) return Refusal::devices;
        for (const LayerShape& kind : model_.kinds) {
            if (kind.attention == Attention::none || kind.heads == 0) continue;
            if (kind.heads % tp != 0 || (kind.kv_heads % tp != 0 && tp % kind.kv_heads != 0)) return Refusal::heads;
            if (cp > 1 && !input_.overlap.ring_attention && kind.heads / tp % cp != 0) return Refusal::heads;
        }
        // Halves of blocks are dealt out so that each rank has as much of the causal square.
        if (cp > 1 && input_.job.batch.sequence % (2 * cp) != 0) return Refusal::sequence;
        if (cp > 1 && input_.space.cp.empty() && input_.job.batch.sequence / cp < kLeastPiece) return Refusal::sequence;
        return std::nullopt;
    }

    std::vector<int> expert_ranks() const {
        if (model_.moe.experts == 0) return {1};
        std::vector<int> all;
        for (int ep : powers_of_two(input_.job.ranks.devices)) {
            if (model_.moe.experts % ep == 0) all.push_back(ep);
        }
        return or_all(input_.space.ep, std::move(all));
    }

    std::vector<int> expert_tensor_ranks(int tp) const {
        if (model_.moe.experts == 0) return {tp};
        std::vector<int> all{1};
        if (tp > 1) all.push_back(tp);
        return or_all(input_.space.etp, std::move(all));
    }

    static void set_split(TrainingJob& job, int tp, int cp, int ep, int etp, std::int64_t micro) {
        static_cast<Topology&>(job.ranks) = Topology();
        job.ranks.tp = tp;
        job.ranks.cp = cp;
        job.ranks.experts.ep = ep;
        job.ranks.experts.etp = etp;
        job.ranks.sequence_parallel = tp > 1;
        job.batch.micro = micro;
    }

    void add_split(int tp, int cp, int ep, int etp, std::int64_t micro) {
        if (model_.moe.experts % std::max(ep, 1) != 0) return refuse(Refusal::experts);
        TrainingJob job = input_.job;
        set_split(job, tp, cp, ep, etp, micro);
        splits_.push_back({std::move(job), {}, {}});
    }

    void refuse(Refusal reason) { ++result_.refused[static_cast<std::size_t>(reason)]; }

    // ---- times

    void time_splits() {
        Overlap plain = input_.overlap, hidden = input_.overlap;
        plain.experts = false;
        hidden.experts = true;
        static_cast<void>(base::parallel_for(splits_.size(), input_.threads, [&](std::size_t i) -> Status {
            splits_[i].plain = input_.clock->micro(splits_[i].job, plain);
            splits_[i].hidden = input_.overlap.experts ? input_.clock->micro(splits_[i].job, hidden) : splits_[i].plain;
            return {};
        }));
    }

    // Another micro-batch is there to hide under where stages have chunks that alternate, or where nothing else waits.
    const MicroTime& micro_of(const Split& split, const Base& base) const {
        return base.chunks > 1 || base.pp == 1 ? split.hidden : split.plain;
    }

    void list_bases() {
        for (std::uint32_t i = 0; i < splits_.size(); ++i) {
            const Parallelism& ranks = splits_[i].job.ranks;
            if (splits_[i].job.engine == Engine::fsdp2) {
                add_base({0, i, 1, 1, false});
                continue;
            }
            const int room = ranks.devices / (ranks.tp * ranks.cp);
            const int most =
                static_cast<int>(std::min<std::size_t>(static_cast<std::size_t>(room), model_.layer_count()));
            for (int pp : input_.space.pp.empty() ? divisors(room, room) : input_.space.pp) {
                if (pp < 1 || room % pp != 0) refuse(Refusal::devices);
                else if (pp > most) refuse(Refusal::layers);
                else add_chunked(i, pp);
            }
        }
        std::sort(bases_.begin(), bases_.end(), [](const Base& a, const Base& b) {
            return std::tie(a.seconds, a.split, a.pp, a.chunks) < std::tie(b.seconds, b.split, b.pp, b.chunks);
        });
    }

    void add_chunked(std::uint32_t split, int pp) {
        const auto stages = static_cast<std::uint16_t>(pp);
        const auto fits = static_cast<std::uint32_t>(model_.layer_count()) / stages;
        std::vector<std::uint32_t> all{1};
        for (std::uint32_t chunks = 2; pp > 1 && chunks <= std::min(fits, kMostChunks); ++chunks) all.push_back(chunks);
        for (std::uint32_t chunks : or_all(input_.space.chunks, std::move(all)))
            add_base({0, split, stages, static_cast<std::uint16_t>(chunks), false});
        if (input_.space.dualpipev && pp > 1) add_base({0, split, stages, 2, true});
    }

    void add_base(Base base) {
        TrainingJob job = splits_[base.split].job;
        job.ranks.pp = base.pp;
        if (const auto reason = base_refusal(job, base)) return refuse(*reason);
        const MicroTime& micro = micro_of(splits_[base.split], base);
        const PipelineChoice* pipeline = stages_.choose(base.pp, base.chunks, base.dualpipev, micro);
        if (pipeline == nullptr) return refuse(Refusal::layers);
        set_pipeline(job, *pipeline);
        result_.candidates += job.engine == Engine::fsdp2 ? 2 : rungs_.size();
        if (least_bytes(job) > input_.budget) return refuse(Refusal::states);
        base.seconds = seconds_of(job, base, *pipeline).seconds;
        bases_.push_back(base);
    }

    std::optional<Refusal> base_refusal(const TrainingJob& job, const Base& base) const {
        const Parallelism& ranks = job.ranks;
        if (model_.moe.experts > 0 && ranks.devices % (ranks.ep() * ranks.etp() * ranks.pp) != 0)
            return Refusal::experts;
        const std::int64_t samples = job.batch.micro * ranks.dp();
        if (samples == 0 || job.batch.global % samples != 0) return Refusal::batch;
        const std::int64_t micro_batches = job.batch.global / samples;
        if (micro_batches < (base.dualpipev ? 2 : 1) * base.pp) return Refusal::batch;
        if (base.dualpipev && (ranks.cp > 1 || model_.tied)) return Refusal::chunks;
        if (base.chunks > 1 && !base.dualpipev && micro_batches % base.pp != 0) return Refusal::chunks;
        return std::nullopt;
    }

    static void set_pipeline(TrainingJob& job, const PipelineChoice& pipeline) {
        const Topology split = job.ranks;
        static_cast<Topology&>(job.ranks) = pipeline.topology;
        job.ranks.tp = split.tp;
        job.ranks.experts = split.experts;
    }

    StepTime seconds_of(const TrainingJob& job, const Base& base, const PipelineChoice& pipeline) const {
        Overlap overlap = input_.overlap;
        overlap.pipeline = overlap.pipeline || base.chunks > 1;
        return input_.clock->step(job, overlap, pipeline.placement, micro_of(splits_[base.split], base), input_.scale);
    }

    // Weights, gradients and the share of the states, spread evenly over stages: no stage plan has less on all of them.
    double least_bytes(const TrainingJob& job) const {
        const Parallelism& ranks = job.ranks;
        const double experts = [&] {
            double out = 0;
            for (std::uint16_t kind : model_.layers) out += static_cast<double>(model_.kinds[kind].parameters.experts);
            return out;
        }();
        const double dense = static_cast<double>(model_.parameters()) - experts;
        const bool swaps = input_.space.swap;
        const double states = swaps ? 0 : job.optimizer.master_bytes + job.optimizer.moment_bytes;
        if (job.engine == Engine::fsdp2) return (kWeightBytes + states) * (dense + experts) / ranks.devices;
        const double kept = kWeightBytes + job.optimizer.gradient_bytes;
        auto of = [&](double parameters, int replicas) {
            return parameters * (kept + states / (job.optimizer.distributed ? replicas : 1));
        };
        return of(dense / (ranks.tp * ranks.pp), ranks.dp() * ranks.cp) +
               of(experts / (static_cast<double>(ranks.ep()) * ranks.etp() * ranks.pp), std::max(1, ranks.expert_dp()));
    }

    // ---- what fits

    struct Climbed {
        std::optional<RankedPlan> plan;
        std::optional<NearMiss> miss;
        std::uint64_t weighed = 0;
    };

    // The fastest rung that fits.
    Climbed climb_base(const Base& base, const PipelineChoice& pipeline) const {
        Climbed out;
        TrainingJob job = splits_[base.split].job;
        set_pipeline(job, pipeline);
        std::size_t layers = 0;
        for (const auto& stage : pipeline.placement.stages) {
            for (const auto& chunk : stage) layers = std::max(layers, chunk.size());
        }
        auto peak = [&](std::size_t rung) {
            if (rungs_.size() > 1) apply(rungs_[rung], layers, job);
            ++out.weighed;
            const auto bytes = input_.peak(job);
            return bytes ? *bytes : kNever;
        };
        const double first = peak(0);
        if (first > input_.budget) {
            if (first != kNever) out.miss = NearMiss{job, base.seconds, first};
            if (rungs_.size() == 1 || peak(rungs_.size() - 1) > input_.budget) return out;
        }
        for (std::size_t i = 0; i < rungs_.size(); ++i) {
            if (!has_rung(rungs_[i], job.engine)) continue;
            const double bytes = i == 0 ? first : peak(i);
            if (bytes > input_.budget) continue;
            StepTime time = seconds_of(job, base, pipeline);
            if (!out.plan || time.seconds < out.plan->time.seconds)
                out.plan = RankedPlan{job, pipeline.placement, std::move(time), bytes};
            if (i == 0) break;
        }
        return out;
    }

    struct Best {
        RankedPlan plan;
        double fastest = 0;  // seconds of the fastest plan of the family, which need not be this one
    };

    void climb() {
        constexpr std::size_t kAtOnce = 64;
        std::map<LayoutFamily, Best> best;
        for (std::size_t first = 0; first < bases_.size(); first += kAtOnce) {
            if (best.size() >= input_.best && bases_[first].seconds > worst_of(best)) break;
            const std::size_t count = std::min(kAtOnce, bases_.size() - first);
            std::vector<const PipelineChoice*> pipelines;
            for (std::size_t i = 0; i < count; ++i) {
                const Base& base = bases_[first + i];
                pipelines.push_back(
                    stages_.choose(base.pp, base.chunks, base.dualpipev, micro_of(splits_[base.split], base)));
            }
            std::vector<Climbed> climbed(count);
            static_cast<void>(base::parallel_for(count, input_.threads, [&](std::size_t i) -> Status {
                climbed[i] = climb_base(bases_[first + i], *pipelines[i]);
                return {};
            }));
            for (Climbed& one : climbed) take(std::move(one), best);
        }
        for (auto& [family, one] : best) result_.plans.push_back(std::move(one.plan));
        std::sort(result_.plans.begin(), result_.plans.end(),
                  [](const RankedPlan& a, const RankedPlan& b) { return a.time.seconds < b.time.seconds; });
        if (result_.plans.size() > input_.best) result_.plans.resize(input_.best);
        drop_slow_misses();
    }

    static bool is_preferred(const RankedPlan& plan, const Best& before) {
        const double most = before.fastest * kAsFast;
        const bool is_close = plan.time.seconds <= most, was_close = before.plan.time.seconds <= most;
        if (is_close != was_close) return is_close;
        const auto chunks = plan.placement.chunks(), chunks_before = before.plan.placement.chunks();
        if (is_close && chunks != chunks_before) return chunks < chunks_before;
        return plan.time.seconds < before.plan.time.seconds;
    }

    void take(Climbed&& one, std::map<LayoutFamily, Best>& best) {
        result_.weighed += one.weighed;
        if (one.miss && result_.misses.size() < kMostMisses) result_.misses.push_back(std::move(*one.miss));
        if (!one.plan) return;
        const double seconds = one.plan->time.seconds;
        auto [found, is_new] = best.try_emplace(family_of(one.plan->job), Best{*one.plan, seconds});
        Best& of_family = found->second;
        of_family.fastest = std::min(of_family.fastest, seconds);
        if (!is_new && is_preferred(*one.plan, of_family)) of_family.plan = std::move(*one.plan);
    }

    // The time that a base must beat.
    double worst_of(const std::map<LayoutFamily, Best>& best) const {
        std::vector<double> seconds;
        for (const auto& [family, one] : best) seconds.push_back(one.plan.time.seconds);
        std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(input_.best - 1),
                         seconds.end());
        return seconds[input_.best - 1];
    }

    void drop_slow_misses() {
        if (result_.plans.empty()) return;
        const double fastest = result_.plans.front().time.seconds;
        std::erase_if(result_.misses, [&](const NearMiss& miss) { return miss.seconds >= fastest; });
    }

    static constexpr double kNever = std::numeric_limits<double>::infinity();  // bytes of what is not possible

    const SearchInput& input_;
    const ModelShape& model_;
    const std::vector<Rung> rungs_;
    std::vector<Split> splits_;
    std::vector<Base> bases_;
    StageLayers stages_{model_};
    SearchResult result_;
};

}  // namespace

std::string_view name(Refusal refusal) { return kRefusalNames[static_cast<std::size_t>(refusal)]; }

LayoutFamily family_of(const TrainingJob& job) { return {job.ranks.tp, job.ranks.pp, job.ranks.cp, job.ranks.ep()}; }

SearchResult search(const SearchInput& input) { return Searcher(input).run(); }

}  // namespace ckpt
