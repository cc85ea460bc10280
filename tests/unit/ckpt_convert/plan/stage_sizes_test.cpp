#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/plan/stage_sizes.h"

using ckpt::ChunkPosition;
using ckpt::Topology;

namespace {

Topology pipeline(int pp) {
    Topology topology;
    topology.pp = pp;
    return topology;
}

// The layers of each chunk of each rank: "[0 1][4 5] / [2 3][6 7]".
std::string stages(const Topology& topology, std::uint32_t layers) {
    auto placement = ckpt::place_layers(topology, layers);
    REQUIRE_MESSAGE(placement, placement.error().text());
    std::vector<std::string> ranks;
    for (const auto& rank : placement->stages) {
        ranks.emplace_back();
        for (const auto& chunk : rank) {
            std::vector<std::uint32_t> numbers;
            for (std::size_t i = 0; i < chunk.size(); ++i) {
                numbers.push_back(chunk[i].layer);
                if (topology.noop_layers.empty()) CHECK(chunk[i].local == i);
            }
            ranks.back() += "[" + base::joined(numbers, " ") + "]";
        }
    }
    CHECK(placement->virtual_stages == (placement->chunks() > 1));
    return base::joined(ranks, " / ");
}

std::string error_of(const Topology& topology, std::uint32_t layers) {
    auto sizes = ckpt::stage_sizes(topology, layers);
    REQUIRE_FALSE(sizes);
    CHECK(sizes.error().kind == base::ErrorKind::usage);
    return sizes.error().message;
}

ChunkPosition head(const Topology& topology, std::uint32_t layers) {
    return ckpt::place_layers(topology, layers)->head;
}

}  // namespace

TEST_CASE("stages: even, with and without virtual stages") {
    CHECK(stages(pipeline(1), 3) == "[0 1 2]");
    CHECK(stages(pipeline(4), 8) == "[0 1] / [2 3] / [4 5] / [6 7]");

    // Layer g is in chunk g/n/P of stage g%(P*n)/n.
    Topology by_layers = pipeline(2), by_number = pipeline(2);
    by_layers.layers_per_virtual_stage = 2;
    by_number.virtual_stages = 2;
    CHECK(stages(by_layers, 8) == "[0 1][4 5] / [2 3][6 7]");
    CHECK(stages(by_number, 8) == "[0 1][4 5] / [2 3][6 7]");
    CHECK(head(by_number, 8) == ChunkPosition{1, 1});
    by_layers.layers_per_virtual_stage = 1;
    CHECK(stages(by_layers, 8) == "[0][2][4][6] / [1][3][5][7]");

    Topology one_rank = pipeline(1);
    one_rank.layers_per_virtual_stage = 2;
    CHECK(stages(one_rank, 4) == "[0 1][2 3]");
}

TEST_CASE("stages: one number per rank") {
    Topology list = pipeline(3);
    list.layers_per_stage = {3, 1, 4};
    CHECK(stages(list, 8) == "[0 1 2] / [3] / [4 5 6 7]");
    list.layers_per_stage = {0, 4, 0};
    CHECK(stages(list, 4) == "[] / [0 1 2 3] / []");
    CHECK(head(list, 4) == ChunkPosition{2, 0});
}

TEST_CASE("stages: first and last rank, the rest shared evenly") {
    Topology both = pipeline(4);
    both.first_stage_layers = 1;
    both.last_stage_layers = 3;
    CHECK(stages(both, 10) == "[0] / [1 2 3] / [4 5 6] / [7 8 9]");
    Topology first = pipeline(3);
    first.first_stage_layers = 1;
    CHECK(stages(first, 7) == "[0] / [1 2 3] / [4 5 6]");
    Topology last = pipeline(3);
    last.last_stage_layers = 1;
    CHECK(stages(last, 7) == "[0 1 2] / [3 4 5] / [6]");

    // Megatron: offset = vs*T + a/W + (pr - 1)*(Lm/W/m), T = a/W + Lm/W + b/W; here a = 2, b = 4, Lm = 6, W = 2, T = 6.
    Topology chunks = pipeline(3);
    chunks.first_stage_layers = 2;
    chunks.last_stage_layers = 4;
    chunks.virtual_stages = 2;
    CHECK(stages(chunks, 12) == "[0][6] / [1 2 3][7 8 9] / [4 5][10 11]");

    Topology only_two = pipeline(2);
    only_two.first_stage_layers = 3;
    only_two.last_stage_layers = 1;
    CHECK(stages(only_two, 4) == "[0 1 2] / [3]");
}

