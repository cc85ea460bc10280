// Checkpoints under the names of other programs than transformers: written, found, read, refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "ckpt_convert/app/inspect.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

using base::ErrorKind;

namespace {

ckpt::ConvertOptions plain_to_hf(const std::string& from, const std::string& to) {
    ckpt::ConvertOptions out = test::options(from, to);
    out.to = ckpt::Side::huggingface;
    return out;
}

ckpt::ConvertOptions written_as(const std::string& from, const std::string& to, const std::string& names) {
    ckpt::ConvertOptions out = plain_to_hf(from, to);
    out.format = ckpt::NamedFormat::dcp;
    out.names = names;
    return out;
}

std::string summary_of(test::MemoryFileSystem& fs, const std::string& path) {
    const auto text = ckpt::inspect(fs, test::knowledge(), {path, {}, true, false}, false, {});
    REQUIRE_MESSAGE(text, text.error().text());
    return *text;
}

// The tiny model, a part of whose weights has a name here or has not.
test::MemoryFileSystem hf_files_of(const test::TinyModel& model = {}) {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", model);
    return fs;
}

}  // namespace

TEST_CASE("other names: from Hugging Face to torchtitan and back is the identity, of heads of any size") {
    const test::TinyModel models[] = {{},
                                      {"llama", 1, 16, 8, 1, 2, 24, 32, true},
                                      {"llama", 2, 24, 2, 2, 12, 8, 30},
                                      {"qwen3", 2, 16, 4, 2, 4, 24, 32, false, false, true}};
    for (const auto& model : models) {
        auto fs = hf_files_of(model);
        const auto there = test::convert(fs, written_as("hf", "titan", "torchtitan"));
        REQUIRE_MESSAGE(there, there.error().text());
        CHECK(summary_of(fs, "titan").find("saved by                           torchtitan\n") != std::string::npos);
        REQUIRE(test::convert(fs, plain_to_hf("titan", "again")));
        CHECK(test::tensors_of(fs, "again") == test::tensors_of(fs, "hf"));
        REQUIRE(test::convert(fs, test::options("titan", "mg", model.kv_groups)));
        REQUIRE(test::convert(fs, test::options("hf", "mg2", model.kv_groups)));
        CHECK(test::megatron_tensors(fs, "mg") == test::megatron_tensors(fs, "mg2"));
    }
}

TEST_CASE(
    "other names: rows of torchtitan's queries and keys of Llama are the halves of a head in turn, of others not") {
    constexpr std::size_t kRowBytes = 16 * 2, kHead = 4;
    for (const bool llama : {true, false}) {
        CAPTURE(llama);
        auto fs = hf_files_of({llama ? "llama" : "qwen3", 2, 16, 4, 2, 4, 24, 32, false, false, !llama});
        REQUIRE(test::convert(fs, written_as("hf", "titan", "torchtitan")));
        const auto index = ckpt::read_dcp(fs, "titan");
        REQUIRE(index);
        const auto found = std::find_if(index->tensors.begin(), index->tensors.end(),
                                        [](const auto& one) { return one.fqn == "layers.1.attention.wk.weight"; });
        REQUIRE(found != index->tensors.end());
        const std::string file = fs.content("titan/" + index->files[found->chunks[0].file]);
        const std::string hf = test::tensors_of(fs, "hf")["model.layers.1.self_attn.k_proj.weight"];
        const std::size_t begin = hf.size() - 8 * kRowBytes;
        for (std::size_t row = 0; row < 8; ++row) {
            const std::size_t in_head = row % kHead;
            const std::size_t of_hf = llama ? row - in_head + (in_head % 2) * kHead / 2 + in_head / 2 : row;
            CHECK(file.substr(found->chunks[0].file_offset + row * kRowBytes, kRowBytes) ==
                  hf.substr(begin + of_hf * kRowBytes, kRowBytes));
        }
    }
}

TEST_CASE("other names: they are not taken for those of Hugging Face where nothing says the model") {
    auto fs = hf_files_of();
    REQUIRE(test::convert(fs, written_as("hf", "titan", "torchtitan")));
    auto plain = plain_to_hf("titan", "plain");
    plain.source.plain_names = true;
    REQUIRE(fs.remove("titan/config.json"));
    CHECK(test::failure(fs, plain).message.find("--hf-cfg-dir") != std::string::npos);
    fs.add("titan/config.json", "{\"model_type\": \"none\"}");
    CHECK(test::failure(fs, plain).message.find("no mapping file knows the model type") != std::string::npos);
}

