#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/plan/source_layout.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

using ckpt::ChunkPosition;
using ckpt::LayerSlot;
using ckpt::MegatronCheckpoint;

namespace {

using Slots = std::vector<LayerSlot>;

// What find_layout looks at, without files: names, shapes of embeddings, arguments.
class Checkpoint {
public:
    Checkpoint(int tp, int pp, std::uint32_t chunks = 1) {
        checkpoint.directory = "mg/iter_0000001";
        checkpoint.tp = tp;
        checkpoint.pp = pp;
        checkpoint.virtual_stages = chunks > 1;
        for (int p = 0; p < pp; ++p) {
            for (int t = 0; t < tp; ++t)
                checkpoint.ranks.push_back({t, p, static_cast<std::uint32_t>(p * tp + t), chunks});
        }
        for (int t = 0; t < tp; ++t) add(0, t, 0, "embedding.word_embeddings.weight", {10, 4});
        args("{}");
    }

    Checkpoint& add(int pp, int tp, std::uint32_t chunk, const std::string& name, ckpt::Shape shape = {4}) {
        std::string key = ckpt::chunk_key(checkpoint.virtual_stages, chunk);
        auto file = static_cast<std::uint32_t>(pp * checkpoint.tp + tp);
        checkpoint.index.tensors.push_back({key + "/" + name, ckpt::DType::bf16, std::move(shape), file, 0, {}});
        return *this;
    }
    // The layers with these numbers, on all TP ranks.
    Checkpoint& layers(int pp, std::uint32_t chunk, const std::vector<int>& numbers) {
        for (int tp = 0; tp < checkpoint.tp; ++tp) {
            for (int number : numbers)
                add(pp, tp, chunk, base::format("decoder.layers.{}.mlp.linear_fc2.weight", number));
        }
        return *this;
    }
    Checkpoint& head(int pp, std::uint32_t chunk) {
        for (int tp = 0; tp < checkpoint.tp; ++tp) add(pp, tp, chunk, "decoder.final_layernorm.weight");
        return *this;
    }
    Checkpoint& args(const std::string& json) {
        checkpoint.args = base::parse_json(json, "args")->root;
        return *this;
    }

    base::Result<ckpt::FoundLayout> find() const {
        return ckpt::find_layout(checkpoint, **test::knowledge().families.for_name("llama2"),
                                 test::knowledge().targets);
    }
    ckpt::FoundLayout found() const {
        auto layout = find();
        REQUIRE_MESSAGE(layout, layout.error().text());
        return *layout;
    }
    base::Error error() const {
        auto layout = find();
        REQUIRE_FALSE(layout);
        CHECK(layout.error().kind == base::ErrorKind::bad_input);
        CHECK(layout.error().where == "mg/iter_0000001");
        return layout.error();
    }

    MegatronCheckpoint checkpoint;
};

}  // namespace

TEST_CASE("source layout: stages, layers and vocabulary are found from the names and shapes alone") {
    auto found = Checkpoint(2, 2).layers(0, 0, {0}).layers(1, 0, {0, 1, 2}).head(1, 0).found();
    CHECK(found.layers == 4);
    CHECK(found.parallel.tp == 2);
    CHECK(found.parallel.padded_vocab == 20);
    CHECK(found.parallel.placement.slots == 4);
    CHECK(found.parallel.placement.stages[0][0] == Slots{{0, 0}});
    CHECK(found.parallel.placement.stages[1][0] == Slots{{0, 1}, {1, 2}, {2, 3}});
    CHECK(found.parallel.placement.head == ChunkPosition{1, 0});
    CHECK(found.parallel.dialect == ckpt::Dialect{"mcore", {0, 16}, "local", false});
}

TEST_CASE("source layout: names that count the layers by themselves leave it to the arguments how many there are") {
    Checkpoint adapter(1, 1);
    adapter.checkpoint.torch_dist = true;
    adapter.checkpoint.index.tensors.clear();
    adapter.add(0, 0, 0, "decoder.layers.1.self_attention_global.linear_qkv.weight", {8, 4});
    auto layers = [&](const char* args) {
        adapter.args(args);
        auto found = ckpt::find_layout(adapter.checkpoint, **test::knowledge().families.for_name("gemma4"),
                                       test::knowledge().targets);
        REQUIRE_MESSAGE(found, found.error().text());
        return found->layers;
    };
    CHECK(layers(R"({"num_layers": 12})") == 12);
    CHECK(layers("{}") == 0);
    adapter.add(0, 0, 0, "decoder.layers.3.mlp.linear_fc2.weight");
    CHECK(layers("{}") == 1);
}

TEST_CASE("source layout: virtual stages run through all ranks before the next chunk") {
    auto found =
        Checkpoint(1, 2, 2).layers(0, 0, {0}).layers(1, 0, {0}).layers(0, 1, {0}).layers(1, 1, {0}).head(1, 1).found();
    CHECK(found.parallel.placement.virtual_stages);
    CHECK(found.parallel.placement.stages[0] == std::vector<Slots>{{{0, 0}}, {{0, 2}}});
    CHECK(found.parallel.placement.stages[1] == std::vector<Slots>{{{0, 1}}, {{0, 3}}});
}

