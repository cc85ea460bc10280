#include <doctest/doctest.h>

#include "ckpt_convert/mapping/mapping_loader.h"
#include "ckpt_convert/mapping/model.h"
#include "tests/support/memory_file_system.h"

namespace {

// A store with the built-in blocks and one more file.
base::DataStore store_with(test::MemoryFileSystem& fs, const std::string& text) {
    fs.add("rules/models/mine.json", text);
    base::DataStore store;
    REQUIRE(store.overlay(fs, "rules", "rules"));
    return store;
}

base::Error load_error(const std::string& text) {
    test::MemoryFileSystem fs;
    base::DataStore store = store_with(fs, text);
    base::RuleFiles files(store);
    auto mapping = ckpt::load_mapping(files, "rules/models/mine.json");
    REQUIRE_FALSE(mapping);
    CHECK(mapping.error().kind == base::ErrorKind::rule_data);
    return mapping.error();
}

const std::string kHead = R"({"schema": "model-mapping/1", "family": "mine", "title": "t", )";

}  // namespace

TEST_CASE("mapping: the built-in families load, and are found by model type and by name") {
    base::DataStore store;
    auto registry = ckpt::MappingRegistry::load(store);
    REQUIRE(registry);
    auto config = base::parse_json(R"({"model_type": "qwen2"})", "config.json");
    REQUIRE(config);
    CHECK((*registry->for_config(*config))->family == "qwen25");
    CHECK((*registry->for_name("llama2"))->family == "llama2");
    CHECK(registry->for_name("nope").error().kind == base::ErrorKind::usage);
    auto unknown = base::parse_json(R"({"model_type": "nope"})", "config.json");
    CHECK(registry->for_config(*unknown).error().kind == base::ErrorKind::unsupported);
    auto untyped = base::parse_json("{}", "config.json");
    CHECK(registry->for_config(*untyped).error().message ==
          "\"model_type\" is missing; name the family with --model-type-hf");
}

TEST_CASE("mapping: buffers of positions are no weights, on either side") {
    base::DataStore store;
    auto registry = ckpt::MappingRegistry::load(store);
    REQUIRE(registry);
    const ckpt::ModelMapping& llama = **registry->for_name("llama2");
    CHECK(llama.ignores("model.layers.0.self_attn.rotary_emb.inv_freq"));
    CHECK(llama.ignores("model1/rotary_pos_emb.inv_freq"));
    CHECK_FALSE(llama.ignores("model/decoder.layers.0.mlp.linear_fc1.weight"));
}

TEST_CASE("mapping: what is not strict does not load") {
    CHECK(load_error(kHead + R"("tensors": []})").text() ==
          "rules/models/mine.json:1:74: the key \"tensors\" is not known here");
    CHECK(load_error(kHead + R"("include": "blocks/none.json"})").message ==
          "rules/models/blocks/none.json is missing");
    CHECK(load_error(kHead + R"("weights": {"w": {"shape": ["a +"]}}})").message ==
          "the expression \"a +\" does not parse: a value is missing at the end");
    CHECK(load_error(kHead + R"("weights": {"w": {"shape": ["1"]}}, "hf": [{"name": "w", "of": "w"}]})").message ==
          "no mcore tensor stores the weight \"w\"");
    CHECK(load_error(kHead + R"("hf": [{"name": "w", "of": "v"}]})").message ==
          "hf tensor \"w\" is made of \"v\", which is not a weight");
    CHECK(load_error(kHead + R"("hf": [{"name": "w", "of": "v", "shard": 0}]})").message ==
          "the key \"shard\" is not known here");
    CHECK(load_error(kHead + R"("mcore": [{"name": "w", "of": "v", "stage": "middle"}]})").message ==
          "\"stage\" must be \"first\", \"norm\", \"mtp\" or \"last\"");
    CHECK(load_error(kHead + R"("include": ["blocks/decoder.json"], "weights": {"head": {"shape": ["1"]}}})").message ==
          "\"head\" is defined twice");
    CHECK(load_error(R"({"schema": "model-mapping/2"})").message == "\"schema\" must be \"model-mapping/1\"");
}