TEST_CASE("other names: a model that a program does not have is refused, with what to do") {
    auto fs = hf_files_of();
    auto unknown = plain_to_hf("hf", "fsdp");
    unknown.format = ckpt::NamedFormat::megatron_fsdp;
    unknown.source.plain_names = true;
    const std::string config = fs.content("hf/config.json");
    fs.add("hf/config.json", "{\"model_type\": \"none\"}");
    const auto nameless = test::failure(fs, unknown);
    CHECK(nameless.kind == ErrorKind::unsupported);
    CHECK(nameless.message.find(" of the family unknown has no known name in Megatron-FSDP; ") != std::string::npos);
    fs.add("hf/config.json", config);
    auto other = hf_files_of({"qwen2", 2, 16, 4, 2, 4, 24, 32, false, true});
    CHECK(test::failure(other, written_as("hf", "titan", "torchtitan"))
              .message.starts_with("the names of torchtitan are not known for models of the family qwen25; "));
    auto bad = written_as("hf", "titan", "torchtitans");
    CHECK(test::failure(fs, bad).message.starts_with("--names: \"torchtitans\" is none of "));
    bad.names = "torchtitan";
    bad.format = ckpt::NamedFormat::safetensors;
    CHECK(test::failure(fs, bad).message.starts_with("--names is for --to dcp"));
}

TEST_CASE(
    "other names: from Hugging Face to Megatron-FSDP and back is the identity, and so is the way on to Megatron") {
    const test::TinyModel models[] = {
        {}, {"llama", 1, 16, 4, 1, 4, 24, 30, true}, {"qwen3", 2, 16, 4, 2, 4, 24, 32, false, false, true}};
    for (const auto& model : models) {
        auto fs = hf_files_of(model);
        auto there = plain_to_hf("hf", "fsdp");
        there.format = ckpt::NamedFormat::megatron_fsdp;
        there.vocab.rows = 40;  // padded
        const auto done = test::convert(fs, there);
        REQUIRE_MESSAGE(done, done.error().text());
        CHECK(fs.content("fsdp/latest_checkpointed_iteration.txt") == "release");
        CHECK(fs.content("fsdp/training_args.sh").find("--use-megatron-fsdp") != std::string::npos);
        CHECK(fs.content("fsdp/training_args.sh").find("--ckpt-format fsdp_dtensor") != std::string::npos);
        CHECK(fs.content("fsdp/training_args.sh").find("--tensor-model-parallel-size") == std::string::npos);
        CHECK(summary_of(fs, "fsdp").find("saved by                           Megatron-FSDP") != std::string::npos);
        REQUIRE(test::convert(fs, plain_to_hf("fsdp", "again")));
        CHECK(test::tensors_of(fs, "again") == test::tensors_of(fs, "hf"));
        REQUIRE(test::convert(fs, test::options("fsdp", "mg", model.kv_groups)));
        REQUIRE(test::convert(fs, test::options("hf", "mg2", model.kv_groups)));
        CHECK(test::megatron_tensors(fs, "mg") == test::megatron_tensors(fs, "mg2"));
        const auto index = ckpt::read_dcp(fs, "fsdp/release");
        REQUIRE(index);
        std::set<std::string> names;
        for (const auto& tensor : index->tensors) names.insert(tensor.fqn);
        CHECK(names.contains("model.module.decoder.layers.0.mlp.linear_fc1.weight_w"));
        CHECK(names.contains("model.module.decoder.layers.0.mlp.linear_fc1.weight_v"));
        CHECK_FALSE(names.contains("model.module.decoder.layers.0.mlp.linear_fc1.weight"));
        CHECK(names.contains("model.module.output_layer.weight") == !model.tied);
    }
}

