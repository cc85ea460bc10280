#include "ckpt_convert/memory/stage_memory.h"

#include <algorithm>
#include <numeric>

#include "ckpt_convert/memory/pipeline_load.h"
#include "ckpt_convert/memory/saved_tensors.h"
#include "ckpt_convert/memory/sharded_memory.h"
#include "ckpt_convert/memory/stage_weights.h"
#include "ckpt_convert/memory/states.h"

namespace ckpt {
namespace {

// Bytes of a logit of the vocabulary at the loss: in bfloat16, then a copy in float32 that becomes the softmax in place. Of a
// compiled loss the softmax is one copy more: what a graph changes and sums up at the same time, Inductor makes anew
// (Megatron-LM: megatron/core/fusions/fused_cross_entropy.py, its note on torch.compile; its golden memory with either loss).
constexpr double kLogitBytes = 6, kFusedLogitBytes = 2, kUnsharedLogitBytes = 10;
// Of these, what a loss keeps for its backward pass: the softmax, or the gradient in place of the logits.
constexpr double kSoftmaxBytes = 4;
// Of DPO, for the policy's logits and for those of the reference model: bfloat16, both models' put together, a copy in float32
// and its softmax (MindSpeed-LLM: mindspeed_llm/tasks/posttrain/dpo).
constexpr double kPairLogitBytes = 2 + 2 + 4 + 4;
// Token numbers, positions, labels and the mask of a micro-batch, per token.
constexpr double kInputBytes = 16;

// Sums over the layers of one stage.
class StageSum {
public:
    StageSum(const ModelShape& model, const TrainingJob& job, const Placement& placement,
             const std::vector<LayerBytes>& kinds, const LayerBytes& mtp, int stage)
        : model_(model),
          job_(job),
          kinds_(kinds),
          mtp_(mtp),
          chunks_(placement.stages[static_cast<std::size_t>(stage)]),
          parts_(stage_parts(model, job, placement, stage)),
          modules_(placement.modules),
          modules_apart_(placement.modules != placement.head),
          stage_(stage) {
        out_.whole.assign(model.kinds.size(), 0);
        out_.without_mlp.assign(model.kinds.size(), 0);
    }

    StageMemory take() && {
        states();
        activations();
        out_.layer_work = layer_work();
        modules();
        if (parts_.head) head();
        settle();
        return std::move(out_);
    }

private:
    void states() {
        const StageWeights weights = stage_weights(model_, job_, chunks_, parts_, stage_);
        out_.dense = weights.dense;
        out_.experts = weights.experts;
        largest_ = weights.largest;
        shapes_ = weights.distinct;
        const bool lora = job_.mode == TrainingMode::lora;
        if (lora) add_states(frozen_bytes(job_), weights.dense, weights.experts);
        add_states(state_bytes(job_), lora ? weights.adapters : weights.dense, lora ? 0 : weights.experts);
        if (weights.frozen > 0) add_states(frozen_bytes(job_), weights.frozen, 0);
    }

    void add_states(const StateBytes& bytes, double dense, double experts) {
        const bool shared = job_.optimizer.distributed;
        const double dense_share = dense / (shared ? std::max(1, job_.ranks.dp() * job_.ranks.cp) : 1);
        const double expert_share = experts / (shared ? std::max(1, job_.ranks.expert_dp()) : 1);
        out_[MemoryLine::weights] += bytes.weights * (dense + experts);
        out_[MemoryLine::gradients] += bytes.gradients * (dense + experts);
        out_[MemoryLine::optimizer] += bytes.optimizer * (dense_share + expert_share);
        out_.on_host += bytes.swapped * (dense_share + expert_share);
        out_.optimizer_work += bytes.window * (dense_share + expert_share);
    }

    void activations() {
        out_.in_flight = in_flight(job_, stage_, static_cast<std::uint32_t>(chunks_.size()));
        int before = 0;
        for (std::size_t chunk = 0; chunk < chunks_.size(); ++chunk) {
            out_.layers.push_back(static_cast<std::int64_t>(chunks_[chunk].size()));
            double kept = 0;
            int position = 0;
            const std::int64_t flying = out_.in_flight[chunk];
            for (const LayerSlot& slot : chunks_[chunk]) {
                kept += kept_by(model_.layers[slot.layer], position, before, chunks_[chunk].size(), flying);
                ++position;
            }
            before += position;
            out_[MemoryLine::activations] += kept * static_cast<double>(flying);
        }
        inputs();
    }

