#include "tests/unit/ckpt_convert/tiny_hf.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace test {
namespace {

using ckpt::DType;
using Tensors = std::vector<ckpt::SafetensorsTensor>;

void add_layer(Tensors& tensors, const TinyModel& model, int layer) {
    auto size = [](int value) { return static_cast<std::uint64_t>(value); };
    auto add = [&](const std::string& name, ckpt::Shape shape) {
        tensors.push_back({base::format("model.layers.{}.{}", layer, name), DType::bf16, std::move(shape)});
    };
    std::uint64_t q = size(model.heads * model.head_dim), kv = size(model.kv_groups * model.head_dim),
                  h = size(model.hidden), f = size(model.ffn);
    add("input_layernorm.weight", {h});
    add("post_attention_layernorm.weight", {h});
    add("self_attn.q_proj.weight", {q, h});
    add("self_attn.k_proj.weight", {kv, h});
    add("self_attn.v_proj.weight", {kv, h});
    add("self_attn.o_proj.weight", {h, q});
    add("mlp.gate_proj.weight", {f, h});
    add("mlp.up_proj.weight", {f, h});
    add("mlp.down_proj.weight", {h, f});
    if (model.qkv_bias) {
        add("self_attn.q_proj.bias", {q});
        add("self_attn.k_proj.bias", {kv});
        add("self_attn.v_proj.bias", {kv});
    }
    if (model.qk_norm) {
        add("self_attn.q_norm.weight", {size(model.head_dim)});
        add("self_attn.k_norm.weight", {size(model.head_dim)});
    }
}

std::string filled(const ckpt::SafetensorsTensor& tensor, const std::string& name) {
    std::uint64_t count = *ckpt::checked_elements(tensor.shape);
    std::uint32_t start = ckpt::crc32(base::as_bytes(name));
    std::string bytes;
    for (std::uint64_t i = 0; i < count; ++i) {
        auto value = static_cast<std::uint16_t>(start + i);
        bytes += static_cast<char>(value & 0xFF);
        bytes += static_cast<char>(value >> 8);
    }
    return bytes;
}

}  // namespace

void add_tiny_hf(MemoryFileSystem& fs, const base::Path& directory, const TinyModel& model) {
    auto vocab = static_cast<std::uint64_t>(model.vocab), hidden = static_cast<std::uint64_t>(model.hidden);
    Tensors tensors{{"model.embed_tokens.weight", DType::bf16, {vocab, hidden}},
                    {"model.norm.weight", DType::bf16, {hidden}}};
    if (!model.tied || !model.head_bits.empty()) tensors.push_back({"lm_head.weight", DType::bf16, {vocab, hidden}});
    for (int layer = 0; layer < model.layers; ++layer) add_layer(tensors, model, layer);
    auto layout = ckpt::plan_safetensors(tensors, {{"format", "pt"}});
    REQUIRE(layout);
    std::string file = layout->header;
    file.resize(layout->file_bytes);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const std::string& name = tensors[i].name;
        std::string bytes =
            filled(tensors[i], name == "lm_head.weight" && !model.head_bits.empty() ? model.head_bits : name);
        file.replace(layout->offsets[i], bytes.size(), bytes);
    }
    fs.add(base::join(directory, "model.safetensors"), std::move(file));
    fs.add(
        base::join(directory, "config.json"),
        base::format(
            R"({{"model_type": "{}", "num_hidden_layers": {}, "hidden_size": {}, "num_attention_heads": {}, "num_key_value_heads": {}, "head_dim": {}, "intermediate_size": {}, "vocab_size": {}, "tie_word_embeddings": {}, "rms_norm_eps": 1e-06}})",
            model.model_type, model.layers, model.hidden, model.heads, model.kv_groups, model.head_dim, model.ffn,
            model.vocab, model.tied));
}

}  // namespace test
