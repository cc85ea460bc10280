#include "ckpt_convert/checkpoint/hf_checkpoint.h"

#include <doctest/doctest.h>

#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "tests/support/memory_file_system.h"

namespace {

std::string weight_file(const char* tensor) {
    auto layout = ckpt::plan_safetensors({{tensor, ckpt::DType::f32, {2}}}, {});
    std::string out = std::move(layout->header);
    out.resize(layout->file_bytes);
    return out;
}

test::MemoryFileSystem two_shards(const std::string& index) {
    test::MemoryFileSystem fs;
    fs.add("c/model-00001-of-00002.safetensors", weight_file("a"));
    fs.add("c/model-00002-of-00002.safetensors", weight_file("b"));
    fs.add("c/model.safetensors.index.json", index);
    return fs;
}

}  // namespace

TEST_CASE("hf checkpoint: a shard that the index does not name is not left out unseen") {
    auto fs = two_shards(R"({"weight_map": {"a": "model-00001-of-00002.safetensors"}})");
    const auto index = ckpt::open_hf_weights(fs, "c");
    REQUIRE_FALSE(index);
    CHECK(index.error().text() ==
          "c/model.safetensors.index.json: model-00002-of-00002.safetensors is of the same set, but the index names no "
          "tensor in it; index and shards are of different downloads, fetch them again");
}

TEST_CASE("hf checkpoint: shards of another set beside those of the index are not looked at") {
    auto fs = two_shards(
        R"({"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}})");
    fs.add("c/model-00001-of-00007.safetensors", "of an older upload");
    const auto index = ckpt::open_hf_weights(fs, "c");
    REQUIRE(index);
    CHECK(index->tensors.size() == 2);
}
