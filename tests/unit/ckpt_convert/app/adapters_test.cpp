#include <doctest/doctest.h>

#include <cstring>

#include "base/format.h"
#include "ckpt_convert/app/inspect.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "ckpt_convert/formats/zip/crc32.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

using base::ErrorKind;
using ckpt::ConvertOptions;
using test::failure;
using test::tensors_of;

namespace {

constexpr std::uint64_t kRank = 2;
const std::vector<std::string> kAttention{"self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"};
const std::vector<std::string> kMlp{"mlp.gate_proj", "mlp.up_proj"};

struct Module {
    std::string name;
    std::string values_of_right;  // modules with the same text here have the same right factor
};

// Small numbers that depend on a name.
std::string numbers(const std::string& name, std::uint64_t count) {
    std::uint32_t seed = ckpt::crc32(base::as_bytes(name));
    std::string out(count * sizeof(float), '\0');
    for (std::uint64_t i = 0; i < count; ++i) {
        float value = static_cast<float>(static_cast<int>((seed + i * 7) % 17) - 8) / 8;
        std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
    }
    return out;
}

// A PEFT directory for the tiny Hugging Face model in "hf": the same modules in all of its layers.
void add_peft(test::MemoryFileSystem& fs, const std::string& directory, const std::vector<Module>& modules,
              const std::string& more = "") {
    std::vector<ckpt::SafetensorsTensor> tensors;
    std::vector<std::string> contents;
    auto index = ckpt::open_hf_weights(fs, "hf");
    REQUIRE(index);
    for (const auto& weight : index->tensors) {
        for (const Module& module : modules) {
            const std::string& name = weight.name;
            if (!name.ends_with(module.name + ".weight")) continue;
            std::string stem = "base_model.model." + name.substr(0, name.rfind('.'));
            std::string layer = name.substr(0, name.find(module.name));
            tensors.push_back({stem + ".lora_A.weight", ckpt::DType::f32, {kRank, weight.shape[1]}});
            contents.push_back(numbers(layer + module.values_of_right, kRank * weight.shape[1]));
            tensors.push_back({stem + ".lora_B.weight", ckpt::DType::f32, {weight.shape[0], kRank}});
            contents.push_back(numbers(stem, kRank * weight.shape[0]));
        }
    }
    auto layout = ckpt::plan_safetensors(tensors, {{"format", "pt"}});
    REQUIRE(layout);
    std::string file = layout->header;
    file.resize(layout->file_bytes);
    for (std::size_t i = 0; i < tensors.size(); ++i) file.replace(layout->offsets[i], contents[i].size(), contents[i]);
    fs.add(directory + "/adapter_model.safetensors", std::move(file));
    fs.add(directory + "/adapter_config.json",
           base::format(R"({{"peft_type": "LORA", "r": {}, "lora_alpha": 4{}}})", kRank, more));
}

// All projections; what Megatron has in one module shares the right factor, as training there leaves it.
std::vector<Module> as_in_megatron() {
    std::vector<Module> out{{"self_attn.o_proj", "o"}, {"mlp.down_proj", "down"}};
    for (const auto& name : kAttention) out.push_back({name, "qkv"});
    for (const auto& name : kMlp) out.push_back({name, "mlp"});
    return out;
}

// The adapter in `from` alone, for the model in "hf".
ConvertOptions alone(const std::string& from, const std::string& to, int tp = 1, int pp = 1) {
    ConvertOptions out = test::options("hf", to, tp, pp);
    out.source.adapter = from;
    out.source.hf_config_dir = "hf";
    out.adapter_alone = true;
    return out;
}

std::map<std::string, std::string> factors_of(test::MemoryFileSystem& fs, const std::string& directory) {
    ckpt::TensorIndex index;
    REQUIRE(ckpt::add_weight_file(index, fs, directory + "/adapter_model.safetensors"));
    std::map<std::string, std::string> out;
    for (const auto& tensor : index.tensors) {
        std::string bytes(tensor.bytes(), '\0');
        REQUIRE(index.files[0]->read_at(tensor.offset, std::as_writable_bytes(std::span(bytes.data(), bytes.size()))));
        out[tensor.name] = ckpt::to_string(tensor.shape) + bytes;
    }
    return out;
}

void convert_ok(test::MemoryFileSystem& fs, const ConvertOptions& options) {
    auto done = test::convert(fs, options);
    REQUIRE_MESSAGE(done, done.error().text());
}

// The model in "hf" with an adapter merged into it.
std::map<std::string, std::string> merged(test::MemoryFileSystem& fs, const std::string& base,
                                          const std::string& adapter, const std::string& to) {
    ConvertOptions options = test::options(base, to);
    options.source.adapter = adapter;
    options.to = ckpt::Side::huggingface;
    convert_ok(fs, options);
    return tensors_of(fs, to);
}

}  // namespace