    void inputs() {
        const std::int64_t flying = std::accumulate(out_.in_flight.begin(), out_.in_flight.end(), std::int64_t{0});
        for (const TowerShape& tower : model_.towers)
            out_.other.towers += tower_bytes(tower, job_, stage_) * static_cast<double>(flying);
        out_[MemoryLine::activations] += out_.other.towers;
        if (!parts_.embedding) return;
        const double dropped = job_.memory.hidden_dropout ? h() / job_.sequence_ranks() : 0;
        out_.other.step_inputs =
            (kInputBytes + dropped) * tokens() * static_cast<double>(std::min(job_.micro_batches(), flying));
        out_[MemoryLine::activations] += out_.other.step_inputs;
    }

    // What a layer keeps of one micro-batch; what is computed again is counted once, as work of the backward pass.
    double kept_by(std::uint16_t kind, int position, int before, std::size_t chunk_layers, std::int64_t flying) {
        const MemoryOptions& options = job_.memory;
        const double all = kinds_[kind].kept * tokens();
        const double input = 2 * h() / job_.sequence_ranks() * tokens();
        if (options.recompute == Recompute::block) {
            const int counted = position + (options.recompute_per_rank ? before : 0);
            if (counted >= options.recompute_layers) {
                out_.whole[kind] += flying;
                return all;
            }
            recomputed_ = std::max(recomputed_, all);
            return offloaded(input, flying);
        }
        if (options.recompute == Recompute::uniform) {
            const int group = std::max(options.recompute_layers, 1);
            recomputed_ = std::max(recomputed_, all * std::min<double>(group, static_cast<double>(chunk_layers)));
            return position % group == 0 ? offloaded(input, flying) : 0;
        }
        const int counted = position + (options.recompute_per_rank ? before : 0);
        if (!options.swap_attention || counted >= options.mlp_layers) {
            out_.whole[kind] += flying;
            return all;
        }
        out_.without_mlp[kind] += flying;
        const double mlp = kinds_[kind].feed_forward * tokens();
        recomputed_ = std::max(recomputed_, mlp);
        return all - mlp;
    }

    double offloaded(double input, std::int64_t flying) {
        if (job_.memory.offload_activations) {
            out_.on_host += input;
            return 0;
        }
        out_.other.layer_inputs += input * static_cast<double>(flying);
        return input;
    }

    // The backward pass of one layer: gradients of the widest products, the gathered sequence and its gradient.
    double layer_work() const {
        if (stage_ < model_.tower_stages()) return tower_work();
        const LayerShape* first = !chunks_.front().empty()           ? &model_.layer(chunks_.front().front().layer)
                                  : modules_apart_ && parts_.modules ? &model_.mtp_layer
                                                                     : nullptr;
        const double products = model_.gated ? 4 : 2;
        double wide = 0;
        if (first != nullptr && first->has_experts()) {
            wide = static_cast<double>(model_.moe.topk) * (2 * h() + products * static_cast<double>(model_.moe.ffn));
        } else {
            if (first != nullptr) wide = products * static_cast<double>(first->ffn);
            for (const auto& chunk : chunks_)
                for (const LayerSlot& slot : chunk)
                    wide = std::max(wide, products * static_cast<double>(model_.layer(slot.layer).ffn));
        }
        double out = tokens() * (wide / job_.ranks.tp + 4 * h());
        if (!keeps_dummies()) out += 2 * largest_;
        return out + exchange();
    }

    // As of a layer of the language model, with patches in place of tokens.
    double tower_work() const {
        double out = 0;
        for (const TowerShape& tower : model_.towers) {
            const double wide = (tower.gated ? 4.0 : 2.0) * static_cast<double>(tower.ffn) / job_.ranks.tp;
            const auto patches = static_cast<double>(tower.patches * job_.batch.micro);
            if (tower.trained) out = std::max(out, patches * (wide + 4 * static_cast<double>(tower.hidden)));
        }
        return out;
    }

    // Transformer Engine keeps a gradient of each shape of weights, where products add to the main gradients themselves.
    bool keeps_dummies() const { return job_.engine == Engine::megatron && job_.memory.fused_gradients; }

    // Context parallel ranks send and receive copies of queries, keys and values.
    double exchange() const {
        if (job_.ranks.cp == 1 || chunks_.empty() || chunks_.front().empty()) return 0;
        const LayerShape& layer = model_.layer(chunks_.front().front().layer);
        const double width =
            static_cast<double>((layer.heads + layer.kv_heads) * layer.head_dim + layer.kv_heads * layer.value_dim);
        return 2 * 2 * width / job_.ranks.tp * tokens();
    }

    // With the head, their backward pass is next; on a stage before it, they wait as layers do.
    void modules() {
        if (!parts_.modules || model_.mtp == 0) return;
        const double sequence = job_.sequence_ranks();
        const auto modules = static_cast<double>(model_.mtp);
        const double all = (mtp_.kept + 8 * h() / sequence) * tokens();
        const bool again = job_.memory.recompute != Recompute::none;
        const double flying = modules_apart_ ? static_cast<double>(out_.in_flight[modules_.chunk]) : 1;
        out_.other.mtp = modules * flying * (again ? 2 * h() / sequence * tokens() : all);
        out_[MemoryLine::activations] += out_.other.mtp;
        if (again) recomputed_ = std::max(recomputed_, all);
    }

