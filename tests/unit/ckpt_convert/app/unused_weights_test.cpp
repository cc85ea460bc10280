// Weights with which the model computes nothing: some checkpoints have them, some have zeros in their place, some neither.
#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/execute/comparer.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"
#include "tests/unit/ckpt_convert/app/own_family.h"

namespace {

using ckpt::DType;

// The last layer uses no keys; two rows of positions are there on one side only.
constexpr const char* kFamilyUnused = R"({
  "schema": "model-mapping/1", "family": "mine", "title": "t", "model_types": ["mine"], "layers_apart": "apart",
  "values": {"layers": {"config": "n", "arg": "num_layers"}, "vocab": {"config": "vocab"}, "kv_groups": {"default": 2},
             "apart": {"config": "apart", "default": 0}, "idle": {"each": "layer", "default": "layer + 1 == layers"}},
  "weights": {"embedding": {"shape": ["vocab", "2"]}, "offset": {"shape": ["2", "2"], "unused": true}, "positions": {"shape": ["3", "2"]},
              "q": {"each": "layer", "shape": ["4", "2"]}, "k": {"each": "layer", "shape": ["2", "2"], "unused": "idle"}},
  "hf": [{"name": "embed", "of": "embedding"}, {"name": "pos", "of": ["offset", "positions"]},
         {"name": "q.{layer}", "of": "q", "each": "layer"}, {"name": "k.{layer}", "of": "k", "each": "layer"}],
  "mcore": [
    {"name": "embedding.word_embeddings.weight", "of": "embedding", "stage": "first", "shard": 0, "pad": "padded_vocab"},
    {"name": "embedding.position_embeddings.weight", "of": "positions"},
    {"name": {"rank_files": "decoder.layers.{local_layer}.qk.weight", "torch_dist": "decoder.layers.{nth}.idle.qk.weight"}, "of": ["q", "k"],
     "interleave": "kv_groups", "each": "layer", "shard": 0, "when": "idle"},
    {"name": {"rank_files": "decoder.layers.{local_layer}.qk.weight", "torch_dist": "decoder.layers.{nth}.busy.qk.weight"}, "of": ["q", "k"],
     "interleave": "kv_groups", "each": "layer", "shard": 0, "when": "!idle"}],
  "args": {"num_layers": "=slots"}
})";

const ckpt::Knowledge& unused_family() {
    static const ckpt::Knowledge instance = test::knowledge_with(kFamilyUnused);
    return instance;
}

test::MemoryFileSystem unused_model(bool with_idle = false, int apart = 0) {
    std::vector<ckpt::SafetensorsTensor> tensors{
        {"embed", DType::bf16, {4, 2}}, {"pos", DType::bf16, {5, 2}}, {"q.0", DType::bf16, {4, 2}},
        {"k.0", DType::bf16, {2, 2}},   {"q.1", DType::bf16, {4, 2}},
    };
    if (with_idle) tensors.push_back({"k.1", DType::bf16, {2, 2}});
    return test::checkpoint_of(tensors,
                               base::format(R"({{"model_type": "mine", "n": 2, "vocab": 4, "apart": {}}})", apart));
}

std::string notes(const base::Result<ckpt::ConvertSummary>& done) {
    REQUIRE_MESSAGE(done, done.error().text());
    std::vector<std::string> out;
    for (const std::string& note : done->notes) {
        if (note.find("computes nothing") != note.npos) out.push_back(note);
    }
    return base::joined(out, "\n");
}

std::string bytes_of(test::MemoryFileSystem& fs, const std::string& name) {
    return test::tensors_of(fs, "hf").at(name).substr(6);  // behind the shape, "[4, 2]"
}

}  // namespace

TEST_CASE("unused weights: zeros where the target has a place for them, and nothing lost where it has none") {
    test::MemoryFileSystem fs = unused_model();
    CHECK(notes(test::convert(fs, unused_family(), test::options("hf", "mg", 2))) ==
          "without a place in the target, but the model computes nothing with it: offset\n"
          "filled with zeros, as the model computes nothing with it: layers.1.k");
    auto found = test::megatron_tensors(fs, "mg");
    std::string q = bytes_of(fs, "q.1"), k = bytes_of(fs, "k.0"), zeros(4, '\0');
    CHECK(found["mp_rank_00 model/decoder.layers.1.qk.weight"] == q.substr(0, 8) + zeros);
    CHECK(found["mp_rank_01 model/decoder.layers.1.qk.weight"] == q.substr(8) + zeros);
    CHECK(found["mp_rank_01 model/decoder.layers.0.qk.weight"] == bytes_of(fs, "q.0").substr(8) + k.substr(4));
    CHECK(found["mp_rank_00 model/embedding.position_embeddings.weight"] == bytes_of(fs, "pos").substr(8));
}