TEST_CASE("stages: embedding and loss count as layers of the first and the last chunk") {
    Topology both = pipeline(4);
    both.count_embedding = both.count_loss = true;
    CHECK(stages(both, 6) == "[0] / [1 2] / [3 4] / [5]");
    Topology embedding = pipeline(2);
    embedding.count_embedding = true;
    CHECK(stages(embedding, 5) == "[0 1] / [2 3 4]");
    Topology loss = pipeline(2);
    loss.count_loss = true;
    CHECK(stages(loss, 5) == "[0 1 2] / [3 4]");
    CHECK(stages(loss, 1) == "[0] / []");
    both = pipeline(2);
    both.count_embedding = both.count_loss = true;
    both.virtual_stages = 2;
    CHECK(stages(both, 14) == "[0 1 2][7 8 9 10] / [3 4 5 6][11 12 13]");
}

TEST_CASE("stages: Megatron's own notation; entry vs*P + pr is chunk vs of rank pr") {
    Topology written = pipeline(2);
    written.pipeline_layout = "Et|tt|tt|L";
    CHECK(stages(written, 5) == "[0][3 4] / [1 2][]");
    CHECK(head(written, 5) == ChunkPosition{1, 1});
    written.pp = 4;
    CHECK(stages(written, 5) == "[0] / [1 2] / [3 4] / []");
    written.pipeline_layout = "E|(t|)*2,L";
    CHECK(stages(written, 2) == "[] / [0] / [1] / []");
}

TEST_CASE("stages: dualpipev takes from the front and from the back; the head comes back to the first rank") {
    Topology dual = pipeline(2);
    dual.dualpipev = true;
    CHECK(stages(dual, 8) == "[0 1][6 7] / [2 3][4 5]");
    CHECK(head(dual, 8) == ChunkPosition{0, 1});
    dual.pp = 4;
    CHECK(stages(dual, 8) == "[0][7] / [1][6] / [2][5] / [3][4]");
}

TEST_CASE("stages: noop layers keep their place; a chunk may hold nothing else") {
    // The peer's example: P = 2, noop 0 and 9 of 10.
    Topology noop = pipeline(2);
    noop.noop_layers = {0, 9};
    auto placement = ckpt::place_layers(noop, 8);
    REQUIRE(placement);
    using LayerSlots = std::vector<ckpt::LayerSlot>;
    CHECK(placement->slots == 10);
    CHECK(placement->stages[0][0] == LayerSlots{{1, 0}, {2, 1}, {3, 2}, {4, 3}});
    CHECK(placement->stages[1][0] == LayerSlots{{0, 4}, {1, 5}, {2, 6}, {3, 7}});

    noop.noop_layers = {3, 2};
    noop.layers_per_virtual_stage = 1;
    CHECK(stages(noop, 2) == "[0][] / [1][]");
    Topology dual = pipeline(2);
    dual.dualpipev = true;
    dual.noop_layers = {7};
    CHECK(stages(dual, 7) == "[0 1][6] / [2 3][4 5]");
}

