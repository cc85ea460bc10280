#include <doctest/doctest.h>

#include "ckpt_convert/plan/topology.h"

using ckpt::LayerSlot;
using ckpt::Topology;

namespace {

std::string placing_error(const Topology& topology, std::uint32_t layers) {
    auto placement = ckpt::place_layers(topology, layers);
    REQUIRE_FALSE(placement);
    CHECK(placement.error().kind == base::ErrorKind::usage);
    return placement.error().message;
}

Topology stages_only(int pp) {
    Topology topology;
    topology.pp = pp;
    return topology;
}

}  // namespace

TEST_CASE("placement: even, uneven, virtual stages, noop layers") {
    auto even = ckpt::place_layers(stages_only(2), 4);
    REQUIRE(even);
    CHECK(even->stages[1][0] == std::vector<LayerSlot>{{0, 2}, {1, 3}});

    Topology uneven = stages_only(2);
    uneven.layers_per_stage = {3, 5};
    auto listed = ckpt::place_layers(uneven, 8);
    REQUIRE(listed);
    CHECK(listed->stages[0][0].size() == 3);
    CHECK(listed->stages[1][0].front() == LayerSlot{0, 3});

    // Chunk 0 of both ranks runs before chunk 1 of the first.
    Topology interleaved = stages_only(2);
    interleaved.layers_per_virtual_stage = 1;
    auto virtual_stages = ckpt::place_layers(interleaved, 4);
    REQUIRE(virtual_stages);
    CHECK(virtual_stages->virtual_stages);
    CHECK(virtual_stages->stages[0][1] == std::vector<LayerSlot>{{0, 2}});
    CHECK(virtual_stages->stages[1][0] == std::vector<LayerSlot>{{0, 1}});

    // A noop layer leaves a gap in the local numbers.
    Topology padded = stages_only(2);
    padded.noop_layers = {0, 5};
    auto noop = ckpt::place_layers(padded, 4);
    REQUIRE(noop);
    CHECK(noop->slots == 6);
    CHECK(noop->stages[0][0] == std::vector<LayerSlot>{{1, 0}, {2, 1}});
    CHECK(noop->stages[1][0] == std::vector<LayerSlot>{{0, 2}, {1, 3}});
}

TEST_CASE("placement: what does not divide is refused, never rounded") {
    CHECK(placing_error(stages_only(3), 8) ==
          "8 layers do not divide over 3 pipeline ranks; use --num-layer-list with 3 numbers that sum up to 8, or "
          "--noop-layers to fill up to 9");
    Topology list = stages_only(2);
    list.layers_per_stage = {3, 4};
    CHECK(placing_error(list, 8) ==
          "--num-layer-list must have 2 entries, one per pipeline rank, that sum up to 8 layers; it has 2 entries and "
          "sums up to 7");
    list.noop_layers = {0};
    CHECK(placing_error(list, 8) == "--noop-layers needs even stages");
    // The peer writes 6 of these 8 layers and reports success.
    Topology lossy = stages_only(2);
    lossy.layers_per_virtual_stage = 3;
    CHECK(placing_error(lossy, 8) ==
          "--num-layers-per-virtual-pipeline-stage 3 must divide the 4 layers of a pipeline rank and be smaller");
    Topology noop = stages_only(1);
    noop.noop_layers = {9};
    CHECK(placing_error(noop, 8) == "--noop-layers: 9 is beyond the end; the padded model has the layers 0 to 8");
    noop.noop_layers = {1, 1};
    CHECK(placing_error(noop, 8) == "--noop-layers: 1 is named twice; the padded model has the layers 0 to 9");
}