TEST_CASE("unused weights: on the way back tensors of nothing else are left out, and rows of others are zeros") {
    test::MemoryFileSystem fs = unused_model();
    REQUIRE(test::convert(fs, unused_family(), test::options("hf", "mg", 2)));
    CHECK(notes(test::convert(fs, unused_family(), test::options("mg", "back"))) ==
          "without a place in the target, but the model computes nothing with it: layers.1.k\n"
          "filled with zeros, as the model computes nothing with it: offset");
    auto wanted = test::tensors_of(fs, "hf");
    wanted["pos"].replace(6, 8, 8, '\0');
    CHECK(test::tensors_of(fs, "back") == wanted);
    ckpt::Source a = test::open(fs, unused_family(), "mg"), b = test::open(fs, unused_family(), "hf");
    auto differences =
        ckpt::compare({&a.index, &a.binding, &a.model}, {&b.index, &b.binding, &b.model}, ckpt::CompareOptions());
    REQUIRE(differences);
    CHECK(differences->empty());
}

TEST_CASE("unused weights: a Hugging Face checkpoint that has them all the same is read without them") {
    test::MemoryFileSystem fs = unused_model(true);
    CHECK(notes(test::convert(fs, unused_family(), test::options("hf", "mg"))) ==
          "1 source tensor is left out, with which the model computes nothing: k.1\n"
          "without a place in the target, but the model computes nothing with it: offset\n"
          "filled with zeros, as the model computes nothing with it: layers.1.k");
    CHECK(test::megatron_tensors(fs, "mg")["mp_rank_00 model/decoder.layers.1.qk.weight"].substr(8, 4) ==
          std::string(4, '\0'));
}

TEST_CASE("unused weights: from one Megatron layout to another they go on as they are") {
    test::MemoryFileSystem fs = unused_model();
    REQUIRE(test::convert(fs, unused_family(), test::options("hf", "mg", 2)));
    // As if training had left something there.
    base::Path path;
    auto checkpoint = ckpt::open_megatron_checkpoint(fs, "mg");
    REQUIRE(checkpoint);
    for (const auto& tensor : checkpoint->index.tensors) {
        path = checkpoint->index.files[tensor.file]->path();
        if (tensor.name != "model/decoder.layers.1.qk.weight" || path.find("mp_rank_01") == path.npos) continue;
        std::string content = fs.content(path);
        fs.add(path, content.replace(tensor.offset + 8, 4, "kept"));
    }
    CHECK(notes(test::convert(fs, unused_family(), test::reshard("mg", "whole"))) == "");
    auto found = test::megatron_tensors(fs, "whole");
    CHECK(found["mp_rank_00 model/decoder.layers.1.qk.weight"].substr(20) == "kept");
}

TEST_CASE("unused weights: layers that a value sets apart have their own numbers in torch_dist") {
    for (int apart : {0, 1}) {
        test::MemoryFileSystem fs = unused_model(false, apart);
        auto options = test::options("hf", "mg");
        options.to = ckpt::Side::megatron;
        options.torch_dist = true;
        options.target = "mcore";
        options.iteration = "release";
        REQUIRE(test::convert(fs, unused_family(), options));
        auto index = ckpt::read_torch_dist(fs, "mg/release");
        REQUIRE_MESSAGE(index, index.error().text());
        std::vector<std::string> found;
        for (const auto& tensor : index->tensors) {
            if (tensor.fqn.find("qk") != tensor.fqn.npos)
                found.push_back(tensor.fqn + " " + ckpt::to_string(tensor.shape));
        }
        std::sort(found.begin(), found.end());
        CHECK(base::joined(found, "\n") ==
              (apart == 1 ? "decoder.layers.0.busy.qk.weight [6, 2]\ndecoder.layers.1.idle.qk.weight [6, 2]"
                          : "decoder.layers.busy.qk.weight [1, 6, 2]\ndecoder.layers.idle.qk.weight [1, 6, 2]"));
        REQUIRE(test::convert(fs, unused_family(), test::options("mg", "back")));
        auto wanted = test::tensors_of(fs, "hf");
        wanted["pos"].replace(6, 8, 8, '\0');
        CHECK(test::tensors_of(fs, "back") == wanted);
    }
}