TEST_CASE("source layout: a head on the second chunk of the first rank is dualpipev") {
    auto found = Checkpoint(1, 2, 2)
                     .layers(0, 0, {0, 1})
                     .layers(1, 0, {0, 1})
                     .layers(0, 1, {0, 1})
                     .layers(1, 1, {0, 1})
                     .head(0, 1)
                     .found();
    CHECK(found.parallel.placement.head == ChunkPosition{0, 1});
    CHECK(found.parallel.placement.stages[0] == std::vector<Slots>{{{0, 0}, {1, 1}}, {{0, 6}, {1, 7}}});
    CHECK(found.parallel.placement.stages[1] == std::vector<Slots>{{{0, 2}, {1, 3}}, {{0, 4}, {1, 5}}});
    // On one rank the second chunk is simply the last.
    auto one = Checkpoint(1, 1, 2).layers(0, 0, {0}).layers(0, 1, {0}).head(0, 1).found();
    CHECK(one.parallel.placement.stages[0] == std::vector<Slots>{{{0, 0}}, {{0, 1}}});
}

TEST_CASE("source layout: gaps in the layer numbers are noop layers, also whole chunks") {
    Checkpoint gaps(1, 2);
    gaps.layers(0, 0, {1, 2}).layers(1, 0, {0, 2}).head(1, 0).args(R"({"num_layers": 6, "noop_layers": "0,4"})");
    auto found = gaps.found();
    CHECK(found.layers == 4);
    CHECK(found.parallel.placement.slots == 6);
    CHECK(found.parallel.placement.stages[0][0] == Slots{{1, 0}, {2, 1}});
    CHECK(found.parallel.placement.stages[1][0] == Slots{{0, 2}, {2, 3}});
    gaps.args(R"({"num_layers": 6, "noop_layers": [0, 4]})");
    CHECK(gaps.found().parallel.placement.slots == 6);

    auto empty = Checkpoint(1, 2, 2).layers(0, 0, {0}).layers(1, 0, {0}).layers(0, 1, {0}).head(1, 1);
    empty.args(R"({"num_layers": 4, "noop_layers": "3", "virtual_pipeline_model_parallel_size": 2})");
    CHECK(empty.found().parallel.placement.stages[1] == std::vector<Slots>{{{0, 1}}, {}});
}

TEST_CASE("source layout: saved arguments that contradict the files are named") {
    Checkpoint plain(1, 2);
    plain.layers(0, 0, {0, 1}).layers(1, 0, {0, 1}).head(1, 0);
    CHECK(plain.args(R"({"num_layers": 5})").error().message ==
          "the saved arguments say num_layers = 5, but the checkpoint holds 4 layers");
    CHECK(plain.args(R"({"num_layers": 4, "noop_layers": "1"})").error().message ==
          "the saved arguments say num_layers = 4 with 1 noop layers, but the checkpoint holds 4 layers");
    CHECK(plain.args(R"({"num_layers": 4, "virtual_pipeline_model_parallel_size": 2})").error().message ==
          "the saved arguments say virtual_pipeline_model_parallel_size = 2, but the rank files hold 1 model chunk");
    CHECK(plain.args(R"({"num_layers": -9223372036854775808, "noop_layers": "1"})").error().message ==
          "the saved arguments say num_layers = -9223372036854775808 with 1 noop layers, but the checkpoint holds 4 "
          "layers");
    Checkpoint chunks(1, 2, 2);
    chunks.layers(0, 0, {0}).layers(1, 0, {0}).layers(0, 1, {0}).layers(1, 1, {0}).head(1, 1);
    CHECK(chunks.args(R"({"virtual_pipeline_model_parallel_size": 4})").error().message ==
          "the saved arguments say virtual_pipeline_model_parallel_size = 4, but the rank files hold 2 model chunks");
    CHECK(chunks.args(R"({"num_layers": 4, "virtual_pipeline_model_parallel_size": null})").found().layers == 4);
}

TEST_CASE("source layout: a final norm in the wrong place is refused") {
    const std::string kRest =
        "; they belong on the last chunk of the last rank, or with dualpipev on the second chunk of the first";
    const std::string kStart = "the final norm and the output layer are on pipeline rank ";
    auto two = [] { return Checkpoint(1, 2).layers(0, 0, {0}).layers(1, 0, {0}); };
    CHECK(two().head(0, 0).error().message == kStart + "0, chunk 0" + kRest);
    CHECK(two().head(0, 0).head(1, 0).error().message == kStart + "0, chunk 0 and elsewhere" + kRest);
    auto four = [] {
        return Checkpoint(1, 2, 2).layers(0, 0, {0}).layers(1, 0, {0}).layers(0, 1, {0}).layers(1, 1, {0});
    };
    CHECK(four().head(1, 0).error().message == kStart + "1, chunk 0" + kRest);
    CHECK(four().head(0, 1).head(1, 1).error().message == kStart + "0, chunk 1 and elsewhere" + kRest);
}

TEST_CASE("source layout: TP ranks with different layers are refused") {
    Checkpoint ranks(2, 1);
    ranks.layers(0, 0, {0, 1}).head(0, 0).add(0, 1, 0, "decoder.layers.2.mlp.linear_fc2.weight");
    CHECK(ranks.error().message == "pipeline rank 0: TP ranks 0 and 1 hold different layers");
}