TEST_CASE("mapping: a file redefines what it includes, and nothing else") {
    auto error = [](const std::string& included) {
        test::MemoryFileSystem fs;
        fs.add("rules/models/blocks/tied.json",
               R"({"about": "a", "include": [)" + included + R"(], "values": {"tied": {"default": 1}}})");
        base::DataStore store =
            store_with(fs, kHead + R"("include": ["blocks/sizes.json", "blocks/tied.json"], "source": ["s"]})");
        base::RuleFiles files(store);
        auto mapping = ckpt::load_mapping(files, "rules/models/mine.json");
        return mapping ? "" : mapping.error().message;
    };
    CHECK(error("") == "\"tied\" is defined twice");
    // Included first by the family: not the block's own to redefine.
    CHECK(error("\"blocks/sizes.json\"") == "\"tied\" is defined twice");
    test::MemoryFileSystem fs;
    fs.add("rules/models/blocks/tied.json",
           R"({"about": "a", "include": ["blocks/decoder.json", "blocks/hf_llama_names.json"],
               "values": {"tied": {"default": 1}}, "flags": {"--swiglu": false}})");
    base::DataStore store = store_with(fs, kHead + R"("model_types": ["mine"], "include": ["blocks/tied.json"]})");
    base::RuleFiles files(store);
    auto mapping = ckpt::load_mapping(files, "rules/models/mine.json");
    REQUIRE(mapping);
    auto config = base::parse_json(
        R"({"num_hidden_layers": 1, "hidden_size": 4, "num_attention_heads": 2, "intermediate_size": 8, "vocab_size": 16})",
        "config.json");
    REQUIRE(config);
    auto values = ckpt::values_from_config(*mapping, *config);
    REQUIRE(values);
    CHECK(values->at("tied") == 1);
}

TEST_CASE("mapping: a number that is added is one, and what is required has a reason") {
    auto error = [](const std::string& text) { return load_error(kHead + text).message; };
    const std::string kWeight = R"("weights": {"w": {"shape": ["1"]}}, "mcore": [{"name": "w", "of": "w", "plus": )";
    CHECK(error(kWeight + "0}]}") == "\"plus\" must be a number other than 0");
    CHECK(error(kWeight + R"("1"}]})") == "\"plus\" must be a number other than 0");
    CHECK(error(R"("requires": {}})") == "\"requires\" must be a list");
    CHECK(error(R"("requires": [{"because": "so"}]})") == "the key \"that\" is missing");
    CHECK(error(R"("requires": [{"that": "tp == 1"}]})") == "the key \"because\" is missing");
}

TEST_CASE("mapping: axes that the weights do not have are refused") {
    auto error = [](const std::string& shape_w, const std::string& shape_v, const std::string& mcore) {
        std::string weights =
            R"("weights": {"w": {"shape": )" + shape_w + R"(}, "v": {"shape": )" + shape_v + R"(}}, )";
        std::string hf = R"("hf": [{"name": "w", "of": "w"}, {"name": "v", "of": "v"}], )";
        return load_error(kHead + weights + hf + R"("mcore": [{"name": "m", "of": ["w", "v"])" + mcore + "}]}").message;
    };
    const std::string kMatrix = R"(["2", "3"])", kVector = R"(["2"])";
    CHECK(error(kMatrix, kMatrix, R"(, "shard": 2)") == "tensor \"m\" has no axis 2, it has 2");
    CHECK(error(kVector, kVector, R"(, "axis": 1)") == "tensor \"m\" has no axis 1, it has 1");
    CHECK(error(kMatrix, kVector, "") == "tensor \"m\" is made of weights with different numbers of axes");
    CHECK(error(kMatrix, kMatrix, R"(, "shard": -1)") == "\"shard\" is not an axis of a tensor");
    CHECK(error(kMatrix, kMatrix, R"(, "axis": 4294967296)") == "\"axis\" is not an axis of a tensor");
    CHECK(error(kMatrix, kMatrix, R"(, "interleave": "1", "repeat": ["x"])") ==
          "tensor \"m\" repeats \"x\", which it is not made of");
    CHECK(error(kMatrix, kMatrix, R"(, "repeat": ["v"])") == "tensor \"m\" repeats weights without \"interleave\"");
    CHECK(error("[]", "[]", "") == "\"shape\" must be a list of expressions");
}

