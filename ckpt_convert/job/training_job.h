// TrainingJob: how a model is to be trained: on which ranks, in which batches, with which options that cost memory or time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/in_json.h"
#include "ckpt_convert/job/model_shape.h"
#include "ckpt_convert/plan/topology.h"

namespace ckpt {

enum class Engine { mindspeed, megatron, fsdp2 };
enum class TrainingMode { pretrain, sft, lora, dpo };
enum class Precision { bf16, fp16, fp32 };

// How the ranks share the model: the split of its weights, which the converter takes as it is, and what only a training
// has. Expert ranks are laid over all others, so EP is no factor of the devices.
struct Parallelism : Topology {
    int devices = 1;
    int per_node = 8;
    int cp = 1;
    bool sequence_parallel = false;
    int group_size = 0;  // micro-batches of a group with virtual stages; 0: pp

    int dp() const { return devices / (tp * pp * cp); }
    // With tp_extends_ep experts are whole, and dealt out over TP ranks too.
    int ep() const { return experts.ep * (experts.tp_extends_ep ? tp : 1); }
    int etp() const { return experts.tp_extends_ep ? 1 : experts.etp == 0 ? tp : experts.etp; }
    // Ranks that hold the same share of the same experts.
    int expert_dp() const { return devices / (etp() * ep() * pp); }
};

struct Batches {
    std::int64_t micro = 1;
    std::int64_t global = 0;  // samples of a step; 0: as few as keep the pipeline busy
    std::int64_t sequence = 4096;
};

struct OptimizerOptions {
    bool distributed = true;
    bool reuse_fp32 = false;  // bf16 weights live in the fp32 master weights
    bool swap = false;        // states on the host, a window of them on the device
    int swap_times = 16;
    bool virtual_states = false;  // moments in memory of the host
    bool o2 = false;              // bf16 master weights are the weights
    bool muon = false;            // one moment
    double gradient_bytes = 4;    // of a main gradient: 2 with bf16 gradients or quantised ones
    double moment_bytes = 8;      // both moments of a parameter: 4 in bf16, 2 in 8 bits
    double master_bytes = 4;
    bool operator==(const OptimizerOptions&) const = default;
};

enum class Recompute { none, block, uniform };

// What can be computed again, or moved to the host, instead of kept.
enum class Part {
    core_attention,
    norm,
    mlp,
    activation_function,
    moe_activation,
    moe,
    shared_experts,
    latent_up,
};
inline constexpr std::size_t kParts = 8;

struct MemoryOptions {
    Recompute recompute = Recompute::none;  // of whole layers
    int recompute_layers = 1;               // block: so many of each chunk; uniform: in groups of so many
    bool recompute_per_rank = false;        // block counts over the chunks of a rank
    std::array<bool, kParts> recomputed{};  // parts of every layer
    bool alternate_products = false;        // of a layer's products every second one is kept, and attention; FSDP2
    bool swap_attention = false;            // what attention keeps goes to the host
    int mlp_layers = 0;                     // with swap_attention: MLPs of so many layers of each chunk computed again
    bool offload_activations = false;       // inputs of recomputed layers to the host
    bool flash_attention = true;
    bool fused_swiglu = true;
    bool fused_gradients = true;  // gradients of weights are added to the main gradients by the product itself
    bool fused_cross_entropy = false;
    bool eager_cross_entropy = false;     // logits are copied to float32 before the loss
    bool compiled_cross_entropy = false;  // torch.compile makes the loss, and one copy of the logits more
    bool flash_attention_2 = false;       // FlashAttention of Transformer Engine, whatever the device takes by itself
    bool chunked_loss = false;
    std::int64_t loss_chunk = 0;  // tokens
    bool hidden_dropout = false, attention_dropout = false;
    double imbalance = 1;             // tokens of the fullest expert rank, as a multiple of its share
    bool late_probabilities = false;  // experts' outputs are kept until they are weighted at the end