TEST_CASE("stages: what does not come out even is refused") {
    Topology t = pipeline(2);
    t.virtual_stages = 3;
    CHECK(error_of(t, 8) == "the 4 layers of a pipeline rank do not divide over 3 virtual stages");
    t = pipeline(2);
    t.layers_per_virtual_stage = 4;
    CHECK(error_of(t, 8) ==
          "--num-layers-per-virtual-pipeline-stage 4 must divide the 4 layers of a pipeline rank and be smaller");
    t = pipeline(2);
    t.dualpipev = true;
    CHECK(error_of(t, 6) == "the 3 layers of a pipeline rank do not divide over 2 chunks, which dualpipev needs");
    t = pipeline(4);
    t.first_stage_layers = 1;
    t.last_stage_layers = 2;
    CHECK(error_of(t, 10) ==
          "the first and the last stage take 3 of 10 layers; the rest does not divide over 2 other pipeline ranks");
    t.last_stage_layers = 4294967295;
    CHECK(error_of(t, 10) ==
          "the first and the last stage take 4294967296 of 10 layers; the rest does not divide over 2 other pipeline "
          "ranks");
    t.pp = 1;
    CHECK(error_of(t, 10) == "1 pipeline ranks have no first and last stage");
    t = pipeline(2);
    t.first_stage_layers = 3;
    t.virtual_stages = 2;
    CHECK(error_of(t, 8) == "the 3 layers of pipeline rank 0 do not divide over 2 virtual stages");
    t = pipeline(2);
    t.count_loss = true;
    CHECK(error_of(t, 8) == "8 layers with embedding and loss counted make 9, which do not divide over 2 stages");
    t = pipeline(2);
    t.pipeline_layout = "Et|t|tL";
    CHECK(error_of(t, 3) ==
          "--pipeline-model-parallel-layout has 3 stages with 3 decoder layers; the model has 3 layers, and the stages "
          "must be a multiple of 2 pipeline ranks");
    t.pipeline_layout = "Et|tL";
    CHECK(error_of(t, 3) ==
          "--pipeline-model-parallel-layout has 2 stages with 2 decoder layers; the model has 3 layers, and the stages "
          "must be a multiple of 2 pipeline ranks");
}

TEST_CASE("stages: ways that exclude each other are refused") {
    Topology t = pipeline(2);
    t.layers_per_stage = {2, 2};
    t.count_loss = true;
    CHECK(error_of(t, 4) ==
          "only one way of uneven stages can be given: --num-layer-list, first and last stage sizes, counting the "
          "embedding and the loss, or --pipeline-model-parallel-layout");
    t = pipeline(2);
    t.layers_per_stage = {2, 2};
    t.virtual_stages = 2;
    CHECK(error_of(t, 4) == "--num-layer-list cannot be combined with virtual pipeline stages");
    t = pipeline(2);
    t.layers_per_virtual_stage = 1;
    t.virtual_stages = 2;
    CHECK(error_of(t, 4) == "virtual stages are given twice: by their layers and by their number");
    t = pipeline(2);
    t.first_stage_layers = 2;
    t.layers_per_virtual_stage = 1;
    CHECK(error_of(t, 4) ==
          "with uneven stages, give the number of virtual stages: --num-virtual-stages-per-pipeline-rank, not "
          "--num-layers-per-virtual-pipeline-stage");
    t = pipeline(2);
    t.pipeline_layout = "Ett|ttL";
    t.virtual_stages = 2;
    CHECK(error_of(t, 4) == "--pipeline-model-parallel-layout says itself how many virtual stages there are");
    t = pipeline(2);
    t.count_embedding = true;
    t.noop_layers = {0};
    CHECK(error_of(t, 4) == "--noop-layers needs even stages");
    t = pipeline(2);
    t.dualpipev = true;
    t.virtual_stages = 2;
    CHECK(error_of(t, 4) == "dualpipev lays the layers out by itself: even stages, two chunks each");
    t = pipeline(1);
    t.dualpipev = true;
    CHECK(error_of(t, 4) == "dualpipev needs a pipeline parallel size of at least 2");
}

TEST_CASE("stages: sizes whose product exceeds 32 bits are refused, not computed with") {
    Topology t = pipeline(65536);
    t.virtual_stages = 65536;
    t.count_loss = true;
    CHECK(error_of(t, 4) ==
          "4 layers with embedding and loss counted make 5, which do not divide over 4294967296 stages");
    t = pipeline(65536);
    t.virtual_stages = 65536;
    t.first_stage_layers = 4;
    CHECK(error_of(t, 4) == "65536 virtual stages are more than the model's 4 layers");
}