TEST_CASE("mapping: layers are counted by themselves in torch_dist alone, where their numbers stand") {
    auto error = [](const std::string& more, const std::string& name, const std::string& hf = "v.{layer}") {
        return load_error(kHead + more + R"("weights": {"v": {"each": "layer", "shape": ["2"]}}, "hf": [{"name": ")" +
                          hf + R"(", "of": "v", "each": "layer"}], "mcore": [{"name": {)" + name +
                          R"(}, "of": "v", "each": "layer"}]})")
            .message;
    };
    const std::string kReason =
        "which is for tensors of layers in torch_dist, in the place of \"{local_layer}\"; not with \"mtp\"";
    const std::string kRight = R"("torch_dist": "decoder.layers.{nth}.v")";
    CHECK(error("", R"("rank_files": "decoder.layers.{nth}.v")") ==
          "tensor \"decoder.layers.{nth}.v\" has \"{nth}\", " + kReason);
    CHECK(error("", R"("torch_dist": "v.{nth}")") == "tensor \"v.{nth}\" has \"{nth}\", " + kReason);
    CHECK(error("", kRight, "v.{nth}") == "tensor \"v.{nth}\" has \"{nth}\", " + kReason);
    CHECK(error(R"("mtp": {"mcore": "mtp.{local_layer}."}, )", kRight).ends_with(kReason));
    CHECK(error(R"("nothing": 1, )", kRight) == "the key \"nothing\" is not known here");
}

TEST_CASE("mapping: every weight is stored on both sides, but for one that the model does not use") {
    auto family = [](const std::string& more) {
        return kHead + R"("weights": {"v": {"shape": ["2"])" + more + R"(}, "w": {"shape": ["2"]}},
            "hf": [{"name": "v", "of": ["v", "w"]}], "mcore": [{"name": "w", "of": "w"}]})";
    };
    CHECK(load_error(family("")).message == "no mcore tensor stores the weight \"v\"");
    test::MemoryFileSystem fs;
    base::DataStore store = store_with(fs, family(R"(, "unused": 1)"));
    base::RuleFiles files(store);
    CHECK(ckpt::load_mapping(files, "rules/models/mine.json"));
}