    bool recomputes(Part part) const { return recomputed[static_cast<std::size_t>(part)]; }
    bool operator==(const MemoryOptions&) const = default;
};

// FSDP2 has no pipeline: every rank has all layers and a share of each.
struct ShardedOptions {
    int expert_shards = 0;  // ranks that share an expert's parameters; 0: all that hold it
    int prefetch = 1;
    bool reshard = true;
    bool reduce_fp32 = true;
    bool bf16_weights = false;
    bool cpu_offload = false;
    bool operator==(const ShardedOptions&) const = default;
};

struct LoraOptions {
    int rank = 8;
    std::int64_t parameters = 0;  // of all adapters; 0: of `rank` on every linear layer
};

// How the rows of the vocabulary are filled up.
struct VocabularyRows {
    std::int64_t multiple = 128;
    bool times_tp = true;    // to a multiple of so much times TP
    std::int64_t given = 0;  // so many, whatever the multiple; 0: nobody says
};

struct TrainingJob {
    Engine engine = Engine::mindspeed;
    TrainingMode mode = TrainingMode::pretrain;
    Precision precision = Precision::bf16;
    bool fp8 = false;
    Parallelism ranks;
    Batches batch;
    OptimizerOptions optimizer;
    MemoryOptions memory;
    ShardedOptions sharded;
    LoraOptions lora;
    VocabularyRows rows;
    bool device_takes_flash = false;  // see Device::takes_flash
    double kept_scale = 1;            // of what layers keep and work with; see memory_scale

    // Transformer Engine has sequences first and FlashAttention samples first, so that its output is kept in both orders.
    // Source: TransformerEngine: attention/dot_product_attention/backends.py
    bool copies_attention() const {
        return engine == Engine::megatron && memory.flash_attention &&
               (memory.flash_attention_2 || device_takes_flash) && batch.micro > 1;
    }
    // Micro-batches of a step.
    std::int64_t micro_batches() const;
    // Sequences that a sample is computed as: DPO's are pairs, the answer that is preferred and the other one.
    int sequences() const { return mode == TrainingMode::dpo ? 2 : 1; }
    // Those of them that are in memory at once, each --seq-length long. MindSpeed-LLM computes both answers of a pair as one
    // batch, and the reference model answers both; ms-swift packs a pair into a sequence.
    // Source: MindSpeed-LLM: mindspeed_llm/tasks/posttrain/dpo/dpo_trainer.py; ms-swift: examples/megatron/rlhf/dpo
    bool holds_pairs() const { return mode == TrainingMode::dpo && engine == Engine::mindspeed; }
    std::int64_t held_tokens() const { return tokens() * (holds_pairs() ? 2 : 1); }
    // Tokens of a micro-batch on a rank.
    std::int64_t tokens() const { return batch.sequence * batch.micro / ranks.cp; }
    // Whether the model's own weights have no gradients.
    bool is_frozen() const { return mode == TrainingMode::lora; }
    // What residuals and norms are divided by.
    int sequence_ranks() const { return ranks.sequence_parallel ? ranks.tp : 1; }
};

constexpr std::string_view name(Engine engine) {
    return engine == Engine::mindspeed ? "mindspeed" : engine == Engine::megatron ? "megatron" : "fsdp2";
}
constexpr std::string_view name(TrainingMode mode) {
    constexpr std::array<std::string_view, 4> words{"pretrain", "sft", "lora", "dpo"};
    return words[static_cast<std::size_t>(mode)];
}
constexpr std::string_view name(Precision precision) {
    constexpr std::array<std::string_view, 3> words{"bf16", "fp16", "fp32"};
    return words[static_cast<std::size_t>(precision)];
}

// The divisors of `number`, ascending, those up to `most`.
std::vector<int> divisors(std::int64_t number, std::int64_t most);

// The layers of each chunk of each stage: of one stage with FSDP2. Fails with usage when they do not divide, with the
// numbers that would.
Result<Placement> place_layers(const TrainingJob& job, const ModelShape& model);

}  // namespace ckpt

template <>
inline constexpr std::array base::kAll<ckpt::Engine>{ckpt::Engine::mindspeed, ckpt::Engine::megatron,
                                                     ckpt::Engine::fsdp2};
template <>
inline constexpr std::array base::kAll<ckpt::TrainingMode>{ckpt::TrainingMode::pretrain, ckpt::TrainingMode::sft,
                                                           ckpt::TrainingMode::lora, ckpt::TrainingMode::dpo};
template <>
inline constexpr std::array base::kAll<ckpt::Precision>{ckpt::Precision::bf16, ckpt::Precision::fp16,
                                                        ckpt::Precision::fp32};
