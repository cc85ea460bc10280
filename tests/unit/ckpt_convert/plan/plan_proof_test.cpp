#include <doctest/doctest.h>

#include <functional>
#include <memory>

#include "base/data_store.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/plan/plan_proof.h"
#include "tests/unit/ckpt_convert/tiny_hf.h"

namespace {

struct Planned {
    test::MemoryFileSystem fs;
    base::DataStore store;
    ckpt::MappingRegistry registry;
    ckpt::TensorIndex index;
    ckpt::ConversionPlan plan;
};

std::unique_ptr<Planned> tiny_plan() {
    auto out = std::make_unique<Planned>();
    test::add_tiny_hf(out->fs, "hf", {});
    out->registry = *ckpt::MappingRegistry::load(out->store);
    auto checkpoint = ckpt::open_hf_checkpoint(out->fs, "hf");
    REQUIRE(checkpoint);
    const ckpt::ModelMapping& mapping = **out->registry.for_config(checkpoint->config);
    ckpt::Model model = *ckpt::Model::make(mapping, *ckpt::values_from_config(mapping, checkpoint->config));
    ckpt::Topology topology;
    ckpt::ParallelLayout parallel;
    parallel.tp = topology.tp = 2;
    parallel.placement = *ckpt::place_layers(topology, model.layers());
    out->index = checkpoint->index;
    auto nothing = [](std::string_view) { return std::optional<std::string>(); };
    auto source = ckpt::bind_source(model, out->index, *ckpt::hf_layout(model), nothing);
    REQUIRE(source);
    auto plan = ckpt::make_plan(model, out->index, *source, *ckpt::mcore_layout(model, parallel), {});
    REQUIRE(plan);
    out->plan = std::move(*plan);
    return out;
}

ckpt::LogicalMove& move_of(ckpt::ConversionPlan& plan, const std::string& name) {
    for (auto& move : plan.moves) {
        if (move.name == name) return move;
    }
    FAIL("no such weight: ", name);
    return plan.moves.front();
}

}  // namespace

TEST_CASE("plan proof: a sound plan passes, and every seeded defect is found") {
    auto planned = tiny_plan();
    REQUIRE(ckpt::prove_plan(planned->plan, planned->index));
    using Defect = std::function<void(ckpt::ConversionPlan&)>;
    const std::pair<std::string, Defect> defects[] = {
        {"a target piece is lost", [](auto& plan) { move_of(plan, "layers.0.attention.q").targets.pop_back(); }},
        {"a target piece is there twice",
         [](auto& plan) {
             auto& t = move_of(plan, "layers.0.mlp.up").targets;
             t.push_back(t.front());
         }},
        {"two target pieces overlap",
         [](auto& plan) { move_of(plan, "layers.0.mlp.up").targets.front().in_stored[0] = 0; }},
        {"a target piece leaves its tensor",
         [](auto& plan) { move_of(plan, "layers.0.mlp.down").targets.front().in_stored[1] = 1; }},
        {"a piece leaves the logical tensor",
         [](auto& plan) { move_of(plan, "layers.1.mlp.down").targets.front().in_logical[0] = 1; }},
        {"a source is lost", [](auto& plan) { move_of(plan, "embedding").sources.clear(); }},
        {"a source is read in part", [](auto& plan) { move_of(plan, "embedding").sources.front().extent[0] -= 1; }},
        {"a source is read twice",
         [](auto& plan) {
             auto& s = move_of(plan, "head").sources;
             s.push_back(s.front());
         }},
        {"an extent overflows",
         [](auto& plan) { move_of(plan, "final_norm").sources.front().in_stored[0] = UINT64_MAX; }},
        {"a target has no piece",
         [](auto& plan) {
             plan.targets.push_back({"extra", 0, ckpt::DType::bf16, {2, 2}});
         }},
    };
    for (const auto& [what, defect] : defects) {
        CAPTURE(what);
        ckpt::ConversionPlan broken = planned->plan;
        defect(broken);
        auto proof = ckpt::prove_plan(broken, planned->index);
        REQUIRE_FALSE(proof);
        CHECK(proof.error().kind == base::ErrorKind::internal);
    }
}

TEST_CASE("plan: bytes read and written are each counted once") {
    auto planned = tiny_plan();
    CHECK(planned->plan.source_bytes() == planned->index.total_bytes());
    // Norms are on both TP ranks: 2 per layer and the final one.
    CHECK(planned->plan.target_bytes() == planned->index.total_bytes() + (4 * 2 + 1) * 16 * 2);
}
