#include "ckpt_convert/step_time/step_time.h"

#include <algorithm>
#include <cmath>

#include "ckpt_convert/job/adapters.h"

namespace ckpt {
namespace {

// Bytes of a parameter that the optimizer reads and writes: states and gradients of the rank's share, and the weights.
constexpr double kStateBytes = 30, kWeightBytes = 8;
// Bytes of a parameter that data parallelism sends: fp32 gradients one way, bf16 weights the other.
constexpr double kGradientBytes = 4, kGatherBytes = 2;
// Of a pass through all layers, what FSDP2 cannot hide: the first unit gathered, the last one reduced.
constexpr double kShardEnds = 0.05;

// `job`: its states may have to come from the host and go back.
double state_seconds(const LayerClock& layers, const TrainingJob& job, double parameters, int shards) {
    const double states = job.optimizer.master_bytes + job.optimizer.moment_bytes;
    const double host =
        job.optimizer.swap ? 2 * states / shards * parameters / (layers.shares().host_gb_s.value * 1e9) : 0;
    return (kStateBytes / shards + kWeightBytes) * parameters / layers.speed().stream_bytes + host;
}

Schedule schedule_of(const TrainingJob& job, std::size_t chunks) {
    if (job.ranks.dualpipev) return Schedule::dualpipev;
    return chunks > 1 ? Schedule::interleaved : Schedule::one_f_one_b;
}

double seconds(const std::vector<ChunkTime>& chunks) {
    double out = 0;
    for (const ChunkTime& chunk : chunks) out += chunk.forward + chunk.backward;
    return out;
}

void add(PassTime& to, const PassTime& time, double times) {
    for (std::size_t i = 0; i < kWorks; ++i) {
        to.forward[i] += times * time.forward[i];
        to.backward[i] += times * time.backward[i];
    }
}

// Gradients of weights take as long as the products of the forward pass.
double weight_seconds(const PassTime& time, const TrainingJob& job) {
    if (job.is_frozen()) return 0;
    return time.forward[static_cast<std::size_t>(Work::products)] +
           time.forward[static_cast<std::size_t>(Work::experts)];
}

// Parameters of a stage on one rank that are trained.
struct RankParameters {
    double dense = 0, experts = 0;
};

RankParameters rank_parameters(const ModelShape& model, const TrainingJob& job, const Placement& placement,
                               std::uint32_t stage) {
    const double tp = job.ranks.tp, experts = static_cast<double>(job.ranks.ep()) * job.ranks.etp();
    const double embedding = static_cast<double>(model.embedding_parameters()) / tp;
    RankParameters own;
    for (const auto& chunk : placement.stages[stage]) {
        for (const LayerSlot& slot : chunk) {
            if (job.is_frozen()) {
                own.dense += adapter_parameters(model, model.layer(slot.layer), job);
                continue;
            }
            const ParameterCounts& counts = model.layer(slot.layer).parameters;
            own.dense += static_cast<double>(counts.sharded) / tp + static_cast<double>(counts.replicated);
            own.experts += static_cast<double>(counts.experts) / experts;
        }
    }
    if (static_cast<int>(stage) == model.tower_stages() && !job.is_frozen()) own.dense += embedding;
    if (stage == placement.head.pp && !job.is_frozen()) own.dense += embedding;
    return own;
}

}  // namespace

std::size_t recomputed_layers(const MemoryOptions& memory, std::size_t layers, std::size_t before) {
    const auto limit = static_cast<std::size_t>(std::max(0, memory.recompute_layers));
    switch (memory.recompute) {
        case Recompute::none: return 0;
        case Recompute::uniform: return layers;
        case Recompute::block: break;
    }
    if (!memory.recompute_per_rank) return std::min(limit, layers);
    return std::min(limit - std::min(limit, before), layers);
}

Result<StepClock> StepClock::make(const ModelShape& model, const Device& device, const TimeRules& rules,
                                  Precision precision, bool fp8) {
    TRY_ASSIGN(const LayerClock layers, LayerClock::make(model, device, rules, precision, fp8));
    return StepClock(model, rules, layers);
}

MicroTime StepClock::micro(const TrainingJob& job, const Overlap& overlap) const {
    MicroTime out;
    for (const LayerShape& kind : model_->kinds) out.kinds.push_back(layers_.layer(kind, job, overlap));
    if (model_->mtp > 0) out.mtp = layers_.layer(model_->mtp_layer, job, overlap);
    out.head = layers_.head(job, overlap);
    return out;
}

void StepClock::add_stages(StepTime& out, const TrainingJob& job, const Placement& placement,
                           const MicroTime& micro) const {
    // Of a pair both answers are computed, and by the reference model as well.
    const double sequences = job.sequences(), passes = job.mode == TrainingMode::dpo ? 2 * sequences : 1;
    double most = -1;
    for (std::uint32_t stage = 0; stage < placement.stages.size(); ++stage) {
        std::vector<ChunkTime>& chunks = out.stages.emplace_back();
        PassTime work;
        std::size_t before = 0;
        for (std::uint32_t chunk = 0; chunk < placement.stages[stage].size(); ++chunk) {
            const auto& slots = placement.stages[stage][chunk];
            ChunkTime& time = chunks.emplace_back();
            std::size_t again = recomputed_layers(job.memory, slots.size(), before);
            before += slots.size();
            for (const LayerSlot& slot : slots) {
                const LayerTime& layer = micro.kinds[model_->layers[slot.layer]];
                time.forward += passes * layer.forward_seconds();
                time.backward += sequences * layer.backward_with(job.memory, again > 0);
                time.weights += sequences * weight_seconds(layer, job);
                if (again > 0) --again;
                add(work, layer, 1);
            }
            for (const TowerShape& tower : model_->towers) {
                if (chunk > 0 || tower.layers_of(static_cast<int>(stage)) == 0) break;
                const PassTime pass = layers_.tower(tower, job, static_cast<int>(stage));
                time.forward += passes * pass.forward_seconds();
                time.backward += sequences * pass.backward_seconds();
                add(work, pass, 1);
            }
            const auto modules = static_cast<double>(model_->mtp);
            if (placement.modules == ChunkPosition{stage, chunk} && modules > 0) {
                const bool whole = job.memory.recompute == Recompute::uniform;
                time.forward += passes * modules * micro.mtp.forward_seconds();
                time.backward += sequences * modules * micro.mtp.backward_with(job.memory, whole);
                time.weights += sequences * modules * weight_seconds(micro.mtp, job);
                add(work, micro.mtp, modules);
            }
            if (placement.head != ChunkPosition{stage, chunk}) continue;
            time.forward += passes * (1 + modules) * micro.head.forward_seconds();
            time.backward += sequences * (1 + modules) * micro.head.backward_seconds();
            time.weights += sequences * (1 + modules) * weight_seconds(micro.head, job);
            add(work, micro.head, 1 + modules);
        }
        if (seconds(chunks) <= most) continue;
        most = seconds(chunks);
        out.slowest = stage;
        out.of_slowest = work;
    }
}

// The formula of the schedule for unequal stages; run_pipeline gives the exact time.
double StepClock::pipeline_seconds(StepTime& out, const TrainingJob& job) const {
    const auto micro_batches = static_cast<double>(job.micro_batches());
    double sum = 0;
    for (const auto& stage : out.stages) sum += seconds(stage);
    const double most = seconds(out.stages[out.slowest]);
    double fill = (sum - most) / static_cast<double>(out.stages.front().size());
    if (job.ranks.dualpipev) {
        const ChunkTime& chunk = out.stages[out.slowest].front();
        fill = static_cast<double>(out.stages.size() - 1) *
               std::max(0.0, chunk.forward + 2 * chunk.backward - 3 * chunk.weights);
    }
    out.bubble = fill / (micro_batches * most + fill);
    return micro_batches * most + fill;
}

double StepClock::sent_seconds(const TrainingJob& job, const Overlap& overlap, std::size_t chunks) const {
    if (job.ranks.pp == 1) return 0;
    const double bytes =
        2 * static_cast<double>(job.tokens() * model_->hidden * job.sequences()) / job.sequence_ranks();
    const double once = layers_.send(bytes, job.ranks.devices / job.ranks.pp, job.ranks.per_node);
    const double seen = overlap.pipeline ? layers_.shares().pipeline_overlap.value : layers_.shares().pipeline.value;
    return 2 * static_cast<double>(chunks) * static_cast<double>(job.micro_batches()) * once * seen;
}

// The stages work at the same time: the longest of each counts.
void StepClock::add_states(StepTime& out, const TrainingJob& job, const Overlap& overlap,
                           const Placement& placement) const {
    const int replicas = job.ranks.dp() * job.ranks.cp, expert_replicas = std::max(1, job.ranks.expert_dp());
    const int span = job.ranks.devices / job.ranks.pp;
    const double bytes = kGradientBytes + kGatherBytes;
    const bool is_split = job.optimizer.distributed;
    double gradients = 0;
    for (std::uint32_t stage = 0; stage < placement.stages.size(); ++stage) {
        const RankParameters own = rank_parameters(*model_, job, placement, stage);
        gradients =
            std::max(gradients, layers_.ring(bytes * own.dense, replicas, span, job.ranks.per_node) +
                                    layers_.ring(bytes * own.experts, expert_replicas, span, job.ranks.per_node));
        out.optimizer =
            std::max(out.optimizer, state_seconds(layers_, job, own.dense, is_split ? replicas : 1) +
                                        state_seconds(layers_, job, own.experts, is_split ? expert_replicas : 1));
    }
    const double room = layers_.shares().data_room.value * seconds(out.stages[out.slowest]);
    out.gradients = overlap.data ? std::max(layers_.shares().data.value * gradients, gradients - room) : gradients;
}

// FSDP2 gathers and reduces the layers of each micro-batch under the computation of others.
void StepClock::add_shards(StepTime& out, const TrainingJob& job) const {
    double dense = 2 * static_cast<double>(model_->embedding_parameters()), experts = 0;
    for (std::uint16_t kind : model_->layers) {
        const ParameterCounts& counts = model_->kinds[kind].parameters;
        dense += static_cast<double>(counts.sharded + counts.replicated);
        experts += static_cast<double>(counts.experts) / job.ranks.ep();
    }
    const int world = job.ranks.devices;
    const int shards = job.sharded.expert_shards > 0 ? job.sharded.expert_shards : std::max(1, world / job.ranks.ep());
    const double reduced = job.is_frozen() ? 0 : kGradientBytes;
    const double bytes = reduced + (job.sharded.reshard ? 2 : 1) * kGatherBytes;
    const double all = layers_.ring(bytes * dense, world, world, job.ranks.per_node) +
                       (experts > 0 ? layers_.ring(bytes * experts, shards, world, job.ranks.per_node) : 0);
    const double computing = seconds(out.stages.front());
    out.gradients = static_cast<double>(job.micro_batches()) * std::max(0.0, all - computing) + kShardEnds * all;
    double trained = dense / world + experts / shards;
    if (job.is_frozen()) {
        trained = 0;
        for (std::uint16_t kind : model_->layers)
            trained += adapter_parameters(*model_, model_->kinds[kind], job) / world;
    }
    out.optimizer = state_seconds(layers_, job, trained, 1);
}

StepTime StepClock::step(const TrainingJob& job, const Overlap& overlap, const Placement& placement,
                         const MicroTime& micro, double scale) const {
    StepTime out;
    add_stages(out, job, placement, micro);
    out.pipeline = pipeline_seconds(out, job);
    out.sent = sent_seconds(job, overlap, placement.chunks());
    const bool is_sharded = job.engine == Engine::fsdp2;
    if (is_sharded) add_shards(out, job);
    else add_states(out, job, overlap, placement);
    // Graphs close the gaps between operators where all sizes are fixed, which those of experts are not.
    const bool has_experts = model_->moe.experts > 0;
    out.gap = (overlap.graphs && !has_experts ? 1 : layers_.shares().gap.value) * scale;
    out.seconds = out.gap * (out.pipeline + out.sent + out.gradients + out.optimizer);
    const TimeBand& band = rules_->band(is_sharded ? "fsdp2" : has_experts ? "experts" : "dense");
    out.low = out.seconds * (1 + band.low);
    out.high = out.seconds * (1 + band.high);
    const auto tokens =
        static_cast<double>(job.micro_batches() * job.batch.micro * job.ranks.dp() * job.batch.sequence) *
        job.sequences();
    out.tokens_per_second = tokens / out.seconds / job.ranks.devices;
    out.model_flops = model_flops(job.batch.sequence, job.is_frozen());
    out.utilisation = out.model_flops * out.tokens_per_second / layers_.speed().peak;
    return out;
}

PipelineChart StepClock::chart(const TrainingJob& job, const StepTime& time, std::size_t micro_batches) const {
    PipelineWork work;
    work.ranks = time.stages;
    work.schedule = schedule_of(job, time.stages.front().size());
    work.micro_batches = std::min(micro_batches, static_cast<std::size_t>(job.micro_batches()));
    const std::size_t ranks = work.ranks.size();
    if (work.schedule == Schedule::interleaved)
        work.micro_batches = std::max(ranks, work.micro_batches / ranks * ranks);
    if (work.schedule == Schedule::dualpipev) work.micro_batches = std::max(2 * ranks, work.micro_batches);
    return run_pipeline(work);
}

double StepClock::model_flops(std::int64_t sequence, bool is_frozen) const {
    const double embedding = static_cast<double>(model_->embedding_parameters());
    // The lookup of the embedding is no product, the head always is one.
    const double products = 2 * (static_cast<double>(model_->active_parameters()) - (model_->tied ? 1 : 2) * embedding +
                                 static_cast<double>(1 + model_->mtp) * embedding);
    double attention = 0;
    for (std::uint16_t number : model_->layers) {
        const LayerShape& kind = model_->kinds[number];
        if (kind.attention != Attention::grouped && kind.attention != Attention::latent) continue;
        const std::int64_t seen = kind.window > 0 ? std::min(sequence, 2 * kind.window) : sequence;
        attention += static_cast<double>(seen) * static_cast<double>(kind.heads * (kind.head_dim + kind.value_dim));
    }
    return (is_frozen ? 2 : 3) * products + 3 * attention;
}

}  // namespace ckpt