    void head() {
        const double sequence = job_.sequence_ranks();
        const double rows = job_.memory.chunked_loss && job_.memory.loss_chunk > 0
                                ? std::min(tokens(), static_cast<double>(job_.memory.loss_chunk))
                                : tokens();
        const auto vocabulary = static_cast<double>(padded_vocabulary(model_, job_));
        const double logits = rows * vocabulary / job_.ranks.tp;
        const MemoryOptions& options = job_.memory;
        const bool unshared = options.eager_cross_entropy || options.compiled_cross_entropy;
        const double bytes = job_.holds_pairs()            ? 2 * kPairLogitBytes
                             : options.fused_cross_entropy ? kFusedLogitBytes
                             : unshared                    ? kUnsharedLogitBytes
                                                           : kLogitBytes;
        // The losses of MTP modules come first, and wait for their backward pass.
        const double kept = options.fused_cross_entropy ? kFusedLogitBytes : kSoftmaxBytes;
        const double waiting = kept * logits * static_cast<double>(model_.mtp);
        const double gradient = 2 * vocabulary * h() / job_.ranks.tp;
        out_.loss_work = waiting + std::max(bytes * logits, kFusedLogitBytes * logits + gradient + 4 * tokens() * h()) +
                         4 * h() / sequence * tokens();
    }

    void settle() {
        out_.layer_work += recomputed_;
        out_.calibrate(job_.kept_scale);
        if (keeps_dummies()) out_[MemoryLine::buffers] += 2 * shapes_;
        double& working = out_[MemoryLine::working];
        working = out_.layer_work;
        if (out_.loss_work > working) {
            working = out_.loss_work;
            out_.binding = Binding::loss;
        }
        // The optimizer runs when activations are gone.
        const double step = out_.optimizer_work - out_[MemoryLine::activations];
        if (step > working) {
            working = step;
            out_.binding = Binding::optimizer;
        }
    }

    double h() const { return static_cast<double>(model_.hidden); }
    double tokens() const { return static_cast<double>(job_.held_tokens()); }

    const ModelShape& model_;
    const TrainingJob& job_;
    const std::vector<LayerBytes>& kinds_;
    const LayerBytes& mtp_;
    const std::vector<std::vector<LayerSlot>>& chunks_;
    StageParts parts_;
    ChunkPosition modules_;
    bool modules_apart_;
    int stage_;
    double recomputed_ = 0, largest_ = 0, shapes_ = 0;
    StageMemory out_;
};

}  // namespace

double StageMemory::fixed() const {
    return (*this)[MemoryLine::weights] + (*this)[MemoryLine::gradients] + (*this)[MemoryLine::optimizer];
}

void StageMemory::calibrate(double scale) {
    double& kept = (*this)[MemoryLine::activations];
    other.calibrated = (scale - 1) * kept;
    kept += other.calibrated;
    layer_work *= scale;
    loss_work *= scale;
}

double StageMemory::peak() const { return std::accumulate(bytes.begin(), bytes.end(), 0.0); }

std::size_t fullest_stage(const std::vector<StageMemory>& stages) {
    const auto fullest = std::max_element(
        stages.begin(), stages.end(), [](const StageMemory& a, const StageMemory& b) { return a.peak() < b.peak(); });
    return static_cast<std::size_t>(fullest - stages.begin());
}

std::int64_t padded_vocabulary(const ModelShape& model, const TrainingJob& job) {
    if (job.rows.given > 0) return job.rows.given;
    const std::int64_t step = std::max<std::int64_t>(1, job.rows.multiple * (job.rows.times_tp ? job.ranks.tp : 1));
    return (model.vocab + step - 1) / step * step;
}

Result<std::vector<StageMemory>> memory_of(const ModelShape& model, const TrainingJob& job, bool npu) {
    if (job.engine == Engine::fsdp2) return std::vector{sharded_memory(model, job, npu)};
    TRY_ASSIGN(const Placement placement, place_layers(job, model));
    std::vector<LayerBytes> kinds;
    for (const LayerShape& kind : model.kinds) kinds.push_back(layer_bytes(saved_tensors(model, kind, job, npu), job));
    const LayerBytes mtp = layer_bytes(saved_tensors(model, model.mtp_layer, job, npu), job);
    std::vector<StageMemory> out;
    for (int stage = 0; stage < placement.pp(); ++stage)
        out.push_back(StageSum(model, job, placement, kinds, mtp, stage).take());
    return out;
}

}  // namespace ckpt
