#include <doctest/doctest.h>

#include "tests/unit/ckpt_convert/plan/layout_support.h"

using ckpt::KvSharing;
using test::ColumnModel;
using test::ranks_of;
using test::tensor_parallel;

namespace {

constexpr const char* kQkv = "linear_qkv.weight";
constexpr const char* kEmbedding = "word_embeddings.weight";

// What a rank's linear_qkv holds when key and value heads are copied: computed head by head.
std::string repeated_by_hand(int heads, int groups, int head_dim, int tp) {
    std::vector<std::string> ranks;
    for (int rank = 0; rank < tp; ++rank) {
        std::vector<std::string> rows;
        auto add = [&](char letter, int head) {
            for (int row = 0; row < head_dim; ++row)
                rows.push_back(base::format("{}{}", letter, head * head_dim + row));
        };
        for (int head = rank * heads / tp; head < (rank + 1) * heads / tp; ++head) add('q', head);
        add('k', rank * groups / tp);
        add('v', rank * groups / tp);
        ranks.push_back(base::joined(rows, " "));
    }
    return base::joined(ranks, " / ");
}

std::string error_of(const ckpt::Model& model, const ckpt::ParallelLayout& parallel) {
    auto layout = ckpt::mcore_layout(model, parallel);
    REQUIRE_FALSE(layout);
    CHECK(layout.error().kind == base::ErrorKind::usage);
    return layout.error().message;
}

ckpt::ParallelLayout padded(const ckpt::Model& model, int tp, std::uint64_t rows) {
    auto parallel = tensor_parallel(model, tp);
    parallel.padded_vocab = rows;
    return parallel;
}

}  // namespace

TEST_CASE("composer: query heads, key head and value head of one group after the other") {
    auto gqa = test::model_of({.heads = 4, .kv_groups = 2});
    CHECK(ranks_of(gqa, tensor_parallel(gqa, 1), kQkv) == "q0 q1 k0 v0 q2 q3 k1 v1");
    CHECK(ranks_of(gqa, tensor_parallel(gqa, 2), kQkv) == "q0 q1 k0 v0 / q2 q3 k1 v1");
    auto wide = test::model_of({.heads = 2, .kv_groups = 1, .head_dim = 2});
    CHECK(ranks_of(wide, tensor_parallel(wide, 1), kQkv) == "q0 q1 q2 q3 k0 k1 v0 v1");
    auto mha = test::model_of({.heads = 2, .kv_groups = 2});
    CHECK(ranks_of(mha, tensor_parallel(mha, 2), kQkv) == "q0 k0 v0 / q1 k1 v1");
}

TEST_CASE("composer: with repeat every rank has its own copy of its group's key and value head") {
    auto model = test::model_of({.heads = 4, .kv_groups = 2});
    CHECK(ranks_of(model, tensor_parallel(model, 4, KvSharing::repeat), kQkv) ==
          "q0 k0 v0 / q1 k0 v0 / q2 k1 v1 / q3 k1 v1");
    CHECK(ranks_of(model, tensor_parallel(model, 2, KvSharing::repeat), kQkv) == "q0 q1 k0 v0 / q2 q3 k1 v1");
    for (auto [heads, groups, head_dim, tp] : {std::array{8, 2, 3, 4}, {8, 2, 1, 8}, {12, 3, 2, 6}, {6, 1, 4, 6}}) {
        auto other =
            test::model_of({.heads = heads, .kv_groups = groups, .head_dim = head_dim, .ffn = 24, .vocab = 24});
        CHECK(ranks_of(other, tensor_parallel(other, tp, KvSharing::repeat), kQkv) ==
              repeated_by_hand(heads, groups, head_dim, tp));
    }
}

TEST_CASE("composer: with split a rank has an equal range of the rows of all groups") {
    auto model = test::model_of({.heads = 4, .kv_groups = 2});
    CHECK(ranks_of(model, tensor_parallel(model, 4, KvSharing::split), kQkv) == "q0 q1 / k0 v0 / q2 q3 / k1 v1");
    auto wide = test::model_of({.heads = 4, .kv_groups = 2, .head_dim = 3});
    CHECK(ranks_of(wide, tensor_parallel(wide, 4, KvSharing::split), kQkv) ==
          "q0 q1 q2 q3 q4 q5 / k0 k1 k2 v0 v1 v2 / q6 q7 q8 q9 q10 q11 / k3 k4 k5 v3 v4 v5");
}

