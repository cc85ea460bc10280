#include "ckpt_convert/memory/saved_tensors.h"

#include <algorithm>

namespace ckpt {
namespace {

// Statistics of attention per head and token: the logarithm of the sum, or maximum and sum as [.., 8] in float32.
constexpr double kLogSumBytes = 4, kBlockStatisticsBytes = 64;
// The router keeps logits and probabilities in float32 and a mask.
constexpr double kRouterBytes = 9;

class Tensors {
public:
    Tensors(const ModelShape& model, const LayerShape& layer, const TrainingJob& job, bool npu)
        : model_(model), layer_(layer), job_(job), npu_(npu) {}

    std::vector<SavedTensor> take() && {
        if (job_.memory.alternate_products && layer_.attention == Attention::grouped &&
            layer_.feed_forward == FeedForward::dense)
            return std::move(*this).alternate_products();
        norm("input of the first norm", "output of the first norm", true);
        if (layer_.attention == Attention::grouped) grouped();
        if (layer_.attention == Attention::latent) latent();
        if (layer_.attention == Attention::linear) linear();
        if (layer_.mamba) mamba();
        dropout("mask of dropout after attention");
        if (layer_.feed_forward != FeedForward::none) feed_forward();
        return std::move(out_);
    }

private:
    SavedTensor& add(std::string_view name, double bytes, SharedBy by = SharedBy::tensor, std::uint32_t parts = 0) {
        out_.push_back({name, bytes, by, parts, false, false});
        return out_.back();
    }
    void add_attention(std::string_view name, double bytes, std::uint32_t parts = 0) {
        add(name, bytes, SharedBy::tensor, parts).swapped_attention = true;
    }

    // The products are those of queries, keys, values, output, gate, up, down, of which the odd ones stay.
    std::vector<SavedTensor> alternate_products() && {
        add("input of the first norm", 2.0 * h(), SharedBy::sequence);
        add("queries", 2.0 * static_cast<double>(layer_.heads * layer_.head_dim));
        add("values", 2.0 * static_cast<double>(layer_.kv_heads * layer_.value_dim));
        add("output of attention", 2.0 * static_cast<double>(layer_.heads * layer_.value_dim));
        statistics();
        add("product of the gate", 2.0 * static_cast<double>(layer_.ffn));
        add("output of the MLP", 2.0 * h(), SharedBy::sequence);
        return std::move(out_);
    }

    void norm(std::string_view input, std::string_view output, bool of_attention) {
        add(input, 2.0 * h(), SharedBy::sequence);
        add(output, 2.0 * h(), SharedBy::sequence, bit(Part::norm)).swapped_attention = of_attention;
    }

    void dropout(std::string_view name) {
        if (job_.memory.hidden_dropout) add(name, h(), SharedBy::sequence);
    }

    void statistics() {
        const auto heads = static_cast<double>(layer_.heads);
        if (job_.memory.flash_attention) {
            add_attention("statistics of attention", (npu_ ? kBlockStatisticsBytes : kLogSumBytes) * heads);
            return;
        }
        // Scores, and with dropout their mask and what is left of them.
        const double each = job_.memory.attention_dropout ? 5 : 2;
        const double keys = static_cast<double>(job_.batch.sequence) / job_.ranks.cp;
        add("attention scores", each * heads * keys, SharedBy::tensor, bit(Part::core_attention));
    }

    void grouped() {
        const double groups = static_cast<double>(std::max<std::int64_t>(layer_.kv_heads, job_.ranks.tp));
        const double q = static_cast<double>(layer_.heads * layer_.head_dim);
        const double k = groups * static_cast<double>(layer_.head_dim);
        const double v = groups * static_cast<double>(layer_.value_dim);
        add_attention("queries, keys, values", 2 * (q + k + v));
        if (model_.qk_norm) add_attention("queries and keys before their norms", 2 * (q + k));
        output();
        statistics();
    }

    void latent() {
        const LatentShape& latent = model_.latent;
        if (latent.q_rank > 0) {
            add("narrowed queries", 2.0 * static_cast<double>(latent.q_rank), SharedBy::sequence);
            add("their norm", 2.0 * static_cast<double>(latent.q_rank), SharedBy::sequence);
        }
        add("narrowed keys and values", 2.0 * static_cast<double>(latent.kv_rank + latent.rope_dim),
            SharedBy::sequence);
        add("norm of narrowed keys and values", 2.0 * static_cast<double>(latent.kv_rank), SharedBy::sequence);
        const double wide = static_cast<double>(layer_.heads * (2 * layer_.head_dim + layer_.value_dim));
        add_attention("queries, keys, values", 2 * wide, bit(Part::latent_up));
        output();
        statistics();
    }

    void output() {
        const double bytes = 2.0 * static_cast<double>(layer_.heads * layer_.value_dim);
        add_attention("output of attention", bytes);
        if (job_.copies_attention()) add_attention("the same, samples first", bytes);
    }

