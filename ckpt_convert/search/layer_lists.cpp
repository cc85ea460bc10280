#include "ckpt_convert/search/layer_lists.h"

#include <algorithm>

#include "ckpt_convert/memory/saved_tensors.h"
#include "ckpt_convert/memory/states.h"

namespace ckpt {
namespace {

// Of all layers before each layer.
struct Sums {
    std::vector<double> seconds{0}, fixed{0}, kept{0};
};

double state_of(const StateBytes& state, int replicas) {
    return state.weights + state.gradients + state.optimizer / replicas;
}

double kept_of_layer(const ModelShape& model, const LayerShape& layer, const TrainingJob& job, bool npu) {
    if (job.memory.recompute == Recompute::uniform)
        return 2 * static_cast<double>(model.hidden) / job.sequence_ranks() * static_cast<double>(job.tokens());
    return layer_bytes(saved_tensors(model, layer, job, npu), job).kept * static_cast<double>(job.tokens());
}

Sums sums_of(const TrainingJob& job, const ModelShape& model, const MicroTime& micro, bool npu) {
    const StateBytes state = state_bytes(job);
    const bool is_split = job.optimizer.distributed;
    const double dense = state_of(state, is_split ? job.ranks.dp() * job.ranks.cp : 1);
    const double expert = state_of(state, is_split ? std::max(1, job.ranks.expert_dp()) : 1);
    Sums out;
    for (std::uint16_t number : model.layers) {
        const LayerShape& layer = model.kinds[number];
        const LayerTime& time = micro.kinds[number];
        out.seconds.push_back(out.seconds.back() + time.forward_seconds() +
                              time.backward_with(job.memory, job.memory.recompute == Recompute::uniform));
        const ParameterCounts& counts = layer.parameters;
        out.fixed.push_back(
            out.fixed.back() +
            (static_cast<double>(counts.sharded) / job.ranks.tp + static_cast<double>(counts.replicated)) * dense +
            static_cast<double>(counts.experts) / (job.ranks.ep() * job.ranks.etp()) * expert);
        out.kept.push_back(out.kept.back() + kept_of_layer(model, layer, job, npu));
    }
    return out;
}

}  // namespace

std::optional<LayerLists> layer_lists(const TrainingJob& job, const ModelShape& model, const MicroTime& micro,
                                      bool npu) {
    const auto stages = static_cast<std::size_t>(job.ranks.pp);
    const bool has_chunks = job.ranks.virtual_stages > 1 || job.ranks.layers_per_virtual_stage > 0 ||
                            job.ranks.dualpipev || !job.ranks.pipeline_layout.empty();
    if (stages < 2 || has_chunks || model.tower_stages() > 0 || stages > model.layer_count()) return std::nullopt;
    const Sums sums = sums_of(job, model, micro, npu);
    const double embedding = static_cast<double>(model.embedding_parameters()) / job.ranks.tp *
                             state_of(state_bytes(job), job.optimizer.distributed ? job.ranks.dp() * job.ranks.cp : 1);
    const double head =
        static_cast<double>(1 + model.mtp) * (micro.head.forward_seconds() + micro.head.backward_seconds()) +
        static_cast<double>(model.mtp) * (micro.mtp.forward_seconds() + micro.mtp.backward_seconds());
    const StageCost seconds = [&](std::size_t stage, std::size_t first, std::size_t end) {
        return sums.seconds[end] - sums.seconds[first] + (stage + 1 == stages ? head : 0);
    };
    const StageCost bytes = [&](std::size_t stage, std::size_t first, std::size_t end) {
        const auto in_flight =
            static_cast<double>(std::min<std::int64_t>(job.micro_batches(), static_cast<std::int64_t>(stages - stage)));
        const bool has_embedding = stage == 0 || stage + 1 == stages;
        return sums.fixed[end] - sums.fixed[first] + (sums.kept[end] - sums.kept[first]) * in_flight +
               (has_embedding ? embedding : 0);
    };
    LayerLists out;
    out.fastest = *split_layers(stages, model.layer_count(), seconds, bytes);
    out.lightest = *split_layers(stages, model.layer_count(), bytes, seconds);
    std::swap(out.lightest.most, out.lightest.most_other);
    return out;
}

}  // namespace ckpt