TEST_CASE("composer: a rank's gated MLP is its gate rows, then its up rows; the other side is split by columns") {
    auto model = test::model_of({.ffn = 4});
    CHECK(ranks_of(model, tensor_parallel(model, 1), "linear_fc1.weight") == "g0 g1 g2 g3 u0 u1 u2 u3");
    CHECK(ranks_of(model, tensor_parallel(model, 2), "linear_fc1.weight") == "g0 g1 u0 u1 / g2 g3 u2 u3");
    CHECK(ranks_of(model, tensor_parallel(model, 2), "linear_fc2.weight", 1) == "d0 d1 / d2 d3");
    CHECK(ranks_of(model, tensor_parallel(model, 2), "linear_proj.weight", 1) == "o0 o1 / o2 o3");
    CHECK(ranks_of(model, tensor_parallel(model, 2), "input_layernorm.weight") == "a0 / a0");
}

TEST_CASE("composer: padding is at the end of the vocabulary; a rank may hold nothing else") {
    auto model = test::model_of({.heads = 4, .kv_groups = 4, .vocab = 5});
    CHECK(ranks_of(model, padded(model, 1, 5), kEmbedding) == "e0 e1 e2 e3 e4");
    CHECK(ranks_of(model, padded(model, 1, 7), kEmbedding) == "e0 e1 e2 e3 e4 - -");
    CHECK(ranks_of(model, padded(model, 2, 6), kEmbedding) == "e0 e1 e2 / e3 e4 -");
    CHECK(ranks_of(model, padded(model, 4, 12), kEmbedding) == "e0 e1 e2 / e3 e4 - / - - - / - - -");
    CHECK(ranks_of(model, padded(model, 4, 20), kEmbedding) == "e0 e1 e2 e3 e4 / - - - - - / - - - - - / - - - - -");
    CHECK(ranks_of(model, padded(model, 4, 12), "output_layer.weight") == "h0 h1 h2 / h3 h4 - / - - - / - - -");
}

TEST_CASE("composer: what TP does not divide is named with the sizes that would do") {
    auto model = test::model_of({.heads = 6, .kv_groups = 6, .head_dim = 2, .ffn = 8, .vocab = 12});
    CHECK(error_of(model, tensor_parallel(model, 5)) ==
          "TP 5 does not divide the vocabulary of 12 rows; pad it with --make-vocab-size-divisible-by 1 (to 15 rows), "
          "--padded-vocab-size N or --vocab-padding");
    CHECK(error_of(model, tensor_parallel(model, 4)) == "TP 4 does not divide kv_groups (6) of the llama2 model");
    CHECK(error_of(model, tensor_parallel(model, 3)) == "TP 3 does not divide ffn (8) of the llama2 model");
}

TEST_CASE("composer: split needs rows of query, key and value together that divide") {
    auto model = test::model_of({.heads = 4, .kv_groups = 1});
    CHECK(
        error_of(model, tensor_parallel(model, 4, KvSharing::split)) ==
        "TP 4 does not divide heads * head_dim + kv_groups * head_dim + kv_groups * head_dim (6) of the llama2 model");
}

TEST_CASE("composer: more ranks than groups need whole query heads and a multiple of the groups") {
    for (KvSharing sharing : {KvSharing::repeat, KvSharing::split}) {
        CAPTURE(static_cast<int>(sharing));
        // The rows would divide, but heads would be cut in the middle.
        auto few_heads = test::model_of({.heads = 2, .kv_groups = 2, .head_dim = 4});
        CHECK(error_of(few_heads, tensor_parallel(few_heads, 4, sharing)) ==
              "TP 4 does not divide the heads (2) of the llama2 model");
        auto odd = test::model_of({.heads = 12, .kv_groups = 4, .head_dim = 3, .ffn = 12, .vocab = 12});
        CHECK(error_of(odd, tensor_parallel(odd, 6, sharing)) == "TP 6 must be a multiple of kv_groups (4)");
        // Nothing is shared below the number of groups: 40 rows of 3 would divide as well.
        odd = test::model_of({.heads = 12, .kv_groups = 4, .head_dim = 3, .ffn = 12, .vocab = 12});
        CHECK(error_of(odd, tensor_parallel(odd, 3, sharing)) ==
              "TP 3 does not divide kv_groups (4) of the llama2 model");
        // A family without groups has none to share.
        auto bloom = test::model_of({.heads = 1, .kv_groups = 1, .family = "bloom"});
        CHECK(error_of(bloom, tensor_parallel(bloom, 2, sharing)) ==
              "TP 2 does not divide heads (1) of the bloom model");
    }
}

