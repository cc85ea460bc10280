#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/mapping/mapping_loader.h"
#include "ckpt_convert/mapping/model.h"
#include "tests/support/memory_file_system.h"

namespace {

// What a rule makes of a config, or of saved arguments: "3", "1,0,2" of a value of each layer, "-" of nothing, or an error.
std::string value_read(const std::string& rule, const std::string& json, bool is_config = true) {
    test::MemoryFileSystem fs;
    fs.add("rules/models/mine.json",
           R"({"schema": "model-mapping/1", "family": "mine", "title": "t", "values": {"x": )" + rule + "}}");
    base::DataStore store;
    REQUIRE(store.overlay(fs, "rules", "rules"));
    base::RuleFiles files(store);
    auto mapping = ckpt::load_mapping(files, "rules/models/mine.json");
    REQUIRE_MESSAGE(mapping, mapping.error().text());
    auto document = base::parse_json(json, "config.json");
    REQUIRE(document);
    auto values = is_config ? ckpt::values_from_config(*mapping, *document)
                            : ckpt::values_from_arguments(*mapping, document->root, "checkpoint");
    if (!values) return values.error().message;
    if (auto found = values->find("x"); found != values->end()) return std::to_string(found->second);
    auto list = values->by_layer.find("x");
    return list == values->by_layer.end() ? "-" : base::joined(list->second, ",");
}

}  // namespace

TEST_CASE("value paths: a star leads into every item of a list") {
    const std::string config =
        R"({"blocks": [{"ffn": {"width": 3}}, {"ffn": {"width": null}}, {}, {"ffn": {"width": 5}}]})";
    const std::string of_layers = R"({"each": "layer", "config": "blocks.*.ffn.width", "default": 0})";
    CHECK(value_read(of_layers, config) == "3,0,0,5");
    CHECK(value_read(of_layers, R"({"blocks": []})") == "");
    CHECK(value_read(of_layers, R"({"blocks": {"ffn": 1}})") == "-");
    CHECK(value_read(of_layers, R"({"blocks": [{"ffn": {"width": "3"}}]})") ==
          "\"blocks.*.ffn.width\" must be a list of whole numbers for the model's layers, and has a string");
}

TEST_CASE("value paths: a list is one number when it says no other, or by its first") {
    CHECK(value_read(R"({"config": "blocks.*.n"})", R"({"blocks": [{"n": null}, {"n": 4}, {}, {"n": 4}]})") == "4");
    CHECK(value_read(R"({"config": "blocks.*.n"})", R"({"blocks": [{"n": 4}, {"n": 2}]})") ==
          "\"blocks.*.n\" must be a whole number, not a list of different ones");
    CHECK(value_read(R"({"config": "blocks.*.n", "first": true})", R"({"blocks": [{}, {"n": 4}, {"n": 2}]})") == "4");
    // Saved arguments too, where other lists are those of another value.
    CHECK(value_read(R"({"arg": "blocks.*.n", "first": true})", R"({"blocks": [{"n": 4}, {"n": 2}]})", false) == "4");
    CHECK(value_read(R"({"arg": "n"})", R"({"n": [4, 2]})", false).find("\"n\" is missing") == 0);
    const std::string needs = R"({"arg": ["a", "b"], "arg_needs": {"a": "on"}})";
    CHECK(value_read(needs, R"({"on": true, "a": 8, "b": 4})", false) == "8");
    CHECK(value_read(needs, R"({"a": 8, "b": 4})", false) == "8");
    CHECK(value_read(needs, R"({"on": false, "a": 8, "b": 4})", false) == "4");
    CHECK(value_read(needs, R"({"on": false, "a": 8})", false).find("\"a\" or \"b\" is missing") == 0);
    CHECK(value_read(R"({"config": "blocks.*.n", "first": true})", R"({"other": 1})").find("is missing") !=
          std::string::npos);
}

