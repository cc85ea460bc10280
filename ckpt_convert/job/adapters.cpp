#include "ckpt_convert/job/adapters.h"

namespace ckpt {
namespace {

// Of the weights of attention, what is split over TP ranks and what is whole on each: the widths of both sides.
struct Widths {
    double split = 0, whole = 0;
};

Widths grouped(double hidden, const LayerShape& layer) {
    const auto queries = static_cast<double>((layer.heads + layer.kv_heads) * layer.head_dim);
    const auto values = static_cast<double>(layer.kv_heads * layer.value_dim);
    return {queries + values + static_cast<double>(layer.heads * layer.value_dim), 2 * hidden};
}

// Queries, and keys with values, are narrowed whole and widened split; without a narrow width queries are wide at once.
Widths latent(const ModelShape& model, const LayerShape& layer) {
    const auto hidden = static_cast<double>(model.hidden), heads = static_cast<double>(layer.heads);
    const auto query_rank = static_cast<double>(model.latent.q_rank), rank = static_cast<double>(model.latent.kv_rank);
    const double narrowed = rank + static_cast<double>(model.latent.rope_dim);
    Widths out;
    out.whole = (query_rank > 0 ? hidden + 2 * query_rank : hidden) + hidden + narrowed + rank + hidden;
    out.split = heads * static_cast<double>(layer.head_dim + model.latent.nope_dim + 2 * layer.value_dim);
    return out;
}

}  // namespace

double adapter_parameters(const ModelShape& model, const LayerShape& layer, const TrainingJob& job) {
    const auto hidden = static_cast<double>(model.hidden), tp = static_cast<double>(job.ranks.tp);
    const double products = model.gated ? 2 : 1;
    const auto mlp = [&](double width) { return 2 * hidden + (products + 1) * width; };
    Widths attention;
    if (layer.attention == Attention::grouped) attention = grouped(hidden, layer);
    if (layer.attention == Attention::latent) attention = latent(model, layer);
    double sum = attention.whole + attention.split / tp;
    if (layer.feed_forward == FeedForward::dense) sum += mlp(static_cast<double>(layer.ffn) / tp);
    if (layer.has_experts()) {
        const ExpertsShape& moe = model.moe;
        sum += static_cast<double>(moe.experts) / job.ranks.ep() * mlp(static_cast<double>(moe.ffn) / job.ranks.etp());
        if (moe.shared_ffn > 0) sum += mlp(static_cast<double>(moe.shared_ffn) / tp);
    }
    return static_cast<double>(job.lora.rank) * sum;
}

}  // namespace ckpt
