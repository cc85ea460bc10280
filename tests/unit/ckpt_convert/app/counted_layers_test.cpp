// Layers of two kinds whose tensors torch_dist has in one tensor of each kind, and a weight that a tensor has twice.
#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/execute/comparer.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"
#include "tests/unit/ckpt_convert/app/own_family.h"

namespace {

constexpr const char* kFamilyCounted = R"({
  "schema": "model-mapping/1", "family": "mine", "title": "t", "model_types": ["mine"],
  "values": {"layers": {"config": "n"}, "vocab": {"config": "vocab"}, "kv_groups": {"default": 1},
             "odd": {"each": "layer", "default": "layer % 2"}},
  "weights": {"embedding": {"shape": ["vocab", "2"]}, "q": {"each": "layer", "shape": ["8", "2"]}, "k": {"each": "layer", "shape": ["2", "2"]}},
  "hf": [{"name": "embed", "of": "embedding"}, {"name": "q.{layer}", "of": "q", "each": "layer"},
         {"name": "k.{layer}", "of": "k", "each": "layer"}],
  "mcore": [
    {"name": "embedding.word_embeddings.weight", "of": "embedding", "stage": "first", "shard": 0, "pad": "padded_vocab"},
    {"name": {"rank_files": "decoder.layers.{local_layer}.qkv.weight", "torch_dist": "decoder.layers.{nth}.odd.qkv.weight"}, "of": ["q", "k", "k"],
     "interleave": "kv_groups", "repeat": "k", "each": "layer", "shard": 0, "extra_state": true, "when": "odd"},
    {"name": {"rank_files": "decoder.layers.{local_layer}.qkv.weight", "torch_dist": "decoder.layers.{nth}.even.qkv.weight"}, "of": ["q", "k", "k"],
     "interleave": "kv_groups", "repeat": "k", "each": "layer", "shard": 0, "extra_state": true, "when": "!odd"}],
  "requires": [{"dialect": "mcore", "that": "0", "because": "nobody has it"}, {"that": "vocab < 9", "because": "it is small"}],
  "args": {"num_layers": "=slots"}
})";

const ckpt::Knowledge& counted_family() {
    static const ckpt::Knowledge instance = test::knowledge_with(kFamilyCounted);
    return instance;
}

test::MemoryFileSystem counted_model(int vocab = 8) {
    using ckpt::DType;
    std::vector<ckpt::SafetensorsTensor> tensors{{"embed", DType::bf16, {static_cast<std::uint64_t>(vocab), 2}}};
    for (int layer = 0; layer < 3; ++layer) {
        tensors.push_back({base::format("q.{}", layer), DType::bf16, {8, 2}});
        tensors.push_back({base::format("k.{}", layer), DType::bf16, {2, 2}});
    }
    return test::checkpoint_of(tensors, base::format(R"({{"model_type": "mine", "n": 3, "vocab": {}}})", vocab));
}

ckpt::ConvertOptions to_torch_dist() {
    auto out = test::options("hf", "mg");
    out.to = ckpt::Side::megatron;
    out.torch_dist = true;
    out.target = "mindspeed";
    out.iteration = "release";
    return out;
}

void check_way_back(test::MemoryFileSystem& fs) {
    auto back = test::convert(fs, counted_family(), test::options("mg", "back"));
    REQUIRE_MESSAGE(back, back.error().text());
    CHECK(test::tensors_of(fs, "back") == test::tensors_of(fs, "hf"));
}

}  // namespace

TEST_CASE("counted layers: torch_dist has a tensor of each kind of layers, with as many as there are") {
    test::MemoryFileSystem fs = counted_model();
    auto done = test::convert(fs, counted_family(), to_torch_dist());
    REQUIRE_MESSAGE(done, done.error().text());
    auto index = ckpt::read_torch_dist(fs, "mg/release");
    REQUIRE_MESSAGE(index, index.error().text());
    std::vector<std::string> found;
    for (const auto& tensor : index->tensors) {
        std::vector<std::uint64_t> layers;
        for (const auto& chunk : tensor.chunks) layers.push_back(chunk.offsets[0]);
        std::sort(layers.begin(), layers.end());
        found.push_back(
            base::format("{} {} from {}", tensor.fqn, ckpt::to_string(tensor.shape), base::joined(layers, ", ")));
    }
    std::sort(found.begin(), found.end());
    CHECK(base::joined(found, "\n") ==
          "decoder.layers.even.qkv.weight [2, 12, 2] from 0, 1\n"
          "decoder.layers.odd.qkv.weight [1, 12, 2] from 0\n"
          "embedding.word_embeddings.weight [8, 2] from 0");
    check_way_back(fs);
}