TEST_CASE("adapters: PEFT to Megatron layouts, from one to another, and back is the identity") {
    test::TinyModel model;
    model.kv_groups = 4;
    auto check = [&](auto change) {
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", model);
        add_peft(fs, "peft", as_in_megatron());
        ConvertOptions there = alone("peft", "mg", 2, 2), other = alone("mg", "other", 4);
        change(there);
        other.to = ckpt::Side::megatron;
        convert_ok(fs, there);
        convert_ok(fs, other);
        convert_ok(fs, alone("other", "back"));
        CHECK(factors_of(fs, "back") == factors_of(fs, "peft"));
        CHECK(fs.content("back/adapter_config.json").find("\"r\": 2,\n  \"lora_alpha\": 4,") != std::string::npos);
        CHECK(fs.content("mg/hf_config/config.json") == fs.content("hf/config.json"));
        CHECK(merged(fs, "hf", "peft", "a") != tensors_of(fs, "hf"));
        convert_ok(fs, test::options("hf", "base", 1, 4));
        CHECK(merged(fs, "base", "mg", "b") == tensors_of(fs, "a"));
        CHECK(merged(fs, "base", "peft", "c") == tensors_of(fs, "a"));
        CHECK(merged(fs, "hf", "mg", "d") == tensors_of(fs, "a"));
    };
    check([](ConvertOptions&) {});
    check([](ConvertOptions& o) { o.topology.layers_per_virtual_stage = 1; });
    check([](ConvertOptions& o) { o.topology.noop_layers = {1, 4}; });
    check([](ConvertOptions& o) {
        o.torch_dist = true;
        o.target = "mcore";
        o.topology.tp = o.topology.pp = 1;
    });
}

TEST_CASE("adapters: modules of a run are the shares of their weights") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    add_peft(fs, "peft", as_in_megatron());
    convert_ok(fs, alone("peft", "mg", 2));
    auto first = test::megatron_tensors(fs, "mg");
    const std::string layer = "model/decoder.layers.0.";
    CHECK(first.size() == 2u * 4 * 4 * 2);
    // Query, key and value of a rank: 2 of 4 heads and 1 of 2 groups of 4 rows each; all of the right factor.
    CHECK(first.at("mp_rank_00 " + layer + "self_attention.linear_qkv.lora_B.default.weight").size() == 16 * kRank * 4);
    CHECK(first.at("mp_rank_00 " + layer + "self_attention.linear_qkv.lora_A.default.weight").size() == 16 * kRank * 4);
    CHECK(first.at("mp_rank_00 " + layer + "self_attention.linear_qkv.lora_A.default.weight") ==
          first.at("mp_rank_01 " + layer + "self_attention.linear_qkv.lora_A.default.weight"));
    // The other way round where TP splits columns.
    CHECK(first.at("mp_rank_00 " + layer + "mlp.linear_fc2.lora_A.default.weight").size() == 12 * kRank * 4);
    CHECK(first.at("mp_rank_00 " + layer + "mlp.linear_fc2.lora_B.default.weight") ==
          first.at("mp_rank_01 " + layer + "mlp.linear_fc2.lora_B.default.weight"));
}

TEST_CASE("adapters: what has adapters of its own and is one module elsewhere is joined along the rank") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    add_peft(fs, "peft", {{"self_attn.q_proj", "q"}, {"self_attn.v_proj", "v"}, {"mlp.down_proj", "down"}});
    auto done = test::convert(fs, alone("peft", "mg", 2, 2));
    REQUIRE_MESSAGE(done, done.error().text());
    CHECK(done->notes ==
          std::vector<std::string>{"weights that are one module there have adapters of their own: the rank "
                                   "of all becomes 4 instead of 2, and alpha 8"});
    convert_ok(fs, test::options("hf", "base"));
    CHECK(merged(fs, "base", "mg", "a") == merged(fs, "hf", "peft", "b"));
    convert_ok(fs, alone("mg", "back"));
    std::string config = fs.content("back/adapter_config.json");
    CHECK(config.find("\"r\": 4,\n  \"lora_alpha\": 8,") != std::string::npos);
    // The key has a part in the module, of zeros.
    CHECK(config.find(
              "\"target_modules\": [\n    \"down_proj\",\n    \"k_proj\",\n    \"q_proj\",\n    \"v_proj\"\n  ]") !=
          std::string::npos);
}

TEST_CASE("adapters: target modules are names that no other module has") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    add_peft(fs, "peft", {{"layers.1.self_attn.o_proj", "o"}, {"mlp.down_proj", "down"}});
    convert_ok(fs, alone("peft", "mg", 2));
    convert_ok(fs, alone("mg", "back"));
    CHECK(fs.content("back/adapter_config.json")
              .find("\"target_modules\": [\n    \"down_proj\",\n    \"layers.1.self_attn.o_proj\"\n  ]") !=
          std::string::npos);
}