    // Projections, their convolution, the output and the gate; states of the heads are computed again by chunks.
    void linear() {
        const double k = static_cast<double>(layer_.kv_heads * layer_.head_dim);
        const double v = static_cast<double>(layer_.heads * layer_.value_dim);
        add_attention("projections of linear attention", 2 * (2 * k + 2 * v));
        add_attention("convolved projections", 2 * (2 * k + v));
        add_attention("output of linear attention and its norm", 4 * v);
    }

    void mamba() {
        const MambaShape& mamba = model_.mamba;
        const double mixed = static_cast<double>(mamba.inner + 2 * mamba.groups * mamba.state);
        add("projections of the Mamba mixer", 2 * (mixed + static_cast<double>(mamba.inner + mamba.heads)));
        add("convolved projections of the Mamba mixer", 2 * mixed);
        add("output of the Mamba mixer and its norm", 4.0 * static_cast<double>(mamba.inner));
    }

    void feed_forward() {
        norm("input of the second norm", "output of the second norm", false);
        const std::size_t first = out_.size();
        if (layer_.has_experts()) experts();
        else mlp("products of the MLP", "activation of the MLP", layer_.ffn, 1, bit(Part::mlp), 0);
        for (std::size_t i = first; i < out_.size(); ++i) out_[i].feed_forward = true;
        dropout("mask of dropout after the MLP");
    }

    void mlp(std::string_view products, std::string_view activation, std::int64_t width, double tokens,
             std::uint32_t parts, std::uint32_t activation_parts) {
        const double f = static_cast<double>(width) * tokens;
        add(products, (model_.gated ? 4 : 2) * f, SharedBy::tensor, parts);
        const double copies = model_.gated && !job_.memory.fused_swiglu ? 2 : 1;
        add(activation, 2 * f * copies, SharedBy::tensor, parts | bit(Part::activation_function) | activation_parts);
    }

    // Tokens change their EP ranks, so EP does not divide them.
    void experts() {
        const ExpertsShape& moe = model_.moe;
        const double routed = static_cast<double>(moe.topk) * job_.memory.imbalance;
        const std::uint32_t all = bit(Part::moe);
        add("router", kRouterBytes * static_cast<double>(moe.experts), SharedBy::sequence, all);
        add("inputs of experts", 2 * routed * h(), SharedBy::tensor, all);
        mlp("products of experts", "activations of experts", moe.ffn, routed, all, bit(Part::moe_activation));
        if (job_.memory.late_probabilities) add("outputs of experts", 2 * routed * h(), SharedBy::tensor, all);
        if (moe.shared_ffn > 0) {
            mlp("products of shared experts", "activations of shared experts", moe.shared_ffn, 1,
                all | bit(Part::shared_experts), 0);
        }
    }

    double h() const { return static_cast<double>(model_.hidden); }

    const ModelShape& model_;
    const LayerShape& layer_;
    const TrainingJob& job_;
    bool npu_;
    std::vector<SavedTensor> out_;
};

}  // namespace

std::vector<SavedTensor> saved_tensors(const ModelShape& model, const LayerShape& layer, const TrainingJob& job,
                                       bool npu) {
    return Tensors(model, layer, job, npu).take();
}

int ranks_of(const SavedTensor& tensor, const TrainingJob& job) {
    return tensor.shared_by == SharedBy::sequence ? job.sequence_ranks() : job.ranks.tp;
}

bool is_freed(const SavedTensor& tensor, const TrainingJob& job) {
    if (tensor.swapped_attention && job.memory.swap_attention) return true;
    for (std::size_t part = 0; part < kParts; ++part)
        if (job.memory.recomputed[part] && (tensor.parts & (1u << part)) != 0) return true;
    return false;
}

double tower_bytes(const TowerShape& tower, const TrainingJob& job, int stage) {
    const double patches = static_cast<double>(tower.patches * job.batch.micro);
    const auto width = static_cast<double>(tower.hidden);
    if (!tower.trained) return tower.ends_on(stage) ? 2 * width * patches : 0;
    const double mlp = (tower.gated ? 6.0 : 4.0) * static_cast<double>(tower.ffn);
    return patches * static_cast<double>(tower.layers_of(stage)) *
           (16 * width + mlp + 4.0 * static_cast<double>(tower.heads));
}

LayerBytes layer_bytes(const std::vector<SavedTensor>& tensors, const TrainingJob& job) {
    LayerBytes out;
    for (const SavedTensor& tensor : tensors) {
        if (is_freed(tensor, job)) continue;
        const double bytes = tensor.bytes / ranks_of(tensor, job);
        out.kept += bytes;
        if (tensor.feed_forward) out.feed_forward += bytes;
    }
    return out;
}

}  // namespace ckpt
