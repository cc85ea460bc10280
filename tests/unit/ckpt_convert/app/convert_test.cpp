#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/app/inspect.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

using base::ErrorKind;
using ckpt::ConvertOptions;
using test::failure;
using test::options;
using test::tensors_of;

TEST_CASE("convert: there and back is the identity for every family and layout") {
    test::TinyModel llama;
    test::TinyModel qwen2{"qwen2", 4, 16, 4, 4, 4, 24, 32, true, true, false};
    test::TinyModel qwen3{"qwen3", 4, 24, 4, 4, 8, 40, 64, false, false, true};
    for (const auto& model : {llama, qwen2, qwen3}) {
        for (int tp : {1, 2, 4}) {
            if (model.kv_groups % tp != 0) continue;
            for (int pp : {1, 2}) {
                CAPTURE(model.model_type);
                CAPTURE(tp);
                CAPTURE(pp);
                test::MemoryFileSystem fs;
                test::add_tiny_hf(fs, "hf", model);
                auto there = test::convert(fs, options("hf", "mg", tp, pp));
                REQUIRE(there);
                CHECK(fs.content("mg/latest_checkpointed_iteration.txt") == "1");
                CHECK(there->files.size() == static_cast<std::size_t>(tp * pp));
                REQUIRE(test::convert(fs, options("mg", "back")));
                CHECK(tensors_of(fs, "back") == tensors_of(fs, "hf"));
                CHECK(fs.content("back/config.json") == fs.content("hf/config.json"));
            }
        }
    }
}

TEST_CASE("convert: uneven stages, virtual stages, noop layers and TE names come back without being asked for") {
    auto check = [](auto change) {
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", {});
        ConvertOptions there = options("hf", "mg", 2, 2);
        change(there);
        REQUIRE(test::convert(fs, there));
        REQUIRE(test::convert(fs, options("mg", "back")));
        CHECK(tensors_of(fs, "back") == tensors_of(fs, "hf"));
    };
    check([](ConvertOptions& o) { o.topology.layers_per_stage = {1, 3}; });
    check([](ConvertOptions& o) { o.topology.layers_per_virtual_stage = 1; });
    check([](ConvertOptions& o) { o.topology.noop_layers = {0, 5}; });
    check([](ConvertOptions& o) { o.layers = "te"; });
}

TEST_CASE("convert: small tiles give the same bytes as large ones") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    ConvertOptions large = options("hf", "large", 2, 2);
    ConvertOptions small = options("hf", "small", 2, 2);
    small.memory_bytes = 1;  // the smallest tile the tool uses
    small.threads = 5;
    REQUIRE(test::convert(fs, large));
    REQUIRE(test::convert(fs, small));
    for (const char* rank : {"00_000", "01_000", "00_001", "01_001"}) {
        std::string path = base::format("/iter_0000001/mp_rank_{}/model_optim_rng.pt", rank);
        CHECK(fs.content("small" + path) == fs.content("large" + path));
    }
}

TEST_CASE("convert: what does not fit is refused before anything is written") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});

    base::Error error = failure(fs, options("nowhere", "out"));
    CHECK(error.kind == ErrorKind::bad_input);
    CHECK(error.text() == "nowhere: there is no such file or directory");

    error = failure(fs, options("hf", "out", 4));
    CHECK(error.kind == ErrorKind::usage);
    CHECK(error.message ==
          "TP 4 does not divide kv_groups (2) of the llama2 model. With more ranks than groups, choose: "
          "--tp-beyond-kv-groups repeat copies key and value heads, split gives every rank a part of a group, "
          "which megatron-core 0.16 and later reads; TP sizes that fit: 1, 2");

    error = failure(fs, options("hf", "out", 1, 3));
    CHECK(error.kind == ErrorKind::usage);

    error = failure(fs, options("hf", "hf/out"));
    CHECK(error.message == "--save-dir must not be inside --load-dir");

    test::TinyModel odd;
    odd.vocab = 33;
    test::add_tiny_hf(fs, "odd", odd);
    CHECK(failure(fs, options("odd", "out", 2)).message ==
          "TP 2 does not divide the vocabulary of 33 rows; pad it with --make-vocab-size-divisible-by 1 (to 34 rows), "
          "--padded-vocab-size N or --vocab-padding");
}

TEST_CASE("convert: a config may have what Python writes for infinity, and keeps it") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    std::string config = fs.content("hf/config.json");
    config.insert(config.find('{') + 1, "\"time_step_limit\": [0.0, Infinity], ");
    fs.add("hf/config.json", config);
    REQUIRE(test::convert(fs, test::options("hf", "mg", 2)));
    REQUIRE(test::convert(fs, test::options("mg", "back")));
    CHECK(fs.content("back/config.json") == config);
}