TEST_CASE("composer: what a family requires of the model itself is asked of every Megatron layout") {
    auto model = test::model_of({.family = "gpt_oss", .more = R"(, "num_local_experts": 1, "attention_bias": false)"});
    CHECK(
        error_of(model, tensor_parallel(model, 1)) ==
        "the gpt_oss model needs qkv_bias here: in Megatron, whose experts and routers have biases, attention has them "
        "too: attention_bias must be true");
    CHECK(ckpt::hf_layout(model));
}

TEST_CASE("composer: slices of an axis one after the other, which the file has not as an axis") {
    auto model = test::model_of({.ffn = 2, .family = "gpt_oss", .more = R"(, "num_local_experts": 1)"});
    auto parallel = tensor_parallel(model, 2);
    auto layout = ckpt::mcore_layout(model, parallel);
    REQUIRE(layout);
    std::vector<std::string> found;
    for (const auto& tensor : layout->tensors) {
        if (!tensor.name.ends_with("linear_fc1.weight")) continue;
        CHECK(tensor.shape == ckpt::Shape{2, 1, 1});
        CHECK(tensor.file_shape == ckpt::Shape{2, 1});
        CHECK(tensor.unit_axis == std::size_t{1});
        for (const auto& piece : tensor.pieces)
            found.push_back(
                base::format("{} of slice {} at {}", piece.in_logical[0], piece.in_logical[1], piece.in_stored[0]));
    }
    CHECK(base::joined(found, ", ") == "0 of slice 0 at 0, 0 of slice 1 at 1, 1 of slice 0 at 0, 1 of slice 1 at 1");
}

TEST_CASE("composer: what the file has once is read for all along the axis, and the first of them written") {
    auto model =
        test::model_of({.heads = 4, .kv_groups = 2, .head_dim = 3, .layers = 1, .family = "step35", .more = R"(,
        "layer_types": ["full_attention"], "mlp_layer_types": ["dense"], "n_routed_experts": 1)"});
    auto layout = ckpt::hf_layout(model);
    REQUIRE(layout);
    auto gate = std::find_if(layout->tensors.begin(), layout->tensors.end(),
                             [](const auto& tensor) { return tensor.name.ends_with("g_proj.weight"); });
    REQUIRE(gate != layout->tensors.end());
    CHECK(gate->shape == ckpt::Shape{12, 1});
    CHECK(gate->file_shape == ckpt::Shape{4, 1});
    CHECK(gate->strides == std::vector<std::uint64_t>{0, 1});
    REQUIRE(gate->pieces.size() == 4);
    CHECK(gate->pieces[2].in_stored == ckpt::Shape{0, 2});
    CHECK(gate->pieces[2].in_logical == ckpt::Shape{6, 0});
    CHECK(gate->pieces[2].extent == ckpt::Shape{3, 1});
    ckpt::take_first(*gate);
    CHECK(gate->shape_in_file() == ckpt::Shape{4, 1});
    CHECK(gate->strides.empty());
    CHECK(gate->pieces[2].in_stored == ckpt::Shape{2, 0});
    CHECK(gate->pieces[2].in_logical == ckpt::Shape{6, 0});
    CHECK(gate->pieces[2].extent == ckpt::Shape{1, 1});
}

TEST_CASE("composer: an order in memory of its own, and an axis of length 1") {
    auto layout_of = [](const ckpt::Model& model, std::string_view name) {
        auto layout = ckpt::hf_layout(model);
        REQUIRE(layout);
        for (const auto& tensor : layout->tensors) {
            if (tensor.name.ends_with(name)) return tensor;
        }
        FAIL("no such tensor");
        return ckpt::LayoutTensor();
    };
    auto model = test::model_of({.ffn = 3, .family = "gpt_oss", .more = R"(, "num_local_experts": 2)"});
    auto gate_up = layout_of(model, "gate_up_proj");  // of each of 2 experts: 3 rows, 2 of them in turn, 1 column
    CHECK(gate_up.shape == ckpt::Shape{2, 3, 2, 1});
    CHECK(gate_up.file_shape == ckpt::Shape{2, 1, 6});
    CHECK(gate_up.strides == std::vector<std::uint64_t>{6, 2, 1, 6});
    auto with_bias = test::model_of({.layers = 2, .family = "ernie45_moe", .more = R"(, "moe_num_experts": 2)"});
    auto bias = layout_of(with_bias, "e_score_correction_bias");
    CHECK(bias.shape == ckpt::Shape{2});
    CHECK(bias.file_shape == ckpt::Shape{1, 2});
}