TEST_CASE("value paths: a star leads into every item of an object, for a value of the model") {
    const std::string rule = R"({"config": ["n", "by_layer.*.n"], "default": 7})";
    CHECK(value_read(rule, R"({"by_layer": {"3": {"n": 4}, "5": {"m": 2}, "6": {"n": 4}}})") == "4");
    CHECK(value_read(rule, R"({"by_layer": {"3": {"m": 4}}})") == "7");
    CHECK(value_read(rule, R"({"by_layer": {}})") == "7");
    CHECK(value_read(rule, R"({"by_layer": {"3": {"n": 4}, "5": {"n": 2}}})") ==
          "\"by_layer.*.n\" must be a whole number, not a list of different ones");
    // The order of its items says nothing of the layers.
    CHECK(value_read(R"({"each": "layer", "config": "by_layer.*.n", "default": 0})",
                     R"({"by_layer": {"3": {"n": 4}}})") == "-");
}

TEST_CASE("value paths: layers may be counted from another number than 0") {
    const std::string rule =
        R"({"each": "layer", "listed": "a.of", "listed_from": 1, "default": 0}, "layers": {"config": "n"})";
    CHECK(value_read(rule, R"({"n": 4, "a": {"of": [1, 2, 4]}})") == "1,1,0,1");
    const std::string wrong = "\"a.of\" must be a list of whole numbers for the model's layers, and has ";
    CHECK(value_read(rule, R"({"n": 4, "a": {"of": [0]}})") == wrong + "0");
    CHECK(value_read(rule, R"({"n": 4, "a": {"of": [5]}})") == wrong + "5");
}

TEST_CASE("value paths: fractions are read with a factor, rounded") {
    const std::string rule = R"({"config": "mult", "times": 65536})";
    CHECK(value_read(rule, R"({"mult": 1.3125})") == "86016");
    CHECK(value_read(rule, R"({"mult": 2})") == "131072");
    CHECK(value_read(rule, R"({"mult": 0.1})") == "6554");
    CHECK(value_read(rule, R"({"mult": 1e300})") == "\"mult\" must be a whole number, not 1e+300");
    CHECK(value_read(R"({"config": "mult"})", R"({"mult": 1.5})") == "\"mult\" must be a whole number, not 1.5");
    CHECK(value_read(R"({"config": "n", "default": 8})", R"({"n": true})") ==
          "\"n\" must be a whole number, not true or false");
    CHECK(value_read(R"({"config": "n", "default": 0})", R"({"n": true})") == "1");
    CHECK(value_read(R"({"config": "n", "default": "2 > 1"})", R"({"n": false})") == "0");
    CHECK(value_read(R"({"config": "n", "default": 0})", R"({"n": -1})") == "\"n\" must be a whole number, not -1");
    CHECK(value_read(R"({"config": "n", "default": -1})", R"({"n": -3})") == "-3");
}

TEST_CASE("value paths: an argument may be JSON in a text") {
    const std::string rule = R"({"each": "layer", "arg": "encoded.blocks.*.n", "default": 7})";
    CHECK(value_read(rule, R"({"encoded": "{\"blocks\": [{\"n\": 1}, {\"n\": 2}]}"})", false) == "1,2");
    CHECK(value_read(rule, R"({"encoded": "no JSON"})", false) == "-");
    CHECK(value_read(rule, R"({"encoded": ""})", false) == "-");
}

TEST_CASE("values: a key that config.json lacks is what the class of the config takes; a null is a null") {
    auto registry = ckpt::MappingRegistry::load(base::DataStore());
    REQUIRE(registry);
    const std::string sizes =
        R"("num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "intermediate_size": 8, "vocab_size": 9)";
    auto value = [&](const std::string& type, const std::string& more, const std::string& name) {
        auto config = base::parse_json(R"({"model_type": ")" + type + "\", " + sizes + more + "}", "config.json");
        REQUIRE(config);
        auto family = registry->for_config(*config);
        REQUIRE(family);
        auto values = ckpt::values_from_config(**family, *config);
        REQUIRE_MESSAGE(values, values.error().text());
        return values->at(name);
    };
    CHECK(value("minicpm3", "", "tied") == 1);
    CHECK(value("minicpm3", R"(, "tie_word_embeddings": false)", "tied") == 0);
    CHECK(value("deepseek_v2", "", "q_rank") == 1536);
    CHECK(value("deepseek_v2", R"(, "q_lora_rank": null)", "q_rank") == 0);
    CHECK(value("deepseek_v2", R"(, "num_experts": 6)", "experts") == 6);  // under another name: no key is missing
    CHECK(value("llama", "", "kv_groups") == 4);                           // the class says none: the mapping file does
}
