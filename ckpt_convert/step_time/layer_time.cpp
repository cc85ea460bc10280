#include "ckpt_convert/step_time/layer_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/format.h"

namespace ckpt {
namespace {

constexpr double kTera = 1e12, kGiga = 1e9, kMicro = 1e-6;
constexpr double kElement = 2;  // bytes of an activation

constexpr std::array<std::string_view, kWorks> kWorkNames{"products", "experts", "attention", "vector",
                                                          "launches", "tensor",  "exchange",  "context"};

// Products below this many FLOP reach half of what large ones do; in between it rises evenly.
constexpr double kSmallProduct = 0.02 * kTera, kLargeProduct = 0.05 * kTera;

// Operators of a layer that the host launches, and how many times as many its backward pass has.
constexpr double kLaunches = 14, kExpertLaunches = 30, kBackwardLaunches = 1.6;

// FLOP of attention's backward pass over those of its forward pass.
constexpr double kAttentionBackward = 2.5;

// Bytes of a token that pass memory in element-wise work of the forward pass: norms and residuals, rotary embedding and
// layout, gated activation, and for each expert that it goes to its copies, its activation, and the router's scores.
constexpr double kNormBytes = 20, kRotaryBytes = 8, kActivationBytes = 6, kCopyBytes = 12, kRouterBytes = 12;
// Of these, what norms alone are.
constexpr double kNormShare = 0.4;
// Scores of attention that is not one kernel: written, scaled, masked, dropped and read in several.
constexpr double kScoreBytes = 10;
// Bytes of a logit in the loss, forward and backward alike.
constexpr double kFusedLossBytes = 4, kLossBytes = 11;

struct Matrix {
    double in, out;
    bool is_sharded;
};

void add_latent(std::vector<Matrix>& out, const ModelShape& model, const LayerShape& kind) {
    const LatentShape& latent = model.latent;
    const auto h = static_cast<double>(model.hidden), heads = static_cast<double>(kind.heads);
    const double query = heads * static_cast<double>(kind.head_dim);
    if (latent.q_rank > 0) {
        out.push_back({h, static_cast<double>(latent.q_rank), false});
        out.push_back({static_cast<double>(latent.q_rank), query, true});
    } else {
        out.push_back({h, query, true});
    }
    out.push_back({h, static_cast<double>(latent.kv_rank + latent.rope_dim), false});
    out.push_back(
        {static_cast<double>(latent.kv_rank), heads * static_cast<double>(latent.nope_dim + kind.value_dim), true});
    out.push_back({heads * static_cast<double>(kind.value_dim), h, true});
}

double mlp_width(const ModelShape& model, double ffn) { return model.gated ? 2 * ffn : ffn; }
// Parameters of one MLP.
double mlp_parameters(const ModelShape& model, double ffn) {
    return static_cast<double>(model.hidden) * (mlp_width(model, ffn) + ffn);
}
double dense_width(const ModelShape& model, const LayerShape& kind) {
    if (kind.feed_forward == FeedForward::dense) return static_cast<double>(kind.ffn);
    return kind.has_experts() ? static_cast<double>(model.moe.shared_ffn) : 0;
}

// What mixes tokens, as products.
std::vector<Matrix> mixing_products(const ModelShape& model, const LayerShape& kind) {
    std::vector<Matrix> out;
    const auto h = static_cast<double>(model.hidden);
    const double values = static_cast<double>(kind.heads * kind.value_dim);
    if (kind.attention == Attention::latent) {
        add_latent(out, model, kind);
    } else if (kind.attention == Attention::grouped) {
        const auto queries = static_cast<double>((kind.heads + kind.kv_heads) * kind.head_dim);
        out.push_back({h, queries + static_cast<double>(kind.kv_heads * kind.value_dim), true});
        out.push_back({values, h, true});
    }
    if (kind.attention == Attention::linear || kind.mamba) {
        // Of other mixers only the parameters are known; all of them are products with the tokens.
        const double feed_forward = mlp_parameters(model, dense_width(model, kind));
        double rest = static_cast<double>(kind.parameters.sharded) - feed_forward;
        for (const Matrix& matrix : out) rest -= matrix.in * matrix.out;
        if (rest > 0) out.push_back({h, rest / h, true});
    }
    return out;
}

// What a rank of a group reaches, of `members` on the whole world, with `fan` targets for each token: each target once.
double distinct(double members, double fan) { return members * (1 - std::pow(1 - 1 / members, fan)); }

Result<double> known(const std::optional<double>& value, const Device& device, std::string_view what,
                     std::string_view option) {
    if (value && *value > 0) return *value;
    return base::fail(ErrorKind::usage,
                      base::format("the {} of {} is not published; give it with {}", what, device.name, option));
}

double sum(const std::array<double, kWorks>& seconds) { return std::accumulate(seconds.begin(), seconds.end(), 0.0); }

}  // namespace

std::string_view name(Work work) { return kWorkNames[static_cast<std::size_t>(work)]; }

double PassTime::forward_seconds() const { return sum(forward); }
double PassTime::backward_seconds() const { return sum(backward); }

double LayerTime::backward_with(const MemoryOptions& memory, bool whole) const {
    double out = backward_seconds();
    if (whole) return out + forward_seconds();
    for (std::size_t i = 0; i < kParts; ++i) {
        if (memory.recomputed[i]) out += again[i];
    }
    return out;
}

Result<LayerClock> LayerClock::make(const ModelShape& model, const Device& device, const TimeRules& rules,
                                    Precision precision, bool fp8) {
    TRY_ASSIGN(const DeviceShares share, rules.of_device(device.id));
    const bool is_fp16 = precision == Precision::fp16 && device.fp16_tflops;
    TRY_ASSIGN(const double tflops,
               known(is_fp16 ? device.fp16_tflops : device.bf16_tflops, device, "peak of bf16 products", "--tflops"));
    TRY_ASSIGN(const double memory, known(device.hbm_tb_s, device, "bandwidth of memory", "--hbm-tb-s"));
    TRY_ASSIGN(const double intra, known(device.intra_gb_s, device, "link inside a node", "--link-intra"));
    TRY_ASSIGN(const double inter, known(device.inter_gb_s, device, "link between nodes", "--link-inter"));
    DeviceSpeed speed;
    // Without matrix units for fp32 a product takes twice the time at least.
    speed.peak = tflops * kTera / (precision == Precision::fp32 ? 2 : 1);
    speed.head_flops = speed.peak * share.gemm->value;
    speed.product_flops = speed.head_flops * (fp8 ? share.fp8_gain->value : 1);
    speed.attention_forward = speed.peak * share.attention_forward->value;
    speed.attention_backward = speed.peak * share.attention_backward->value;
    speed.latent_forward = speed.peak * share.latent_forward->value;
    speed.latent_backward = speed.peak * share.latent_backward->value;
    speed.vector_bytes = memory * kTera * share.vector->value;
    speed.loss_bytes = memory * kTera * share.cross_entropy->value;
    speed.stream_bytes = memory * kTera * rules.shares.memory_stream.value;
    speed.ring_bytes = intra * kGiga * share.ring->value;
    speed.all_to_all_bytes = intra * kGiga * share.all_to_all->value;
    speed.between_bytes = inter * kGiga * share.between_nodes->value;
    speed.attention_seconds = share.attention_us->value * kMicro;
    speed.call_seconds = share.call_us->value * kMicro;
    speed.launch_seconds = share.launch_us->value * kMicro;
    return LayerClock(model, speed, rules.shares);
}

double LayerClock::product(double rows, double in, double out) const {
    const double flop = 2 * rows * in * out;
    const double rise = std::clamp((flop - kSmallProduct) / (kLargeProduct - kSmallProduct), 0.0, 1.0);
    return flop / (speed_.product_flops * (0.5 + 0.5 * rise));
}

double LayerClock::ring(double bytes, int members, int span, int per_node) const {
    if (members <= 1 || bytes == 0) return 0;
    double rate = speed_.ring_bytes;
    if (span > per_node) {
        // Each of the group's ranks in a node has a link out of it.
        const int in_node = std::max(1, static_cast<int>(static_cast<std::int64_t>(members) * per_node / span));
        rate = std::min(rate, in_node * speed_.between_bytes);
    }
    return speed_.call_seconds + bytes * (members - 1) / members / rate;
}

double LayerClock::send(double bytes, int distance, int per_node) const {
    return speed_.call_seconds + bytes / (2 * distance <= per_node ? speed_.ring_bytes : speed_.between_bytes);
}

void LayerClock::add_products(LayerTime& time, const LayerShape& kind, const TrainingJob& job) const {
    const double tokens = static_cast<double>(job.tokens()), tp = job.ranks.tp, lora = job.lora.rank;
    auto seconds = [&](const Matrix& matrix) {
        return matrix.is_sharded ? product(tokens, matrix.in, matrix.out / tp)
                                 : product(tokens / job.sequence_ranks(), matrix.in, matrix.out);
    };
    // LoRA's two factors beside a matrix.
    auto adapter = [&](const Matrix& matrix) {
        return product(tokens, matrix.in / tp, lora) + product(tokens, lora, matrix.out / tp);
    };
    double all = 0, adapters = 0;
    for (const Matrix& matrix : mixing_products(*model_, kind)) {
        all += seconds(matrix);
        adapters += adapter(matrix);
        const bool is_latent_up =
            kind.attention == Attention::latent && matrix.is_sharded && matrix.out != model_->hidden;
        if (is_latent_up) time.again[static_cast<std::size_t>(Part::latent_up)] += seconds(matrix);
    }
    const double ffn = dense_width(*model_, kind), h = static_cast<double>(model_->hidden);
    if (ffn > 0) {
        const Matrix up{h, mlp_width(*model_, ffn), true}, down{ffn, h, true};
        const double mlp = seconds(up) + seconds(down);
        adapters += adapter(up) + adapter(down);
        const Part part = kind.has_experts() ? Part::shared_experts : Part::mlp;
        time.again[static_cast<std::size_t>(part)] += mlp;
        all += mlp;
    }
    time.of(Work::products, false) += all;
    time.of(Work::products, true) += 2 * all;
    if (!job.is_frozen()) return;
    // Weights without gradients have no product for them, and the adapters have all three.
    time.of(Work::products, false) += adapters;
    time.of(Work::products, true) += 2 * adapters - all;
}

void LayerClock::add_experts(LayerTime& time, const TrainingJob& job) const {
    const ExpertsShape& moe = model_->moe;
    const double etp = job.ranks.etp();
    const double rows = static_cast<double>(job.tokens() * moe.topk) / job.ranks.tp * etp * job.memory.imbalance;
    const double weights = mlp_parameters(*model_, static_cast<double>(moe.ffn) / etp);
    const double flop = 2 * rows * weights / speed_.product_flops;
    const double bytes = static_cast<double>(moe.experts) / job.ranks.ep() * weights * kElement / speed_.stream_bytes;
    time.of(Work::experts, false) += flop + bytes;
    // The gradient of the inputs reads the weights as the forward pass does; that of the weights also writes fp32 sums.
    time.of(Work::experts, true) +=
        job.is_frozen() ? flop + bytes : 2 * flop + (1 + shares_->expert_weight_gradients.value) * bytes;
    time.again[static_cast<std::size_t>(Part::moe)] += flop + bytes;
}

void LayerClock::add_attention(LayerTime& time, const LayerShape& kind, const TrainingJob& job) const {
    if (kind.attention != Attention::grouped && kind.attention != Attention::latent) return;
    const bool is_latent = kind.attention == Attention::latent;
    // A window of w tokens costs what causal attention over 2w does.
    const std::int64_t seen = kind.window > 0 ? std::min(job.batch.sequence, 2 * kind.window) : job.batch.sequence;
    const double flop = 2 * static_cast<double>(job.tokens()) * static_cast<double>(seen) *
                        static_cast<double>(kind.heads * (kind.head_dim + kind.value_dim)) / job.ranks.tp;
    const double forward =
        speed_.attention_seconds + flop / (is_latent ? speed_.latent_forward : speed_.attention_forward);
    time.of(Work::attention, false) += forward;
    time.of(Work::attention, true) +=
        speed_.attention_seconds +
        kAttentionBackward * flop / (is_latent ? speed_.latent_backward : speed_.attention_backward);
    time.again[static_cast<std::size_t>(Part::core_attention)] += forward;
}

void LayerClock::add_vector(LayerTime& time, const LayerShape& kind, const TrainingJob& job) const {
    const double h = static_cast<double>(model_->hidden), tp = job.ranks.tp, sp = job.sequence_ranks();
    auto seconds = [&](double bytes) { return bytes * static_cast<double>(job.tokens()) / speed_.vector_bytes; };
    const double norms = kNormBytes * h / sp;
    const std::int64_t keys = kind.attention == Attention::latent ? kind.heads : kind.kv_heads;
    double bytes =
        norms +
        kRotaryBytes * static_cast<double>(kind.heads * kind.head_dim + keys * (kind.head_dim + kind.value_dim)) / tp;
    const double activation = kActivationBytes * dense_width(*model_, kind) / tp;
    bytes += activation;
    double expert_activation = 0;
    if (kind.has_experts()) {
        const ExpertsShape& moe = model_->moe;
        expert_activation = kActivationBytes * static_cast<double>(moe.topk * moe.ffn) / tp;
        bytes += expert_activation + kCopyBytes * static_cast<double>(moe.topk) * h / tp +
                 kRouterBytes * static_cast<double>(moe.experts) / sp;
    }
    if (kind.mamba) bytes += kRotaryBytes * static_cast<double>(model_->mamba.inner) / tp;
    if (!job.memory.flash_attention)
        bytes += kScoreBytes * static_cast<double>(kind.heads * job.batch.sequence) / tp + kActivationBytes * h / sp;
    time.of(Work::vector, false) += seconds(bytes);
    time.of(Work::vector, true) += 2 * seconds(bytes);
    auto again = [&](Part part) -> double& { return time.again[static_cast<std::size_t>(part)]; };
    again(Part::norm) += seconds(kNormShare * norms);
    again(Part::activation_function) += seconds(activation + expert_activation);
    again(Part::moe_activation) += seconds(expert_activation);
    if (!kind.has_experts()) again(Part::mlp) += seconds(activation);
}

void LayerClock::add_launches(LayerTime& time, const LayerShape& kind, const Overlap& overlap) const {
    double operators = kind.has_experts() ? kExpertLaunches : kLaunches;
    if (overlap.graphs) operators *= kind.has_experts() ? shares_->expert_graphs.value : 0;
    time.of(Work::launches, false) += operators * speed_.launch_seconds;
    time.of(Work::launches, true) += kBackwardLaunches * operators * speed_.launch_seconds;
}

// One all-to-all of the tokens between the ranks with experts.
double LayerClock::exchange(const TrainingJob& job, const Overlap& overlap) const {
    const int ranks = job.ranks.ep() * job.ranks.etp();
    const double nodes = std::max(1.0, std::ceil(static_cast<double>(ranks) / job.ranks.per_node));
    const double fan = static_cast<double>(model_->moe.topk);
    const double bytes =
        static_cast<double>(job.tokens() * model_->hidden) / job.ranks.tp * kElement * job.memory.imbalance;
    const double targets = overlap.once_per_node ? distinct(ranks, fan) : fan;
    const double inside = bytes * targets * (ranks - 1) / ranks / speed_.all_to_all_bytes;
    if (nodes == 1) return speed_.call_seconds + inside;
    const double remote =
        overlap.once_per_node ? distinct(nodes, fan) * (nodes - 1) / nodes : fan * (nodes - 1) / nodes;
    return speed_.call_seconds + std::max(inside, bytes * remote / speed_.between_bytes);
}

void LayerClock::add_messages(LayerTime& time, const LayerShape& kind, const TrainingJob& job,
                              const Overlap& overlap) const {
    const Parallelism& ranks = job.ranks;
    const double tokens = static_cast<double>(job.tokens()), h = static_cast<double>(model_->hidden);
    if (ranks.tp > 1) {
        // Gathered and scattered around attention, and around a dense MLP; shared experts hide theirs behind the exchange.
        const double calls = kind.has_experts() || kind.feed_forward == FeedForward::none ? 2 : 4;
        double seconds = calls * ring(kElement * tokens * h, ranks.tp, ranks.tp, ranks.per_node) *
                         (overlap.tensor ? shares_->tensor_overlap.value : 1);
        time.of(Work::tensor, false) += seconds;
        // Without sequence parallelism, all of the backward pass's messages run beside gradients of weights.
        time.of(Work::tensor, true) += seconds * (ranks.sequence_parallel ? shares_->tensor_backward.value : 0);
    }
    if (kind.has_experts() && ranks.etp() > 1) {
        const double routed = kElement * tokens * static_cast<double>(model_->moe.topk) * h / ranks.tp * ranks.etp();
        const double seconds = 2 * ring(routed, ranks.etp(), ranks.etp(), ranks.per_node);
        time.of(Work::tensor, false) += seconds;
        time.of(Work::tensor, true) += seconds;
    }
    if (kind.has_experts() && ranks.ep() > 1) {
        const double seconds = 2 * exchange(job, overlap) * (overlap.experts ? shares_->expert_overlap.value : 1);
        time.of(Work::exchange, false) += seconds;
        time.of(Work::exchange, true) += seconds;
        time.again[static_cast<std::size_t>(Part::moe)] += seconds;
    }
    if (ranks.cp > 1 && kind.attention != Attention::none) {
        const double keys = static_cast<double>(kind.kv_heads * (kind.head_dim + kind.value_dim));
        const int span = ranks.cp * ranks.tp;
        double seconds = 0;
        if (overlap.ring_attention) {
            seconds = 2 * ring(kElement * tokens * ranks.cp * keys / ranks.tp, ranks.cp, span, ranks.per_node) *
                      shares_->ring_attention.value;
        } else {
            const double queries = static_cast<double>(kind.heads * (kind.head_dim + kind.value_dim));
            const double rate = span <= ranks.per_node ? speed_.all_to_all_bytes : speed_.between_bytes;
            const double outside =
                span <= ranks.per_node ? double(ranks.cp - 1) / ranks.cp : 1 - double(ranks.per_node) / span;
            seconds = speed_.call_seconds + kElement * tokens * (queries + keys) / ranks.tp * outside / rate;
        }
        time.of(Work::context, false) += seconds;
        time.of(Work::context, true) += seconds;
    }
}

LayerTime LayerClock::layer(const LayerShape& kind, const TrainingJob& job, const Overlap& overlap) const {
    LayerTime out;
    add_products(out, kind, job);
    if (kind.has_experts()) add_experts(out, job);
    add_attention(out, kind, job);
    add_vector(out, kind, job);
    add_launches(out, kind, overlap);
    add_messages(out, kind, job, overlap);
    return out;
}

PassTime LayerClock::tower(const TowerShape& tower, const TrainingJob& job, int stage) const {
    PassTime out;
    const double patches = static_cast<double>(tower.patches * job.batch.micro), tp = job.ranks.tp;
    const double seen =
        static_cast<double>(tower.patches) / static_cast<double>(std::max<std::int64_t>(1, tower.images));
    const double products =
        2 * patches * static_cast<double>(tower.parameters_of(stage, model_->hidden)) / tp / speed_.product_flops;
    // All patches of an image see each other.
    const double attention = 4 * patches * seen * static_cast<double>(tower.hidden * tower.layers_of(stage)) / tp;
    out.of(Work::products, false) = products;
    out.of(Work::attention, false) = attention / speed_.attention_forward;
    if (!tower.trained) return out;
    out.of(Work::products, true) = 2 * products;
    out.of(Work::attention, true) = kAttentionBackward * attention / speed_.attention_backward;
    return out;
}

PassTime LayerClock::head(const TrainingJob& job, const Overlap& overlap) const {
    PassTime out;
    const double tokens = static_cast<double>(job.tokens()), h = static_cast<double>(model_->hidden);
    const double logits = tokens * static_cast<double>(model_->vocab) / job.ranks.tp;
    const double product_seconds = 2 * logits * h / speed_.head_flops;
    out.of(Work::products, false) = product_seconds;
    out.of(Work::products, true) = (job.is_frozen() ? 1 : 2) * product_seconds;
    const double loss = logits * (job.memory.fused_cross_entropy ? kFusedLossBytes : kLossBytes) / speed_.loss_bytes;
    const double gathered = ring(kElement * tokens * h, job.ranks.tp, job.ranks.tp, job.ranks.per_node) *
                            (overlap.tensor ? shares_->tensor_overlap.value : 1);
    for (bool is_backward : {false, true}) {
        out.of(Work::vector, is_backward) = loss;
        out.of(Work::tensor, is_backward) = gathered;
    }
    return out;
}

}  // namespace ckpt