TEST_CASE("mapping: how experts are stacked must be said in full") {
    auto error = [](const std::string& stored) {
        return load_error(kHead + R"("values": {"experts": {"default": 2}},
            "weights": {"w": {"each": "expert", "shape": ["2", "3"]}, "v": {"each": "layer", "shape": ["2", "3"]}},
            "hf": [{"name": "w.{layer}.{expert}", "of": "w", "each": "expert"}, {"name": "v.{layer}", "of": "v", "each": "layer"}],
            "mcore": [{"name": "v.{local_layer}", "of": "v", "each": "layer"}, {"name": "m.{local_layer}", )" +
                          stored + "}]}")
            .message;
    };
    CHECK(error(R"("of": "w", "each": "layer")") ==
          "tensor \"m.{local_layer}\" belongs to no experts but is made of \"w\", which is one of each expert");
    CHECK(error(R"("of": ["w", "v"], "each": "layer", "stack": "expert 0 1")") ==
          "tensor \"m.{local_layer}\" belongs to experts but is made of \"v\", which is not of each expert");
    CHECK(error(R"("of": "w", "each": "expert", "stack": "expert 0 1")") ==
          "a stack of experts is there for each layer");
    CHECK(error(R"("of": "w", "each": "layer", "stack": "expert 0 0")") ==
          "\"stack\" must name every axis once, and the experts if there are any");
    CHECK(error(R"("of": "w", "each": "layer", "stack": "expert x")") ==
          "\"x\" is neither \"expert\" nor the number of an axis");
    CHECK(error(R"("of": "w", "each": "layer", "stack": "expert 0")") ==
          "tensor \"m.{local_layer}\" stacks tensors of 2 axes, but names 1");
    CHECK(error(R"("of": "w", "each": "layer", "stack": "expert 1 0", "stack_shape": "1, 0")") ==
          "\"stack_shape\" must name what \"stack\" names");
    CHECK(error(R"("of": "w", "each": "layer", "stack_shape": "1")") == "\"stack_shape\" needs \"stack\"");
    CHECK(error(R"("of": "w", "each": "expert", "stack": "0")") ==
          "tensor \"m.{local_layer}\" stacks tensors of 2 axes, but names 1");
    CHECK(error(R"("of": "w", "each": "expert", "stack": "1 0", "pad": "3")") ==
          "a tensor with \"pad\" lies in memory as it is");
    CHECK(error(R"("of": "w", "each": "expert", "pad_zero": true)") == "\"pad_zero\" needs \"pad\"");
    const char* with_unzip = "tensor \"m.{local_layer}\" has \"unzip\", and therefore its other axes as they are";
    CHECK(error(R"("of": "w", "each": "expert", "unzip": 0)") == with_unzip);
    CHECK(error(R"("of": "w", "each": "expert", "unzip": 1, "stack": "1 0")") == with_unzip);
    CHECK(error(R"("of": "w", "each": "expert", "unzip": 1, "shard": 1)") == with_unzip);
    CHECK(error(R"("of": "w", "each": "expert", "unzip": 2)") == "tensor \"m.{local_layer}\" has no axis 2, it has 2");
}

TEST_CASE("mapping: a value of each layer has a default, and no other values are listed") {
    CHECK(load_error(kHead + R"("values": {"moe": {"each": "layer"}}})").message ==
          "a value of each layer needs a \"default\"");
    CHECK(load_error(kHead + R"("values": {"moe": {"each": "layer", "listed_from": 1, "default": 1}}})").message ==
          "\"listed_from\" needs \"listed\"");
    CHECK(load_error(kHead + R"("values": {"moe": {"listed": "x", "default": 1}}})").message ==
          "\"listed\" needs \"each\": \"layer\"");
    CHECK(load_error(kHead + R"("values": {"moe": {"each": "expert", "default": 1}}})").message ==
          "a value cannot be there for each expert");
}

TEST_CASE("mapping: a text has a letter for each layer, and tells how many there are") {
    base::DataStore store;
    auto registry = ckpt::MappingRegistry::load(store);
    REQUIRE(registry);
    const ckpt::ModelMapping& mapping = **registry->for_name("nemotron_h");
    const std::string kSizes = R"({"hidden_size": 8, "mamba_num_heads": 2, "num_attention_heads": 2, "vocab_size": 16,
        "intermediate_size": 6, "padded_vocab_size": 16, "ffn_hidden_size": 6, )";
    auto from_config = [&](const std::string& more) {
        return ckpt::values_from_config(mapping, *base::parse_json(kSizes + more + "}", "config.json"));
    };
    using List = std::vector<std::int64_t>;
    for (const char* pattern : {R"("hybrid_override_pattern": "M*-M")",
                                R"("layers_block_type": ["mamba", "attention", "mlp", "linear_attention"])"}) {
        auto values = from_config(pattern);
        REQUIRE_MESSAGE(values, values.error().text());
        CHECK(values->at("layers") == 4);
        CHECK(values->by_layer.at("mamba") == List{1, 0, 0, 1});
        CHECK(values->by_layer.at("full") == List{0, 1, 0, 0});
        CHECK(values->by_layer.at("moe") == List{0, 0, 0, 0});
    }
    auto saved = ckpt::values_from_arguments(
        mapping, base::parse_json(kSizes + R"("num_layers": 2, "hybrid_override_pattern": "E-"})", "args")->root, "mg");
    REQUIRE_MESSAGE(saved, saved.error().text());
    CHECK(saved->by_layer.at("moe") == List{1, 0});
    auto wrong = from_config(R"("num_hidden_layers": 3, "hybrid_override_pattern": "M*")");
    REQUIRE(wrong);
    CHECK(ckpt::Model::make(mapping, *wrong).error().message.starts_with("mamba is listed for 2 of 3 layers"));
}

