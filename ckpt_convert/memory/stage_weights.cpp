#include "ckpt_convert/memory/stage_weights.h"

#include <algorithm>

#include "ckpt_convert/job/adapters.h"
#include "ckpt_convert/memory/stage_memory.h"

namespace ckpt {
namespace {

class Weights {
public:
    Weights(const ModelShape& model, const TrainingJob& job) : model_(model), job_(job) {}

    void add_layer(const LayerShape& layer) {
        add(layer.parameters);
        // With more TP ranks than groups of keys and values, ranks hold copies.
        if (layer.attention == Attention::grouped && layer.kv_heads < job_.ranks.tp)
            out_.dense += static_cast<double>(copies_of_groups(layer)) / job_.ranks.tp;
        out_.adapters += adapter_parameters(model_, layer, job_);
        widest(layer);
    }

    void add(const ParameterCounts& counts) {
        out_.dense += static_cast<double>(counts.sharded) / job_.ranks.tp + static_cast<double>(counts.replicated);
        out_.experts += static_cast<double>(counts.experts) / (job_.ranks.ep() * job_.ranks.etp());
    }

    void add_vocabulary() {
        out_.dense += static_cast<double>(padded_vocabulary(model_, job_) * model_.hidden) / job_.ranks.tp;
    }

    void add_towers(int stage) {
        for (const TowerShape& tower : model_.towers) {
            if (tower.layers_of(stage) > 0)
                (tower.trained ? out_.dense : out_.frozen) +=
                    static_cast<double>(tower.parameters_of(stage, model_.hidden)) / job_.ranks.tp;
        }
    }

    void add_parts(const StageParts& parts) {
        if (parts.embedding) add_vocabulary();
        if (parts.embedding) out_.dense += static_cast<double>(model_.positions * model_.hidden);
        if (parts.norm) add(model_.final_norm);
        if (parts.head && !(model_.tied && parts.embedding)) add_vocabulary();
        if (!parts.modules) return;
        for (std::int64_t module = 0; module < model_.mtp; ++module) add_layer(model_.mtp_layer);
        if (model_.mtp > 0 && !parts.embedding) add_vocabulary();
    }

    StageWeights take() && {
        if (job_.lora.parameters > 0)
            out_.adapters = static_cast<double>(job_.lora.parameters) / (job_.ranks.tp * job_.ranks.pp);
        out_.distinct = attention_ + dense_ + experts_;
        return out_;
    }

private:
    std::int64_t copies_of_groups(const LayerShape& layer) const {
        return (job_.ranks.tp - layer.kv_heads) * model_.hidden * (layer.head_dim + layer.value_dim);
    }

    // Weights of each shape are counted once.
    void widest(const LayerShape& layer) {
        const auto h = static_cast<double>(model_.hidden);
        const double tp = job_.ranks.tp;
        const double products = model_.gated ? 2 : 1;
        const auto output = static_cast<double>(layer.heads * layer.value_dim) * h / tp;
        const double qkv = layer.attention == Attention::grouped
                               ? h * static_cast<double>((layer.heads + 2 * layer.kv_heads) * layer.head_dim) / tp
                               : output;
        out_.largest = std::max({out_.largest, qkv, products * h * static_cast<double>(layer.ffn) / tp});
        attention_ = std::max(attention_, attention_weights(layer) / tp);
        if (layer.feed_forward == FeedForward::dense)
            dense_ = std::max(dense_, (products + 1) * h * static_cast<double>(layer.ffn) / tp);
        if (layer.has_experts()) {
            experts_ = (products + 1) * h *
                       (static_cast<double>(model_.moe.ffn) / job_.ranks.etp() +
                        static_cast<double>(model_.moe.shared_ffn) / tp);
        }
    }

    double attention_weights(const LayerShape& layer) const {
        LayerShape bare = layer;
        bare.feed_forward = FeedForward::none;
        return static_cast<double>(layer_parameters(model_, bare).sharded);
    }

    const ModelShape& model_;
    const TrainingJob& job_;
    double attention_ = 0, dense_ = 0, experts_ = 0;
    StageWeights out_;
};

}  // namespace

StageParts stage_parts(const ModelShape& model, const TrainingJob& job, const Placement& placement, int stage) {
    const ChunkPosition& norm = job.engine == Engine::megatron ? placement.norm : placement.head;
    const auto is_at = [stage](const ChunkPosition& at) { return static_cast<int>(at.pp) == stage; };
    return {stage == model.tower_stages(), is_at(norm), is_at(placement.modules), is_at(placement.head)};
}

StageWeights stage_weights(const ModelShape& model, const TrainingJob& job,
                           const std::vector<std::vector<LayerSlot>>& chunks, const StageParts& parts, int stage) {
    Weights weights(model, job);
    for (const auto& chunk : chunks)
        for (const LayerSlot& slot : chunk) weights.add_layer(model.layer(slot.layer));
    weights.add_towers(stage);
    weights.add_parts(parts);
    return std::move(weights).take();
}

}  // namespace ckpt