TEST_CASE("other names: what Megatron-FSDP has no place for is refused") {
    auto fs = hf_files_of();
    auto cut = plain_to_hf("hf", "fsdp");
    cut.format = ckpt::NamedFormat::megatron_fsdp;
    cut.topology.tp = 2;
    CHECK(test::failure(fs, cut).message.starts_with("--to megatron-fsdp: its tensors are whole"));
    cut.topology.tp = 1;
    cut.torch_dist = true;
    CHECK(test::failure(fs, cut).message.starts_with("--to megatron-fsdp: its tensors are whole"));
    // A tensor of which a half is missing.
    cut.torch_dist = false;
    REQUIRE(test::convert(fs, cut));
    std::string metadata = fs.content("fsdp/release/.metadata");
    for (std::size_t at = metadata.find("weight_w"); at != std::string::npos; at = metadata.find("weight_w", at))
        metadata.replace(at, 8, "weight_x");
    fs.add("fsdp/release/.metadata", metadata);
    const auto lost = test::failure(fs, plain_to_hf("fsdp", "again"));
    CHECK(lost.kind == ErrorKind::bad_input);
    CHECK(lost.message.find("weight_w") != std::string::npos);
}

TEST_CASE("other names: from Hugging Face to MindSpore and back is the identity, in one file and in several") {
    const test::TinyModel models[] = {
        {}, {"llama", 1, 16, 4, 1, 4, 24, 30, true}, {"qwen2", 2, 16, 4, 2, 4, 24, 32, false, true}};
    for (const auto& model : models) {
        for (const std::uint64_t bytes : {std::uint64_t{2000}, std::uint64_t{1} << 30}) {
            auto fs = hf_files_of(model);
            auto there = plain_to_hf("hf", "ms");
            there.format = ckpt::NamedFormat::mindspore;
            there.max_shard_bytes = bytes;
            const auto done = test::convert(fs, there);
            REQUIRE_MESSAGE(done, done.error().text());
            CHECK_FALSE(fs.exists("ms/model.safetensors.index.json"));
            CHECK(fs.content("ms/param_name_map.json").find("\"model.tok_embeddings.embedding_weight\": \"model") !=
                  std::string::npos);
            CHECK(summary_of(fs, "ms").find("saved by                           MindSpore Transformers") !=
                  std::string::npos);
            REQUIRE(test::convert(fs, plain_to_hf("ms", "again")));
            CHECK(test::tensors_of(fs, "again") == test::tensors_of(fs, "hf"));
            CHECK_FALSE(fs.exists("again/param_name_map.json"));
        }
    }
}

TEST_CASE("other names: a damaged checkpoint of MindSpore is refused, and its moments are not carried") {
    auto fs = hf_files_of();
    auto there = plain_to_hf("hf", "ms");
    there.format = ckpt::NamedFormat::mindspore;
    REQUIRE(test::convert(fs, there));
    const std::string map = fs.content("ms/param_name_map.json");
    auto message = [&](const std::string& text) {
        fs.add("ms/param_name_map.json", text);
        return test::failure(fs, plain_to_hf("ms", "again")).message;
    };
    CHECK(message("[1]").find("the file does not map names to files") != std::string::npos);
    CHECK(message("{\"a\": 1}").find("must name a file in the same directory") != std::string::npos);
    CHECK(message("{\"a\": \"../hf/model.safetensors\"}").find("must name a file in the same directory") !=
          std::string::npos);
    CHECK(message("{\"a\": \"other.safetensors\"}").find("the file is missing") != std::string::npos);
    CHECK(message("{\"a\": \"model.safetensors\"}").find("a is not in it, although param_name_map.json says so") !=
          std::string::npos);
    fs.add("ms/param_name_map.json", map);
    auto keep = plain_to_hf("ms", "again");
    keep.format = ckpt::NamedFormat::dcp;
    keep.keep_optimizer = true;
    CHECK(test::failure(fs, keep).message.starts_with("there are no moments of an optimizer"));
    there.keep_optimizer = true;
    there.save_dir = "more";
    CHECK(test::failure(fs, there).message.starts_with("--optimizer keep: "));
}

TEST_CASE("other names: families whose projections Megatron-FSDP keeps apart are refused by name") {
    const auto* names = test::knowledge().namings.find("megatron-fsdp");
    REQUIRE(names != nullptr);
    for (const char* name : {"qwen3_next", "mamba2"}) {
        CAPTURE(std::string(name));
        const auto family = test::knowledge().families.for_name(name);
        REQUIRE(family);
        const auto rules = names->rules_for(**family, names->core.front().dialect(names->target));
        REQUIRE_FALSE(rules);
        CHECK(rules.error().kind == ErrorKind::unsupported);
        CHECK(rules.error().message.find(
                  " has another form in Megatron-FSDP: the parts of its projections are apart; ") != std::string::npos);
    }
}
