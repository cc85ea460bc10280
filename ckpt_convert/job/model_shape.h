// ModelShape: what memory and time of a model follow from: the sizes of its layers, and how many parameters they have.
//
// A model has few kinds of layers and many layers, so each kind is described once and layers name their kind.
// Widths are numbers of elements of the whole model, before any split.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace ckpt {

// Parameters of the whole model by how its ranks share them.
struct ParameterCounts {
    std::int64_t sharded = 0;     // split over TP ranks
    std::int64_t replicated = 0;  // whole on each TP rank: norms, routers, down projections of latent attention
    std::int64_t experts = 0;     // routed experts: split over EP and ETP ranks

    std::int64_t total() const { return sharded + replicated + experts; }
    ParameterCounts& operator+=(const ParameterCounts& other);
    bool operator==(const ParameterCounts&) const = default;
};

// What mixes tokens in a layer. A layer may have attention and a Mamba mixer side by side.
enum class Attention { none, grouped, latent, linear };
// What a layer does with each token. `beside` is an MLP that every token passes besides the experts (LayerShape::ffn wide).
enum class FeedForward { none, dense, experts };

struct LayerShape {
    Attention attention = Attention::grouped;
    bool mamba = false;
    FeedForward feed_forward = FeedForward::dense;

    std::int64_t heads = 0;      // of grouped and latent attention; of linear attention those of the values
    std::int64_t kv_heads = 0;   // latent attention: as many as heads; linear attention: those of the keys
    std::int64_t head_dim = 0;   // of queries and keys
    std::int64_t value_dim = 0;  // of a head's values
    std::int64_t window = 0;     // tokens that a token attends to; 0: all before it
    std::int64_t ffn = 0;        // width of the dense MLP
    // Parameters of the layer, its norms among them.
    ParameterCounts parameters;

    bool has_experts() const { return feed_forward == FeedForward::experts; }
    bool operator==(const LayerShape&) const = default;
};

// Latent attention: what queries, and keys with values, are narrowed to. q_rank 0: queries are not.
struct LatentShape {
    std::int64_t q_rank = 0, kv_rank = 0, nope_dim = 0, rope_dim = 0;
};

struct ExpertsShape {
    std::int64_t experts = 0;  // of a layer; 0: the model has none
    std::int64_t topk = 0;
    std::int64_t ffn = 0;         // width of one
    std::int64_t shared_ffn = 0;  // all shared experts together
};

struct MambaShape {
    std::int64_t inner = 0, heads = 0, groups = 0, state = 0, conv = 0;
};

// A tower before the language model: vision or audio.
struct TowerShape {
    std::string name;
    std::int64_t hidden = 0, layers = 0, heads = 0, ffn = 0;
    bool gated = false;
    bool trained = true;
    std::int64_t patch_values = 0;  // of one patch: channels * height * width * frames
    std::int64_t merge = 1;         // patches that become one token of the language model: the square of the merge size
    std::int64_t patches = 0;       // of one sample: given by the user
    std::int64_t images = 1;        // of one sample: patches attend to those of their image
    std::int64_t stages = 0;        // of the pipeline, before those of the language model; 0: with its first one

    std::int64_t layer_parameters() const;
    // Of the layers on this stage, with the patch embedding on the first one and the projection on the last one.
    std::int64_t layers_of(int stage) const;
    std::int64_t parameters_of(int stage, std::int64_t model_hidden) const;
    bool ends_on(int stage) const { return stage == std::max<std::int64_t>(stages, 1) - 1; }
    // Layers, patch embedding, and what projects merged patches to `model_hidden`.
    std::int64_t parameters(std::int64_t model_hidden) const;
};

struct ModelShape {
    std::string family;  // of rules/models; "" when only sizes were given
    std::int64_t hidden = 0;
    std::int64_t vocab = 0;      // as the checkpoint has it, not padded
    std::int64_t positions = 0;  // rows of learned positions; 0: none
    bool tied = false;
    bool gated = true;     // MLPs have a gate
    bool rms_norm = true;  // else norms have a bias too
    bool linear_bias = false, qkv_bias = false, qk_norm = false;
    ExpertsShape moe;
    LatentShape latent;
    MambaShape mamba;
    std::vector<LayerShape> kinds;
    std::vector<std::uint16_t> layers;  // of each layer in its order: the number of its kind
    std::int64_t mtp = 0;               // modules for multi-token prediction behind the last layer
    LayerShape mtp_layer;               // the layer of such a module; its parameters count the projection and norms too
    ParameterCounts final_norm;         // and what else stands once behind the layers
    std::vector<TowerShape> towers;
    // Stages of the pipeline that have towers only.
    int tower_stages() const { return towers.empty() ? 0 : static_cast<int>(towers.front().stages); }
    std::vector<std::string> unverified;  // why what its layers keep is not sure; empty: it has been compared

    std::size_t layer_count() const { return layers.size(); }
    const LayerShape& layer(std::size_t number) const { return kinds[layers[number]]; }
    std::int64_t embedding_parameters() const { return vocab * hidden; }
    // Without multi-token prediction, as papers count; padding of the vocabulary is not counted.
    std::int64_t parameters() const;
    // Of these, what one token passes.
    std::int64_t active_parameters() const;
};

// Widths that a launcher or a person gives, of a model whose layers are alike but for the first dense ones.
struct GivenSizes {
    std::int64_t layers = 0, hidden = 0, heads = 0, kv_heads = 0, head_dim = 0, ffn = 0, vocab = 0;
    std::int64_t experts = 0, topk = 0, moe_ffn = 0, shared_ffn = 0, dense_layers = 0, moe_every = 1, mtp = 0;
    std::int64_t q_rank = 0, kv_rank = 0, nope_dim = 0, rope_dim = 0, value_dim = 0;
    std::int64_t positions = 0;
    bool tied = false, gated = true, rms_norm = true, linear_bias = false, qkv_bias = false, qk_norm = false;
};

// kv_heads 0: as many as heads; head_dim 0: hidden / heads; kv_rank above 0: latent attention.
ModelShape shape_of(const GivenSizes& sizes);

// Parameters of a layer after the formulas of grouped and latent attention, MLPs and experts.
ParameterCounts layer_parameters(const ModelShape& model, const LayerShape& layer);

}  // namespace ckpt
