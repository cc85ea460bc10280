// Options that repeat what the input says: equal is accepted, a contradiction is refused with both values.
#include <doctest/doctest.h>

#include "tests/unit/ckpt_convert/app/convert_support.h"
#include "tests/unit/ckpt_convert/tiny_hf.h"

using test::options;

namespace {

// Layers 0 1 | 2 3 of the slots 0..7 on two pipeline ranks, two chunks each: slots 4 to 7 are empty.
void add_megatron(test::MemoryFileSystem& fs) {
    test::add_tiny_hf(fs, "hf", {});
    auto there = options("hf", "mg", 2, 2);
    there.topology.layers_per_virtual_stage = 2;
    there.topology.noop_layers = {4, 5, 6, 7};
    REQUIRE(test::convert(fs, there));
}

ckpt::ConvertOptions repeating(std::vector<std::uint32_t> noops, std::uint32_t virtual_layers = 0) {
    auto out = options("mg", "back", 2, 2);
    out.topology.noop_layers = std::move(noops);
    out.topology.layers_per_virtual_stage = virtual_layers;
    return out;
}

}  // namespace

TEST_CASE("repeated options: what the files say may be said again, all of it or a part") {
    for (auto again : {repeating({4, 5, 6, 7}), repeating({7, 6, 5, 4}, 2), repeating({}, 2), repeating({})}) {
        test::MemoryFileSystem fs;
        add_megatron(fs);
        auto result = test::convert(fs, again);
        REQUIRE_MESSAGE(result, result.error().text());
        CHECK(test::tensors_of(fs, "back") == test::tensors_of(fs, "hf"));
    }
}

TEST_CASE("repeated options: a contradiction is refused, and says what was given and what is there") {
    test::MemoryFileSystem fs;
    add_megatron(fs);
    CHECK(
        test::failure(fs, repeating({0, 1, 2, 3})).message ==
        "a layout with layers in no slots of pipeline rank 0, model chunk 0, contradicts the input, which has them in "
        "the slots 0,1");
    CHECK(test::failure(fs, repeating({4, 5, 6, 7}, 1)).message ==
          "a layout of 4 virtual stages contradicts the input, which has 2");
    auto bad = options("mg", "back", 4, 2);
    CHECK(test::failure(fs, bad).message == "--tp 4 contradicts the input, which has 2");
    bad = options("mg", "back", 1, 3);
    CHECK(test::failure(fs, bad).message == "--pp 3 contradicts the input, which has 2");
    bad = options("mg", "back");
    bad.repeated.mtp_layers = 1;
    CHECK(test::failure(fs, bad).message == "--mtp-num-layers 1 contradicts the input, which has 0");
    bad = options("mg", "back");
    bad.claims = {{"--source-tensor-parallel-size", "tp", 4}};
    CHECK(test::failure(fs, bad).message == "--source-tensor-parallel-size 4 contradicts the input, which has 2");
    bad = options("mg", "back");
    bad.source.layers = 5;
    CHECK(test::failure(fs, bad).message ==
          "--num-layers 5: the input has 4 layers, and fewer are taken from a Hugging Face checkpoint only: convert to "
          "that first");
    bad = options("hf", "other", 1, 1);
    bad.claims = {{"--source-tensor-parallel-size", "tp", 4}};
    CHECK(test::failure(fs, bad).message == "--source-tensor-parallel-size 4 contradicts the input, which has 1");
}

TEST_CASE("repeated options: --num-layers may count the noop layers") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    auto there = options("hf", "mg", 1, 2);
    there.topology.noop_layers = {1, 5};
    there.source.noop_layers = 2;
    there.source.layers = 6;
    REQUIRE(test::convert(fs, there));
    auto back = options("mg", "back");
    back.source.layers = 6;
    REQUIRE(test::convert(fs, back));
    CHECK(test::tensors_of(fs, "back") == test::tensors_of(fs, "hf"));
    there.save_dir = "other";
    there.source.layers = 5;
    CHECK(test::failure(fs, there).message == "--num-layers 5: the model has 4 layers, 6 with the noop layers");
}

TEST_CASE("repeated options: a bias that the config does not say") {
    test::MemoryFileSystem fs;
    test::TinyModel model;
    model.model_type = "qwen2";
    model.qkv_bias = true;
    test::add_tiny_hf(fs, "hf", model);
    auto there = options("hf", "mg", 2, 2);
    there.source.family = "llama2";
    CHECK(test::failure(fs, there).message.starts_with("12 source tensors have no place in the target"));
    there.source.settings = {{"qkv_bias", 1}};
    REQUIRE(test::convert(fs, there));
    auto back = options("mg", "back");
    back.source.family = "llama2";
    back.source.settings = there.source.settings;
    REQUIRE(test::convert(fs, back));
    CHECK(test::tensors_of(fs, "back") == test::tensors_of(fs, "hf"));
}