TEST_CASE("model: which layers have experts is computed, or listed in the config") {
    base::DataStore store;
    auto registry = ckpt::MappingRegistry::load(store);
    REQUIRE(registry);
    const ckpt::ModelMapping& mapping = **registry->for_name("qwen3_moe");
    auto tensors = [&](const std::string& more) -> std::string {
        auto config = base::parse_json(R"({"num_hidden_layers": 4, "hidden_size": 8, "num_attention_heads": 2,
            "intermediate_size": 6, "vocab_size": 16, "num_experts": 2, "moe_intermediate_size": 3)" +
                                           more + "}",
                                       "config.json");
        REQUIRE(config);
        auto values = ckpt::values_from_config(mapping, *config);
        if (!values) return values.error().message;
        auto model = ckpt::Model::make(mapping, *values);
        if (!model) return model.error().message;
        std::string out;
        for (std::uint32_t layer = 0; layer < 4; ++layer)
            out += model->tensor("mlp.up", layer) ? 'd' : model->tensor("experts.up", layer) ? 'e' : '-';
        return out;
    };
    CHECK(tensors("") == "eeee");
    CHECK(tensors(R"(, "decoder_sparse_step": 2)") == "dede");
    CHECK(tensors(R"(, "mlp_only_layers": [0, 3])") == "deed");
    CHECK(tensors(R"(, "mlp_only_layers": [4])") ==
          "\"mlp_only_layers\" must be a list of whole numbers for the model's layers, and has 4");
    auto args = base::parse_json(R"({"num_layers": 4, "hidden_size": 8, "num_attention_heads": 2, "ffn_hidden_size": 6,
        "padded_vocab_size": 16, "num_experts": 2, "moe_ffn_hidden_size": 3, "moe_layer_freq": [0, 1, 1]})",
                                 "args");
    auto values = ckpt::values_from_arguments(mapping, args->root, "mg");
    REQUIRE_MESSAGE(values, values.error().text());
    CHECK(ckpt::Model::make(mapping, *values).error().message.starts_with("moe is listed for 3 of 4 layers"));
    // A default for a layer behind those that are listed, which needs another list.
    auto listed = ckpt::values_from_config(
        mapping, *base::parse_json(R"({"num_hidden_layers": 2, "hidden_size": 8, "num_attention_heads": 2,
        "intermediate_size": 6, "vocab_size": 16, "num_experts": 2, "mlp_only_layers": [0]})",
                                   "config.json"));
    REQUIRE(listed);
    (*listed)["mtp"] = 1;
    auto with_mtp = ckpt::Model::make(mapping, *listed);
    REQUIRE_MESSAGE(with_mtp, with_mtp.error().text());
    CHECK_FALSE(with_mtp->tensor("experts.up", 0).has_value());
    CHECK(with_mtp->tensor("experts.up", 2).has_value());
    values->by_layer["moe"] = {0, 1, 1, 0, 1};
    auto model = ckpt::Model::make(mapping, *values);
    REQUIRE(model);
    CHECK(model->tensors()[*model->tensor("experts.up", 2, 1)].name == "layers.2.experts.up.1");
    CHECK_FALSE(model->tensor("experts.up", 3).has_value());
}

