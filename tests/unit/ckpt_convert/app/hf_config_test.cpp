#include <doctest/doctest.h>

#include "ckpt_convert/target/hf_config.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

// Laid out as nobody would, so that every byte that is not to change can be seen.
const std::string kConfig = R"(
{"model_type":"llama",   "torch_dtype" :"bfloat16","dtype": "bfloat16",
	"num_hidden_layers"  :4, "hidden_size": 16, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 4,
  "intermediate_size":   24,"vocab_size":32 , "tie_word_embeddings": false,
  "other": {"vocab_size": 32, "torch_dtype": "bfloat16", "num_hidden_layers": 4}, "rms_norm_eps": 1.0e-6,
"note": "vocab_size: 32 \" \\", "\u00e9": [ ] }

)";

std::string adapted(const ckpt::SourceOptions& source_options, const std::string& dtype = "") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    fs.add("hf/config.json", kConfig);
    ckpt::ConvertOptions options;
    options.source = source_options;
    options.source.directory = "hf";
    options.params_dtype = dtype;
    auto source = ckpt::open_source(fs, test::knowledge(), options.source);
    REQUIRE_MESSAGE(source, source.error().text());
    auto text = ckpt::adapted_config(fs, *source, options);
    REQUIRE(text);
    return *text;
}

std::string with(std::string from, std::string to, std::string text = kConfig) {
    REQUIRE(text.find(from) != std::string::npos);
    return text.replace(text.find(from), from.size(), to);
}

}  // namespace

TEST_CASE("hf config: nothing changed gives the same bytes") { CHECK(adapted({}) == kConfig); }

TEST_CASE("hf config: the element type is changed under both of its names, and only at the top") {
    std::string f16 = with(R"("torch_dtype" :"bfloat16")", R"("torch_dtype" :"float16")");
    CHECK(adapted({}, "fp16") == with(R"("dtype": "bfloat16",)", R"("dtype": "float16",)", f16));
    CHECK(adapted({}, "bf16") == kConfig);
    std::string f32 = with(R"("torch_dtype" :"bfloat16")", R"("torch_dtype" :"float32")");
    CHECK(adapted({}, "fp32") == with(R"("dtype": "bfloat16",)", R"("dtype": "float32",)", f32));
}

TEST_CASE("hf config: the vocabulary and the layers that are left") {
    ckpt::SourceOptions vocab, layers, both;
    vocab.true_vocab = both.true_vocab = 9;
    layers.layers = both.layers = 1;
    CHECK(adapted(vocab) == with(R"("vocab_size":32)", R"("vocab_size":9)"));
    CHECK(adapted(layers) == with(R"("num_hidden_layers"  :4)", R"("num_hidden_layers"  :1)"));
    std::string all = with(R"("vocab_size":32)", R"("vocab_size":9)");
    CHECK(adapted(both) == with(R"("num_hidden_layers"  :4)", R"("num_hidden_layers"  :1)", all));
}

TEST_CASE("hf config: what is changed is what the output has") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    fs.add("hf/config.json", kConfig);
    auto there = test::options("hf", "mg", 2, 1);
    there.source.layers = 3;
    there.source.true_vocab = 30;
    there.params_dtype = "fp32";
    REQUIRE(test::convert(fs, there));
    REQUIRE(test::convert(fs, test::options("mg", "back")));
    auto tensors = test::tensors_of(fs, "back");
    CHECK(tensors.size() == 3 + 3 * 9);
    CHECK(tensors["model.embed_tokens.weight"].starts_with("[30, 16]"));
    CHECK(tensors["model.embed_tokens.weight"].size() == std::string("[30, 16]").size() + 30 * 16 * 4);
    CHECK(fs.content("back/config.json") == fs.content("mg/hf_config/config.json"));
    CHECK(fs.content("back/config.json").find(R"("dtype": "float32")") != std::string::npos);
}