TEST_CASE("convert: weights that are missing, extra or misshapen are named") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    std::string config = fs.content("hf/config.json");
    auto with = [&](const std::string& from, const std::string& to) {
        std::string changed = config;
        changed.replace(changed.find(from), from.size(), to);
        fs.add("hf/config.json", changed);
        return failure(fs, options("hf", "out"));
    };
    base::Error error = with("\"num_hidden_layers\": 4", "\"num_hidden_layers\": 5");
    CHECK(error.kind == ErrorKind::bad_input);
    CHECK(error.message.starts_with("9 of 48 expected tensors are missing from the source: model.layers.4."));
    error = with("\"num_hidden_layers\": 4", "\"num_hidden_layers\": 3");
    CHECK(error.message.starts_with("9 source tensors have no place in the target and would be lost: model.layers.3."));
    error = with("\"intermediate_size\": 24", "\"intermediate_size\": 20");
    CHECK(error.message ==
          "model.layers.0.mlp.down_proj.weight has the shape [16, 24], but the configuration asks for [16, 20]");
    error = with("\"num_key_value_heads\": 2", "\"num_key_value_heads\": 1000000000000");
    CHECK(
        error.message ==
        "model.layers.0.self_attn.k_proj.weight has the shape [8, 16], but the configuration asks for [4000000000000, "
        "16]");
    error = with("\"vocab_size\": 32", "\"vocab_size\": 9000000000000000000");
    CHECK(error.message ==
          "the shape [9000000000000000000, 16] of embedding is too large (from hidden_size, vocab_size)");
    error = with("\"hidden_size\": 16, ", "");
    CHECK(error.text() == "hf/config.json: \"hidden_size\" is missing; the llama2 model needs it");
    error = with("\"model_type\": \"llama\"", "\"model_type\": \"qwen2\"");
    CHECK(error.message.starts_with("12 of 51 expected tensors are missing"));
}

TEST_CASE("convert: a head that repeats the embedding bit for bit is kept once, and that is said") {
    test::MemoryFileSystem fs;
    test::TinyModel tied;
    tied.tied = true;
    tied.head_bits = "model.embed_tokens.weight";
    test::add_tiny_hf(fs, "hf", tied);
    auto result = test::convert(fs, options("hf", "mg", 2, 2));
    REQUIRE(result);
    CHECK(result->notes ==
          std::vector<std::string>{"1 tensor is kept once, as it repeats another bit for bit: lm_head.weight"});
    auto back = test::convert(fs, options("mg", "back"));
    REQUIRE(back);
    CHECK(back->notes.empty());
    auto expected = tensors_of(fs, "hf");
    expected.erase("lm_head.weight");
    CHECK(tensors_of(fs, "back") == expected);
}

TEST_CASE("convert: a head with other values than the embedding is carried, whatever the config says") {
    for (int pp : {1, 2}) {
        test::MemoryFileSystem fs;
        test::TinyModel tied;
        tied.tied = true;
        tied.head_bits = "lm_head.weight";
        test::add_tiny_hf(fs, "hf", tied);
        auto result = test::convert(fs, options("hf", "mg", 2, pp));
        REQUIRE(result);
        CHECK(result->notes == std::vector<std::string>{"lm_head.weight has other values than embedding, whose copy it "
                                                        "usually is: it is kept as a weight of its own"});
        CHECK(fs.content("mg/training_args.sh").find("--untie-embeddings-and-output-weights") != std::string::npos);
        REQUIRE(test::convert(fs, options("mg", "back")));
        CHECK(tensors_of(fs, "back") == tensors_of(fs, "hf"));
        CHECK(fs.content("back/config.json").find("\"tie_word_embeddings\": false") != std::string::npos);
    }
}

TEST_CASE("convert: the last stage of a tied Megatron checkpoint with other values than the first is carried") {
    test::MemoryFileSystem fs;
    test::TinyModel tied;
    tied.tied = true;
    test::add_tiny_hf(fs, "hf", tied);
    REQUIRE(test::convert(fs, options("hf", "mg", 1, 2)));
    auto expected = tensors_of(fs, "hf");
    const std::string shape = "[32, 16]";
    std::string head = expected.at("model.embed_tokens.weight").substr(shape.size());
    const std::string path = "mg/iter_0000001/mp_rank_00_001/model_optim_rng.pt";
    std::string file = fs.content(path);
    std::size_t at = file.find(head);
    REQUIRE(at != std::string::npos);
    // The last value, so that all of it must have been compared.
    head.back() = file[at + head.size() - 1] = static_cast<char>(head.back() ^ 1);
    fs.add(path, file);
    auto result = test::convert(fs, options("mg", "back"));
    REQUIRE(result);
    CHECK(result->notes == std::vector<std::string>{"model/output_layer.weight has other values than embedding, whose "
                                                    "copy it usually is: it is kept as a weight of its own"});
    expected["lm_head.weight"] = shape + head;
    CHECK(tensors_of(fs, "back") == expected);
    CHECK(fs.content("back/config.json").find("\"tie_word_embeddings\": false") != std::string::npos);
}

