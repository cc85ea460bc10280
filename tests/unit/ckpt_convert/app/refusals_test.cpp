// What other converters get wrong without a word is an error here, and nothing is written.
#include <doctest/doctest.h>

#include "base/format.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

using base::ErrorKind;
using ckpt::ConvertOptions;
using test::failure;
using test::options;
using test::reshard;

namespace {

test::MemoryFileSystem with_model(const test::TinyModel& model) {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", model);
    return fs;
}

// A Megatron checkpoint of the tiny model beside it.
test::MemoryFileSystem with_megatron(const ConvertOptions& there) {
    auto fs = with_model({});
    REQUIRE(test::convert(fs, there));
    return fs;
}

// Puts a changed rank file in place, with all checksums set to "none".
void put_changed(test::MemoryFileSystem& fs, const base::Path& path, std::string content) {
    const std::string kDirectoryEntry("PK\x01\x02", 4);
    for (std::size_t at = content.find(kDirectoryEntry); at != std::string::npos;
         at = content.find(kDirectoryEntry, at + 1))
        content.replace(at + 16, 4, std::string(4, '\0'));
    fs.add(path, std::move(content));
}

}  // namespace

TEST_CASE("refusals: TP that does not divide heads, MLP or vocabulary (peers cut heads and rows in the middle)") {
    test::TinyModel eight{"llama", 4, 16, 8, 8, 4, 24, 66};
    auto fs = with_model(eight);
    CHECK(failure(fs, options("hf", "out", 3)).message ==
          "TP 3 does not divide heads * head_dim (32) of the llama2 model; TP 3 does not divide kv_groups (8) of the "
          "llama2 model; TP sizes that fit: 1, 2");
    // 4 and 8 divide all but the vocabulary.
    const std::string vocabulary = failure(fs, options("hf", "out", 4)).message;
    CHECK(vocabulary.starts_with("TP 4 does not divide the vocabulary of 66 rows"));
    CHECK(vocabulary.ends_with("; TP sizes that fit: 1, 2"));
    auto narrow = with_model({"llama", 4, 16, 8, 8, 4, 12, 64});
    CHECK(failure(narrow, options("hf", "out", 8)).message ==
          "TP 8 does not divide ffn (12) of the llama2 model; TP sizes that fit: 1, 2, 4");
    CHECK(failure(fs, options("hf", "out", 3)).kind == ErrorKind::usage);
}

TEST_CASE("refusals: all that does not fit is said at once, with the sizes that fit all of it") {
    // 3 divides the vocabulary when it is padded, and still neither the groups nor the MLP; 64 would only divide the vocabulary.
    auto fs = with_model({"llama", 4, 16, 8, 4, 4, 16, 64});
    const auto message = failure(fs, options("hf", "out", 3, 3)).message;
    for (const char* part : {"TP 3 does not divide kv_groups (4)", "TP 3 does not divide ffn (16)",
                             "TP 3 does not divide the vocabulary of 64 rows", "; TP sizes that fit: 1, 2, 4; ",
                             "4 layers do not divide over 3 pipeline ranks"})
        CHECK_MESSAGE(message.find(part) != std::string::npos, message);
    for (const int tp : {1, 2, 4}) CHECK(convert(fs, options("hf", base::format("out{}", tp), tp)));
}

TEST_CASE("refusals: TP beyond the heads, however the KV groups are shared") {
    auto fs = with_model({"llama", 4, 16, 2, 2, 4, 24, 32});
    for (auto sharing : {ckpt::KvSharing::repeat, ckpt::KvSharing::split}) {
        auto bad = options("hf", "out", 4);
        bad.topology.kv_sharing = sharing;
        CHECK(failure(fs, bad).message ==
              "TP 4 does not divide the heads (2) of the llama2 model; TP sizes that fit: 1, 2");
    }
}

TEST_CASE("refusals: virtual stages that would lose layers (the peer writes 6 of 8 layers and exits with 0)") {
    auto fs = with_model({"llama", 8});
    auto lossy = options("hf", "out", 1, 2);
    lossy.topology.layers_per_virtual_stage = 3;
    CHECK(failure(fs, lossy).message ==
          "--num-layers-per-virtual-pipeline-stage 3 must divide the 4 layers of a pipeline rank and be smaller");
    auto odd = options("hf", "out", 1, 3);
    CHECK(failure(fs, odd).message.starts_with("8 layers do not divide over 3 pipeline ranks"));
    auto list = options("hf", "out", 1, 2);
    list.topology.layers_per_stage = {4, 3};
    CHECK(failure(fs, list).message.starts_with("--num-layer-list must have 2 entries"));
    auto more = options("hf", "out");
    more.source.layers = 9;
    CHECK(failure(fs, more).message == "--num-layers 9: the model has 8 layers");
}

