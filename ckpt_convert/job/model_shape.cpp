#include "ckpt_convert/job/model_shape.h"

#include <algorithm>

namespace ckpt {
namespace {

ParameterCounts attention_parameters(const ModelShape& model, const LayerShape& layer) {
    const std::int64_t h = model.hidden, a = layer.heads, d = layer.head_dim;
    ParameterCounts out;
    if (layer.attention == Attention::grouped) {
        out.sharded = h * a * d + h * layer.kv_heads * (d + layer.value_dim) + a * layer.value_dim * h;
        if (model.qkv_bias || model.linear_bias) out.sharded += a * d + layer.kv_heads * (d + layer.value_dim);
        if (model.linear_bias) out.replicated += h;
        if (model.qk_norm) out.replicated += 2 * d;
    }
    if (layer.attention == Attention::latent) {
        const LatentShape& latent = model.latent;
        out.sharded = (latent.q_rank > 0 ? latent.q_rank : h) * a * d;
        out.sharded += latent.kv_rank * a * (latent.nope_dim + layer.value_dim) + a * layer.value_dim * h;
        out.replicated = h * (latent.kv_rank + latent.rope_dim) + latent.kv_rank;
        if (latent.q_rank > 0) out.replicated += h * latent.q_rank + latent.q_rank;
    }
    return out;
}

std::int64_t mlp_parameters(const ModelShape& model, std::int64_t width) {
    return (model.gated ? 3 : 2) * model.hidden * width;
}

std::int64_t norm_parameters(const ModelShape& model) { return model.hidden * (model.rms_norm ? 1 : 2); }

ParameterCounts feed_forward_parameters(const ModelShape& model, const LayerShape& layer) {
    ParameterCounts out;
    if (layer.feed_forward == FeedForward::dense) {
        out.sharded = mlp_parameters(model, layer.ffn);
        if (model.linear_bias) {
            out.sharded += layer.ffn * (model.gated ? 2 : 1);
            out.replicated += model.hidden;
        }
    }
    if (layer.has_experts()) {
        out.experts = model.moe.experts * mlp_parameters(model, model.moe.ffn);
        out.sharded = mlp_parameters(model, model.moe.shared_ffn);
        out.replicated = model.hidden * model.moe.experts;
    }
    return out;
}

LayerShape layer_of(const GivenSizes& sizes, FeedForward feed_forward) {
    LayerShape layer;
    const bool latent = sizes.kv_rank > 0;
    layer.attention = latent ? Attention::latent : Attention::grouped;
    layer.feed_forward = feed_forward;
    layer.heads = sizes.heads;
    layer.kv_heads = latent || sizes.kv_heads == 0 ? sizes.heads : sizes.kv_heads;
    layer.head_dim = latent                ? sizes.nope_dim + sizes.rope_dim
                     : sizes.head_dim != 0 ? sizes.head_dim
                                           : sizes.hidden / std::max<std::int64_t>(sizes.heads, 1);
    layer.value_dim = sizes.value_dim != 0 ? sizes.value_dim : layer.head_dim;
    layer.ffn = sizes.ffn;
    return layer;
}

// Two halves of the projection that joins the next token's embedding, and three norms.
ParameterCounts mtp_parameters(const ModelShape& model) {
    ParameterCounts out = layer_parameters(model, model.mtp_layer);
    out.sharded += 2 * model.hidden * model.hidden;
    out.replicated += 3 * norm_parameters(model);
    return out;
}

}  // namespace

ParameterCounts& ParameterCounts::operator+=(const ParameterCounts& other) {
    sharded += other.sharded;
    replicated += other.replicated;
    experts += other.experts;
    return *this;
}

std::int64_t TowerShape::layer_parameters() const { return 4 * hidden * hidden + (gated ? 3 : 2) * hidden * ffn; }

std::int64_t TowerShape::layers_of(int stage) const {
    const std::int64_t all = std::max<std::int64_t>(stages, 1);
    if (stage >= all) return 0;
    return layers / all + (stage < layers % all ? 1 : 0);
}

std::int64_t TowerShape::parameters_of(int stage, std::int64_t model_hidden) const {
    const std::int64_t merged = merge * hidden;
    std::int64_t out = layers_of(stage) * layer_parameters();
    if (stage == 0) out += patch_values * hidden;
    if (ends_on(stage)) out += merged * merged + merged * model_hidden;
    return out;
}

std::int64_t TowerShape::parameters(std::int64_t model_hidden) const {
    std::int64_t out = 0;
    for (int stage = 0; stage < std::max<std::int64_t>(stages, 1); ++stage) out += parameters_of(stage, model_hidden);
    return out;
}

ParameterCounts layer_parameters(const ModelShape& model, const LayerShape& layer) {
    ParameterCounts out = attention_parameters(model, layer);
    out += feed_forward_parameters(model, layer);
    out.replicated += 2 * norm_parameters(model);
    return out;
}

std::int64_t ModelShape::parameters() const {
    std::int64_t out = embedding_parameters() * (tied ? 1 : 2) + positions * hidden + final_norm.total();
    for (std::uint16_t kind : layers) out += kinds[kind].parameters.total();
    return out;
}

std::int64_t ModelShape::active_parameters() const {
    std::int64_t out = parameters();
    if (moe.experts == 0) return out;
    for (std::uint16_t kind : layers) {
        const std::int64_t all = kinds[kind].parameters.experts;
        out -= all - all / moe.experts * moe.topk;
    }
    return out;
}

ModelShape shape_of(const GivenSizes& sizes) {
    ModelShape model;
    model.hidden = sizes.hidden;
    model.vocab = sizes.vocab;
    model.positions = sizes.positions;
    model.tied = sizes.tied;
    model.gated = sizes.gated;
    model.rms_norm = sizes.rms_norm;
    model.linear_bias = sizes.linear_bias;
    model.qkv_bias = sizes.qkv_bias;
    model.qk_norm = sizes.qk_norm;
    model.moe = {sizes.experts, sizes.topk, sizes.moe_ffn != 0 ? sizes.moe_ffn : sizes.ffn, sizes.shared_ffn};
    model.latent = {sizes.q_rank, sizes.kv_rank, sizes.nope_dim, sizes.rope_dim};
    model.kinds = {layer_of(sizes, FeedForward::dense)};
    if (sizes.experts > 0) model.kinds.push_back(layer_of(sizes, FeedForward::experts));
    for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
        const bool experts = sizes.experts > 0 && layer >= sizes.dense_layers && layer % sizes.moe_every == 0;
        model.layers.push_back(experts ? 1 : 0);
    }
    for (LayerShape& kind : model.kinds) kind.parameters = layer_parameters(model, kind);
    model.final_norm.replicated = norm_parameters(model);
    model.mtp = sizes.mtp;
    model.mtp_layer = model.kinds.back();
    if (model.mtp > 0) model.mtp_layer.parameters = mtp_parameters(model);
    return model;
}

}  // namespace ckpt