TEST_CASE("counted layers: extra states are counted as their weights are") {
    test::MemoryFileSystem fs = counted_model();
    auto options = to_torch_dist();
    options.target = "mcore";
    // That nobody may have it is asked of this target alone.
    CHECK(test::convert(fs, counted_family(), options).error().message == "the mine model needs 0 here: nobody has it");
    fs.add("other/models/mine.json", [] {
        std::string text = kFamilyCounted;
        text.replace(text.find("\"mcore\", \"that\""), 7, "\"other\"");
        return text;
    }());
    base::DataStore store;
    REQUIRE(store.overlay(fs, "other", "rules"));
    auto known = ckpt::Knowledge::load(store);
    REQUIRE_MESSAGE(known, known.error().text());
    ckpt::ConvertObserver nobody;
    REQUIRE(ckpt::convert(fs, *known, store, options, nobody));
    auto index = ckpt::read_torch_dist(fs, "mg/release");
    REQUIRE(index);
    std::vector<std::string> found;
    for (const auto& item : index->bytes) {
        if (item.fqn.find("_extra_state") != std::string::npos) found.push_back(item.fqn);
    }
    std::sort(found.begin(), found.end());
    CHECK(base::joined(found, " ") ==
          "decoder.layers.even.qkv._extra_state/shard_0_2 decoder.layers.even.qkv._extra_state/shard_1_2 "
          "decoder.layers.odd.qkv._extra_state/shard_0_1");
}

TEST_CASE("counted layers: what no layout could hold is refused before the tensors are looked at") {
    test::MemoryFileSystem fs = counted_model(12);
    CHECK(test::convert(fs, counted_family(), to_torch_dist()).error().message ==
          "the mine model needs vocab < 9 here: it is small");
    CHECK(test::convert(fs, counted_family(), test::options("hf", "mg", 2)).error().message ==
          "the mine model needs vocab < 9 here: it is small");
}

TEST_CASE("a weight twice: it is read where it is first, however the ranks cut it, and the other is compared") {
    test::MemoryFileSystem fs = counted_model();
    auto options = test::options("hf", "mg", 4);
    options.topology.kv_sharing = ckpt::KvSharing::split;
    auto done = test::convert(fs, counted_family(), options);
    REQUIRE_MESSAGE(done, done.error().text());
    check_way_back(fs);
    ckpt::Source source = test::open(fs, counted_family(), "mg");
    const auto& k = source.binding.tensors[*source.model.tensor("k", 1)];
    // 12 rows on 4 ranks: q0 q1 q2 / q3 q4 q5 / q6 q7 k0 / k1 k0 k1.
    REQUIRE(k.pieces.size() == 2);
    REQUIRE(k.replicas.size() == 1);
    CHECK(k.replicas[0].extent == ckpt::Shape{2, 2});
    CHECK(k.replicas[0].in_stored == ckpt::Shape{1, 0});
    // Training may leave the second as it is, or not: it is not read.
    const auto& stored = source.index.tensors[k.replicas[0].tensor];
    base::Path path = source.index.files[stored.file]->path();
    std::string content = fs.content(path);
    std::size_t at = stored.offset + 2 * 2 * 2;  // the rank's last row
    content[at] = static_cast<char>(content[at] ^ 1);
    fs.add(path, std::move(content));
    test::MemoryFileSystem copy = fs;
    REQUIRE(test::convert(copy, counted_family(), test::options("mg", "again")));
    CHECK(test::tensors_of(copy, "again") == test::tensors_of(copy, "hf"));
    ckpt::Source trained = test::open(fs, counted_family(), "mg");
    auto differences = ckpt::check_values({&trained.index, &trained.binding, &trained.model}, {});
    REQUIRE(differences);
    auto of_k = std::find_if(differences->begin(), differences->end(),
                             [](const auto& difference) { return difference.tensor == "layers.1.k"; });
    REQUIRE(of_k != differences->end());
    CHECK(of_k->what.starts_with("copies on other ranks are not the same: 1 of 4 values differ, first at [1, 0]"));
}
