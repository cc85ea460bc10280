#include "ckpt_convert/mapping/container.h"

#include <doctest/doctest.h>

namespace {

const ckpt::Container& container_of(const std::vector<ckpt::Container>& containers, const std::string& type) {
    auto config = base::parse_json("{\"model_type\": \"" + type + "\"}", "config.json");
    const ckpt::Container* found = ckpt::container_of(containers, config->root);
    REQUIRE(found != nullptr);
    return *found;
}

}  // namespace

TEST_CASE("container: names of the language part, and of what is beside it") {
    auto containers = ckpt::load_containers(base::DataStore());
    REQUIRE_MESSAGE(containers, containers.error().text());
    const ckpt::Container& gemma = container_of(*containers, "gemma3");
    CHECK(gemma.plain_name("language_model.model.norm.weight") == "model.norm.weight");
    CHECK(gemma.plain_name("model.language_model.norm.weight") == "model.norm.weight");
    CHECK(gemma.plain_name("lm_head.weight") == "lm_head.weight");
    CHECK(gemma.is_beside("vision_tower.x"));
    CHECK_FALSE(gemma.is_beside("language_model.model.norm.weight"));
    const ckpt::Container& gemma4 = container_of(*containers, "gemma4");
    CHECK(gemma4.plain_name("model.language_model.layers.0.router.scale") == "model.layers.0.router.scale");
    CHECK(gemma4.is_beside("model.embed_audio.embedding_projection.weight"));
    CHECK_FALSE(gemma4.is_beside("model.language_model.embed_tokens.weight"));
    const ckpt::Container& kimi = container_of(*containers, "kimi_k25");
    CHECK(kimi.plain_name("language_model.model.layers.0.mlp.up_proj.weight") == "model.layers.0.mlp.up_proj.weight");
    CHECK(kimi.plain_name("language_model.lm_head.weight") == "lm_head.weight");
    CHECK(kimi.is_beside("mm_projector.pre_norm.weight"));
    const ckpt::Container& ovis = container_of(*containers, "ovis2_5");
    CHECK(ovis.plain_name("llm.model.norm.weight") == "model.norm.weight");
    CHECK(ovis.plain_name("llm.lm_head.weight") == "lm_head.weight");
    CHECK(ovis.is_beside("vte.weight"));
    auto text = base::parse_json(R"({"model_type": "llama"})", "config.json");
    CHECK(ckpt::container_of(*containers, text->root) == nullptr);
}

TEST_CASE("container: the language part's config is its section, then the whole, then what holds without") {
    auto containers = ckpt::load_containers(base::DataStore());
    REQUIRE(containers);
    const ckpt::Container& gemma = container_of(*containers, "gemma3");
    auto config = base::parse_json(
        R"({"model_type": "gemma3", "architectures": ["G"], "torch_dtype": "bfloat16", "hidden_size": 7, "vision_config": {}, "tie_word_embeddings": true,
            "text_config": {"model_type": "t", "hidden_size": 8, "head_dim": 4, "tie_word_embeddings": false, "rope_scaling": {"factor": 8.5, "on": [true, null]}}})",
        "config.json");
    REQUIRE(config);
    auto text = gemma.language_config(*config);
    REQUIRE(text);
    auto language = base::parse_json(*text, "config.json");
    REQUIRE_MESSAGE(language, *text);
    const base::Json& root = language->root;
    CHECK(*root.find("model_type")->string() == "gemma3_text");
    CHECK(*root.find("hidden_size")->integer() == 8);
    CHECK(*root.find("head_dim")->integer() == 4);
    CHECK(*root.find("num_attention_heads")->integer() == 8);
    CHECK(*root.find("tie_word_embeddings")->boolean());
    CHECK(*root.find("torch_dtype")->string() == "bfloat16");
    CHECK(*root.find_path("rope_scaling.factor")->real() == 8.5);
    CHECK(root.find_path("rope_scaling.on")->array()->size() == 2);
    CHECK(root.find("vision_config") == nullptr);
    CHECK(root.find("architectures") == nullptr);
    // Which of two contradicting statements holds only the tensors could say.
    auto torn = base::parse_json(
        R"({"model_type": "gemma3", "tie_word_embeddings": false, "text_config": {"tie_word_embeddings": true}})",
        "config.json");
    CHECK(gemma.language_config(*torn).error().message.starts_with(
        "\"tie_word_embeddings\" is false above, but true in \"text_config\""));
    // The section may lie deeper.
    auto nested = base::parse_json(
        R"({"model_type": "qwen3_omni_moe", "talker_config": {}, "thinker_config": {"text_config": {"hidden_size": 8}}})",
        "config.json");
    const ckpt::Container& omni = container_of(*containers, "qwen3_omni_moe");
    CHECK(*omni.language_config(*nested) ==
          "{\n  \"model_type\": \"qwen3_moe\",\n  \"hidden_size\": 8,\n  \"norm_topk_prob\": true\n}\n");
    CHECK(omni.plain_name("thinker.model.layers.0.mlp.gate.weight") == "model.layers.0.mlp.gate.weight");
    CHECK(omni.is_beside("thinker.model.visual.blocks.0.norm1.weight"));
    auto torn_below = base::parse_json(
        R"({"model_type": "qwen2_5_omni", "thinker_config": {"tie_word_embeddings": false, "text_config": {"tie_word_embeddings": true}}})",
        "config.json");
    CHECK_FALSE(container_of(*containers, "qwen2_5_omni").language_config(*torn_below));
    // Without a type of its own the section has to say what it is.
    auto unnamed = base::parse_json(R"({"model_type": "llava", "text_config": {}})", "config.json");
    auto refused = container_of(*containers, "llava").language_config(*unnamed);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "\"text_config.model_type\" is missing: it says what the language model is");
}