TEST_CASE("refusals: a shard that is missing, on either side") {
    test::MemoryFileSystem fs = with_megatron(options("hf", "mg", 2, 2));
    auto split = options("mg", "sharded");
    split.max_shard_bytes = 4000;
    REQUIRE(test::convert(fs, split));
    std::size_t shards = 0;
    base::Path last;
    for (const base::Path& path : fs.files()) {
        if (!path.starts_with("sharded/model-")) continue;
        ++shards;
        last = path;
    }
    REQUIRE(shards > 2);
    REQUIRE(fs.remove(last));
    auto error = failure(fs, options("sharded", "out"));
    CHECK(error.kind == ErrorKind::bad_input);
    CHECK(error.text().find(base::file_name(last)) != std::string::npos);

    REQUIRE(fs.remove("mg/iter_0000001/mp_rank_01_001/model_optim_rng.pt"));
    error = failure(fs, reshard("mg", "out"));
    CHECK(error.kind == ErrorKind::bad_input);
    CHECK(error.text().find("mp_rank_01_001") != std::string::npos);
}

TEST_CASE("refusals: a whole pipeline stage that is missing") {
    test::MemoryFileSystem fs = with_megatron(options("hf", "mg", 1, 2));
    REQUIRE(base::remove_tree(fs, "mg/iter_0000001/mp_rank_00_001"));
    CHECK(failure(fs, options("mg", "out")).message ==
          "the saved arguments say pipeline_model_parallel_size = 2, but there are rank directories for 1");
}

TEST_CASE("refusals: a truncated shard") {
    test::MemoryFileSystem fs = with_megatron(options("hf", "mg"));
    base::Path rank = "mg/iter_0000001/mp_rank_00/model_optim_rng.pt";
    std::string whole = fs.content(rank);
    fs.add(rank, whole.substr(0, whole.size() / 2));
    CHECK(failure(fs, options("mg", "out")).kind == ErrorKind::bad_input);
    std::string weights = fs.content("hf/model.safetensors");
    fs.add("hf/model.safetensors", weights.substr(0, weights.size() - 1));
    CHECK(failure(fs, options("hf", "out")).kind == ErrorKind::bad_input);
}

TEST_CASE("refusals: saved arguments that contradict the rank files") {
    test::MemoryFileSystem fs = with_megatron(options("hf", "mg", 2));
    base::Path rank = "mg/iter_0000001/mp_rank_00/model_optim_rng.pt";
    std::string sound = fs.content(rank);
    auto tampered = [&](const std::string& name, int from, int to) {
        std::string content = sound;
        // The name may be followed by BINPUT and its number.
        std::size_t at = content.find(name);
        REQUIRE(at != std::string::npos);
        std::size_t value = content.find('K', at + name.size());
        REQUIRE(value < at + name.size() + 8);
        REQUIRE(content[value + 1] == static_cast<char>(from));
        content[value + 1] = static_cast<char>(to);
        put_changed(fs, rank, content);
        return failure(fs, reshard("mg", "out"));
    };
    CHECK(tampered("num_layers", 4, 5).message ==
          "the saved arguments say num_layers = 5, but the checkpoint holds 4 layers");
    CHECK(tampered("tensor_model_parallel_size", 2, 4).message ==
          "the saved arguments say tensor_model_parallel_size = 4, but there are rank directories for 2");
    CHECK(tampered("hidden_size", 16, 32).message.starts_with("hidden is 16 in mg/hf_config/config.json, but 32 in"));
    CHECK(tampered("num_query_groups", 2, 1)
              .message.starts_with("kv_groups is 2 in mg/hf_config/config.json, but 1 in the arguments"));
}

TEST_CASE("refusals: a tensor of one rank that is not there") {
    test::MemoryFileSystem fs = with_megatron(options("hf", "mg", 2));
    base::Path rank = "mg/iter_0000001/mp_rank_01/model_optim_rng.pt";
    std::string sound = fs.content(rank);
    std::string renamed = sound;
    std::size_t name = renamed.find("decoder.layers.3.mlp.linear_fc2.weight");
    REQUIRE(name != std::string::npos);
    renamed.replace(name, 38, "decoder.layers.3.mlp.linear_fc9.weight");
    put_changed(fs, rank, renamed);
    auto error = failure(fs, options("mg", "out"));
    CHECK(error.kind == ErrorKind::bad_input);
    CHECK(error.message ==
          "1 of 54 expected tensors is missing from the source: model/decoder.layers.3.mlp.linear_fc2.weight");
    fs.add(rank, sound);
    CHECK(test::convert(fs, options("mg", "out")));
}

TEST_CASE("refusals: a torch_dist checkpoint without one of its files") {
    for (const char* file : {"metadata.json", ".metadata", "__0_0.distcp"}) {
        test::MemoryFileSystem fs;
        test::add_tiny_hf(fs, "hf", {});
        ConvertOptions there = reshard("hf", "dist");
        there.torch_dist = true;
        REQUIRE(test::convert(fs, there));
        REQUIRE(fs.remove(std::string("dist/iter_0000001/") + file));
        auto error = failure(fs, options("dist", "out"));
        CHECK(error.kind == ErrorKind::bad_input);
        CHECK(error.text().find(file) != std::string::npos);
    }
}