TEST_CASE("convert: an output that holds something is refused and left alone; the remains of a killed run are not") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    fs.add("out/notes.txt", "mine");
    auto refused = test::convert(fs, options("hf", "out"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::usage);
    CHECK(fs.content("out/notes.txt") == "mine");
    fs.add("killed/.ckpt_convert.run",
           "migration-toolkit: a run is writing here, or has died. The next run cleans up.\n"
           "staging .unfinished-0123456789abcdef\nconversion 00\n");
    fs.add("killed/.unfinished-0123456789abcdef/iter_0000001/x", "half");
    const auto cleaned = test::convert(fs, options("hf", "killed"));
    REQUIRE(cleaned);
    CHECK(cleaned->notes.back() == "removed killed/.unfinished-0123456789abcdef, which a run that died has left");
    REQUIRE(test::convert(fs, options("hf", "fresh")));
    std::vector<base::Path> names, fresh;
    for (const base::Path& path : fs.files()) {
        if (path.starts_with("killed/")) names.push_back(path.substr(7));
        if (path.starts_with("fresh/")) fresh.push_back(path.substr(6));
    }
    CHECK(names == fresh);
}

TEST_CASE("convert: a user's own files are left alone, whatever they are called") {
    for (const char* name : {".partial", ".unfinished-0123456789abcdef", ".shards-mine"}) {
        CAPTURE(name);
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", {});
        const std::string mine = base::join(base::join("out", name), "data");
        fs.add(mine, "mine");
        const auto refused = test::convert(fs, options("hf", "out"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().text() == "out: the output directory is not empty; name a new one, or empty it first");
        CHECK(fs.content(mine) == "mine");
    }
}

TEST_CASE("convert: the second of two runs on one output is refused, and disturbs nothing") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(fs.make_directories("out"));
    {
        const auto other = fs.lock("out/.ckpt_convert.run");
        REQUIRE(other);
        const auto refused = test::convert(fs, options("hf", "out"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == ErrorKind::usage);
        CHECK(refused.error().text() ==
              "out/.ckpt_convert.run: another run is writing here; wait for it, or name another output");
    }
    CHECK(test::convert(fs, options("hf", "out")));
}

TEST_CASE("convert: a config that contradicts the saved arguments is refused") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(test::convert(fs, options("hf", "mg")));
    test::TinyModel other;
    other.ffn = 32;
    test::add_tiny_hf(fs, "other", other);
    ConvertOptions back = options("mg", "back");
    back.source.hf_config_dir = "other";
    CHECK(failure(fs, back).message ==
          "ffn is 32 in other/config.json, but 24 in the arguments saved with the weights; is this the config of the "
          "same model?");
    REQUIRE(fs.remove("mg/hf_config/config.json"));
    CHECK(failure(fs, options("mg", "back")).kind == ErrorKind::usage);
}

TEST_CASE("convert: a rank that is missing is named") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(test::convert(fs, options("hf", "mg", 2, 2)));
    REQUIRE(fs.remove("mg/iter_0000001/mp_rank_01_000/model_optim_rng.pt"));
    REQUIRE(fs.remove("mg/iter_0000001/mp_rank_01_000"));
    CHECK(failure(fs, options("mg", "back")).message ==
          "rank mp_rank_01_000 is missing; the others make a grid of TP 2 x PP 2");
}

TEST_CASE("inspect: both kinds of checkpoint and a single file") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    REQUIRE(test::convert(fs, options("hf", "mg", 2, 1)));
    auto hf = ckpt::inspect(fs, test::knowledge(), {"hf", {}}, false);
    REQUIRE(hf);
    CHECK(
        hf->starts_with("hf: Hugging Face checkpoint\n"
                        "  model type                         llama\n"
                        "  family                             llama2\n"
                        "  layers                             4\n"
                        "  parameters                         8848\n"
                        "  39 tensors in 1 file, "));
    CHECK(hf->ends_with(
        "  model.layers.3.mlp.down_proj.weight             bf16     [16, 24]       768 B  model.safetensors\n"));
    auto mg = ckpt::inspect(fs, test::knowledge(), {"mg", {}}, true);
    REQUIRE(mg);
    auto json = base::parse_json(*mg, "listing");
    REQUIRE(json);
    CHECK(*json->root.find("kind")->string() == "megatron");
    CHECK(*json->root.find_path("facts")->find("tensor parallel")->string() == "2");
    CHECK(json->root.find("tensors")->array()->size() == 2 * (3 + 4 * 6));
    auto file = ckpt::inspect(fs, test::knowledge(), {"mg/iter_0000001/mp_rank_00/model_optim_rng.pt", {}}, true);
    CHECK(file);
    CHECK(ckpt::inspect(fs, test::knowledge(), {"nowhere", {}}, false).error().kind == ErrorKind::bad_input);
}
