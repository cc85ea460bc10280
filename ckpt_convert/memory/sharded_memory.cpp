#include "ckpt_convert/memory/sharded_memory.h"

#include <algorithm>

#include "ckpt_convert/memory/saved_tensors.h"
#include "ckpt_convert/memory/stage_weights.h"

namespace ckpt {
namespace {

// The loss on float32 logits: bfloat16 logits, their copy, its softmax.
constexpr double kEagerLoss = 10, kFusedLoss = 6;
constexpr double kBf16 = 2, kFp32 = 4;

class Shards {
public:
    Shards(const ModelShape& model, const TrainingJob& job, bool npu) : model_(model), job_(job), npu_(npu) {}

    StageMemory take() && {
        count();
        states();
        out_[MemoryLine::buffers] = open_units();
        activations();
        out_.loss_work = loss();
        out_.calibrate(job_.kept_scale);
        out_[MemoryLine::working] = std::max(out_.layer_work, out_.loss_work);
        out_.binding = out_.loss_work > out_.layer_work ? Binding::loss : Binding::layer;
        return std::move(out_);
    }

private:
    void count() {
        std::vector<std::vector<LayerSlot>> all(1);
        for (std::uint32_t layer = 0; layer < model_.layer_count(); ++layer) all[0].push_back({layer, layer});
        const StageWeights weights = stage_weights(model_, job_, all, {true, true, true, true}, 0);
        out_.dense = weights.dense;
        out_.experts = weights.experts;
        adapters_ = weights.adapters;
        frozen_ = weights.frozen;
        out_.layers = {static_cast<std::int64_t>(model_.layer_count())};
        out_.in_flight = {1};
        out_.whole.assign(model_.kinds.size(), 0);
        out_.without_mlp.assign(model_.kinds.size(), 0);
    }

    void states() {
        const int shards = std::max(1, job_.ranks.devices);
        const int expert_shards =
            job_.sharded.expert_shards > 0 ? job_.sharded.expert_shards : std::max(1, shards / job_.ranks.ep());
        const double weight = job_.sharded.bf16_weights ? kBf16 : kFp32;
        const double held = (out_.dense + frozen_) / shards + out_.experts / expert_shards;
        const bool lora = job_.mode == TrainingMode::lora;
        const double trained = lora ? adapters_ / shards : held - frozen_ / shards;
        const double moments = job_.optimizer.muon ? weight : 2 * weight;
        double copies = held + (lora ? adapters_ / shards : 0);
        if (job_.mode == TrainingMode::dpo) copies += held;
        out_[MemoryLine::weights] = weight * copies;
        out_[MemoryLine::gradients] = weight * trained;
        out_[MemoryLine::optimizer] = moments * trained;
        if (job_.sharded.cpu_offload) to_host(MemoryLine::weights), to_host(MemoryLine::gradients);
        if (job_.sharded.cpu_offload || job_.optimizer.swap) to_host(MemoryLine::optimizer);
    }

    void to_host(MemoryLine line) {
        out_.on_host += out_[line];
        out_[line] = 0;
    }

    // Gathered weights of the unit at work and of those fetched ahead, its gradient, and what is reduced of it. Nothing is
    // fetched ahead of the head, which is first in the backward pass.
    double open_units() const {
        const double reduced = job_.sharded.reduce_fp32 ? kFp32 : kBf16;
        double largest = 0;
        for (const LayerShape& kind : model_.kinds) {
            const ParameterCounts& counts = kind.parameters;
            largest = std::max(largest, static_cast<double>(counts.sharded + counts.replicated) +
                                            static_cast<double>(counts.experts) / job_.ranks.ep());
        }
        const double head = static_cast<double>(model_.vocab * model_.hidden);
        if (!job_.sharded.reshard) {
            const double all = kBf16 * (out_.dense + out_.experts);
            return all + (kBf16 + reduced) * std::max(largest, head);
        }
        const double gathered = kBf16 * (1 + job_.sharded.prefetch);
        return std::max((gathered + kBf16 + reduced) * largest, (2 * kBf16 + reduced) * head);
    }

    void activations() {
        double& kept = out_[MemoryLine::activations];
        const double input = 2 * h() * tokens();
        std::vector<double> kinds;
        for (const LayerShape& kind : model_.kinds)
            kinds.push_back(layer_bytes(saved_tensors(model_, kind, job_, npu_), job_).kept * tokens());
        std::int64_t number = 0;
        for (const std::uint16_t kind : model_.layers) {
            const bool again = job_.memory.recompute == Recompute::uniform ||
                               (job_.memory.recompute == Recompute::block && number < job_.memory.recompute_layers);
            ++number;
            if (!again) {
                kept += kinds[kind];
                ++out_.whole[kind];
                continue;
            }
            (job_.memory.offload_activations ? out_.on_host : out_.other.layer_inputs) += input;
            out_.layer_work = std::max(out_.layer_work, kinds[kind]);
        }
        out_.layer_work += exchange();
        for (const TowerShape& tower : model_.towers) out_.other.towers += tower_bytes(tower, job_, 0);
        kept += out_.other.layer_inputs + out_.other.towers;
    }

    // Ulysses sends and receives copies of queries, keys and values.
    double exchange() const {
        if (job_.ranks.cp == 1) return 0;
        const LayerShape& layer = model_.layer(0);
        const double width = static_cast<double>((layer.heads + 2 * layer.kv_heads) * layer.head_dim);
        return 4 * width * tokens();
    }

    double loss() const {
        const double each = job_.memory.fused_cross_entropy ? kFusedLoss : kEagerLoss;
        const auto vocab = static_cast<double>(model_.vocab);
        if (!job_.memory.chunked_loss) return each * tokens() * vocab;
        const double rows = std::min(tokens(), static_cast<double>(std::max<std::int64_t>(1, job_.memory.loss_chunk)));
        return each * rows * vocab + 2 * h() * tokens();
    }

    double h() const { return static_cast<double>(model_.hidden); }
    double tokens() const { return static_cast<double>(job_.tokens()); }

    const ModelShape& model_;
    const TrainingJob& job_;
    bool npu_;
    double adapters_ = 0, frozen_ = 0;
    StageMemory out_;
};

}  // namespace

StageMemory sharded_memory(const ModelShape& model, const TrainingJob& job, bool npu) {
    return Shards(model, job, npu).take();
}

}  // namespace ckpt