TEST_CASE("adapters: what cannot be read or written is refused") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    add_peft(fs, "peft", as_in_megatron());
    convert_ok(fs, alone("peft", "mg", 2));
    convert_ok(fs, test::options("hf", "base"));

    base::Error error = failure(fs, alone("base", "out"));
    CHECK(error.kind == ErrorKind::bad_input);
    CHECK(error.text() == "base: there is no LoRA adapter in it");
    CHECK(failure(fs, alone("hf", "out")).message ==
          "there is no LoRA adapter in it: neither adapter_config.json nor a Megatron checkpoint");
    ConvertOptions bad = alone("mg", "out");
    bad.source.adapter_rank = 16;
    CHECK(failure(fs, bad).message == "the rank of the adapter is 2, not 16 (--lora-r)");
    bad = alone("mg", "out");
    bad.keep_optimizer = true;
    CHECK(failure(fs, bad).message == "--save-lora converts an adapter without the state of its optimizer");
    CHECK(failure(fs, alone("mg", "out", 4)).message ==
          "--tp 4 contradicts the input, which has 2");  // a PEFT directory has no ranks
    bad = alone("peft", "out", 2);
    bad.target = "mcore";
    CHECK(failure(fs, bad).message ==
          "Megatron TP 2 x PP 1 for upstream Megatron: nothing is known that reads a LoRA adapter there");

    // An adapter without its model, and one of another model.
    error = failure(fs, test::options("mg", "out"));
    CHECK(error.message.starts_with("this is an adapter without its model; --load-dir names the model"));
    test::TinyModel wide;
    wide.ffn = 48;
    test::add_tiny_hf(fs, "wide", wide);
    bad = alone("mg", "out");
    bad.source.hf_config_dir = "wide";
    CHECK(
        failure(fs, bad).message ==
        "ffn is 48 in wide/config.json, but 24 in the arguments saved with the weights; is this the config of the same "
        "model?");
    bad = alone("peft", "out");
    bad.source.hf_config_dir = "wide";
    CHECK(failure(fs, bad).message ==
          "model.layers.0.mlp.down_proj.weight (right factor) has the shape [2, 24], but the configuration asks for "
          "[2, 48]");
    test::TinyModel shorter;
    shorter.layers = 2;
    test::add_tiny_hf(fs, "short", shorter);
    bad.source.hf_config_dir = "short";
    CHECK(failure(fs, bad).message ==
          "there is an adapter of model.layers.2.mlp.down_proj.weight, which is not a weight of this model (llama2); "
          "is it "
          "the model that the adapter was trained on?");

    add_peft(fs, "scaled", as_in_megatron(), R"(, "alpha_pattern": {"q_proj": 3})");
    error = failure(fs, alone("scaled", "out"));
    CHECK(error.message == "alpha_pattern: an adapter that is scaled otherwise in some layers cannot be read");
    add_peft(fs, "stacked", as_in_megatron(), R"(, "target_parameters": ["down_proj"])");
    error = failure(fs, alone("stacked", "out"));
    CHECK(error.message ==
          "target_parameters: adapters of parameters, such as those of all experts of a layer cannot be read");
    CHECK(failure(fs, alone("peft", "peft/out")).message == "--save-dir must not be inside --lora-load");
    // The second of two factors is not there.
    std::string file = fs.content("peft/adapter_model.safetensors");
    std::string name = "layers.3.mlp.up_proj.lora_B", other = "layers.3.mlp.up_proj.lora_C";
    fs.add("peft/adapter_model.safetensors", file.replace(file.find(name), name.size(), other));
    CHECK(failure(fs, alone("peft", "out")).message ==
          "base_model.model.model.layers.3.mlp.up_proj.lora_A.weight is the factor of an adapter, but there is no "
          "base_model.model.model.layers.3.mlp.up_proj.lora_B.weight");
}

TEST_CASE("inspect: adapters of both kinds") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    add_peft(fs, "peft", as_in_megatron());
    convert_ok(fs, alone("peft", "mg", 2));
    auto peft = ckpt::inspect(fs, test::knowledge(), {"peft", {}}, false);
    REQUIRE(peft);
    CHECK(peft->starts_with("peft: PEFT adapter\n  r                                  2\n"));
    auto megatron = ckpt::inspect(fs, test::knowledge(), {"mg", {}}, true);
    REQUIRE(megatron);
    CHECK(megatron->find("\"factors of LoRA adapters\": \"64\"") != std::string::npos);
    CHECK(megatron->find("\"family\": \"llama2\"") != std::string::npos);
    CHECK(megatron->find("not convertible") == std::string::npos);
}
