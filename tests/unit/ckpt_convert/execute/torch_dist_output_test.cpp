#include <doctest/doctest.h>

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

ckpt::TorchDistIndex dist_of(const std::string& target, const std::string& layers,
                             std::uint64_t shard_bytes = 5'000'000) {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    auto options = test::options("hf", "mg");
    options.to = ckpt::Side::megatron;
    options.torch_dist = true;
    options.target = target;
    options.layers = layers;
    options.iteration = "release";
    options.max_shard_bytes = shard_bytes;
    REQUIRE(test::convert(fs, options));
    auto index = ckpt::read_torch_dist(fs, "mg/release");
    REQUIRE_MESSAGE(index, index.error().text());
    return std::move(*index);
}

std::string tensors_of(const ckpt::TorchDistIndex& index) {
    std::vector<std::string> lines;
    for (const auto& tensor : index.tensors)
        lines.push_back(base::format("{} {} in {}", tensor.fqn, ckpt::to_string(tensor.shape), tensor.chunks.size()));
    std::sort(lines.begin(), lines.end());
    return base::joined(lines, "\n");
}

std::vector<std::string> extra_states_of(const ckpt::TorchDistIndex& index) {
    std::vector<std::string> out;
    for (const auto& item : index.bytes) {
        if (item.fqn.find("_extra_state") != std::string::npos) out.push_back(item.fqn);
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace

TEST_CASE("torch_dist output: layers are one tensor with a leading axis, a chunk per layer; names as TE has them") {
    const char* expected =
        "decoder.final_layernorm.weight [16] in 1\n"
        "decoder.layers.mlp.linear_fc1.layer_norm_weight [4, 16] in 4\n"
        "decoder.layers.mlp.linear_fc1.weight [4, 48, 16] in 4\n"
        "decoder.layers.mlp.linear_fc2.weight [4, 16, 24] in 4\n"
        "decoder.layers.self_attention.linear_proj.weight [4, 16, 16] in 4\n"
        "decoder.layers.self_attention.linear_qkv.layer_norm_weight [4, 16] in 4\n"
        "decoder.layers.self_attention.linear_qkv.weight [4, 32, 16] in 4\n"
        "embedding.word_embeddings.weight [32, 16] in 1\n"
        "output_layer.weight [32, 16] in 1";
    CHECK(tensors_of(dist_of("mcore", "te")) == expected);
    CHECK(tensors_of(dist_of("mcore", "local")) == expected);
    CHECK(tensors_of(dist_of("mindspeed", "local")) == expected);
}

TEST_CASE("torch_dist output: chunks lie one after the other along the layers") {
    auto index = dist_of("mcore", "te");
    for (const auto& tensor : index.tensors) {
        if (!tensor.fqn.starts_with("decoder.layers.")) continue;
        for (std::uint64_t layer = 0; layer < 4; ++layer) {
            CHECK(tensor.chunks[layer].offsets[0] == layer);
            CHECK(tensor.chunks[layer].sizes[0] == 1);
        }
    }
}

TEST_CASE("torch_dist output: every linear layer has an extra state per layer of the model") {
    std::vector<std::string> expected;
    for (const char* linear :
         {"mlp.linear_fc1", "mlp.linear_fc2", "self_attention.linear_proj", "self_attention.linear_qkv"}) {
        for (int layer = 0; layer < 4; ++layer)
            expected.push_back(base::format("decoder.layers.{}._extra_state/shard_{}_4", linear, layer));
    }
    CHECK(extra_states_of(dist_of("mcore", "te")) == expected);
    CHECK(extra_states_of(dist_of("mcore", "local")) == expected);
}

TEST_CASE("torch_dist output: files are as large as allowed, and a larger tensor has one of its own") {
    CHECK(dist_of("mcore", "te").files.size() == 1);
    auto small = dist_of("mcore", "te", 1);
    std::size_t chunks = 0;
    for (const auto& tensor : small.tensors) chunks += tensor.chunks.size();
    CHECK(small.files.size() >= chunks);
}