TEST_CASE("mapping: two families cannot claim one model type") {
    test::MemoryFileSystem fs;
    base::DataStore store = store_with(fs, kHead + R"("model_types": ["llama"]})");
    auto registry = ckpt::MappingRegistry::load(store);
    REQUIRE_FALSE(registry);
    CHECK(registry.error().message == "the model type \"llama\" belongs to two families");
}

TEST_CASE("model: sizes from config.json, with fallbacks, and what is missing is named") {
    base::DataStore store;
    auto registry = ckpt::MappingRegistry::load(store);
    REQUIRE(registry);
    const ckpt::ModelMapping& mapping = **registry->for_name("llama2");
    auto values = [&](const std::string& text) {
        auto config = base::parse_json(text, "config.json");
        REQUIRE(config);
        return ckpt::values_from_config(mapping, *config);
    };
    auto full = values(
        R"({"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 128, "head_dim": null})");
    REQUIRE(full);
    CHECK((*full)["head_dim"] == 16);
    CHECK((*full)["kv_groups"] == 4);
    CHECK((*full)["tied"] == 0);
    auto model = ckpt::Model::make(mapping, *full);
    REQUIRE(model);
    CHECK(model->tensors().size() == 3 + 2 * 9);
    CHECK(model->tensors()[*model->tensor("attention.q", 1)].name == "layers.1.attention.q");
    CHECK(model->parameters() == 2 * 128 * 64 + 64 + 2 * (4 * 64 * 64 + 3 * 96 * 64 + 2 * 64));

    // A number for every layer, and the same for all of them.
    auto listed = values(
        R"({"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": [96, 96], "vocab_size": 128})");
    REQUIRE(listed);
    CHECK((*listed)["ffn"] == 96);

    auto missing = values(R"({"hidden_size": 64})");
    REQUIRE_FALSE(missing);
    CHECK(missing.error().text() == "config.json: \"num_hidden_layers\" is missing; the llama2 model needs it");
    CHECK(missing.error().kind == base::ErrorKind::bad_input);
    CHECK(values(R"({"num_hidden_layers": [2, 3]})").error().message ==
          "\"num_hidden_layers\" must be a whole number, not a list");
    CHECK(values(R"({"num_hidden_layers": "2"})").error().message ==
          "\"num_hidden_layers\" must be a whole number, not a string");
    CHECK(
        values(
            R"({"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 5, "intermediate_size": 96, "vocab_size": 128})")
            .error()
            .message == "head_dim: \"hidden / heads\": 64 is not a multiple of 5");
}

TEST_CASE("model: a family may compute a value of a block from one of its own, whatever comes first") {
    base::DataStore store;
    auto registry = ckpt::MappingRegistry::load(store);
    REQUIRE(registry);
    auto config = base::parse_json(
        R"({"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 96, "vocab_size": 128})",
        "config.json");
    REQUIRE(config);
    // Qwen 1 counts gate and up projection together.
    auto values = ckpt::values_from_config(**registry->for_name("qwen"), *config);
    REQUIRE_MESSAGE(values, values.error().text());
    CHECK((*values)["ffn"] == 48);
}

TEST_CASE("model: values that need each other are named") {
    test::MemoryFileSystem fs;
    base::DataStore store = store_with(
        fs, kHead + R"("values": {"layers": {"default": "a"}, "a": {"default": "b + 1"}, "b": {"default": "a - 1"}}})");
    base::RuleFiles files(store);
    auto mapping = ckpt::load_mapping(files, "rules/models/mine.json");
    REQUIRE(mapping);
    auto config = base::parse_json("{}", "config.json");
    auto values = ckpt::values_from_config(*mapping, *config);
    REQUIRE_FALSE(values);
    CHECK(values.error().message == "layers: \"a\" has no value in \"a\"");
}
