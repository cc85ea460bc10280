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

std::unique_ptr<Planned> tiny_plan(std::uint64_t padded_vocab = 0) {
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
    parallel.padded_vocab = padded_vocab;
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
         [](auto& plan) { move_of(plan, "layers.0.mlp.up").targets.front().in_stored.set(0, 0); }},
        {"a target piece leaves its tensor",
         [](auto& plan) { move_of(plan, "layers.0.mlp.down").targets.front().in_stored.set(1, 1); }},
        {"a piece leaves the logical tensor",
         [](auto& plan) { move_of(plan, "layers.1.mlp.down").targets.front().in_logical.set(0, 1); }},
        {"a source is lost", [](auto& plan) { move_of(plan, "embedding").sources.clear(); }},
        {"a source is read in part",
         [](auto& plan) {
             auto& extent = move_of(plan, "embedding").sources.front().extent;
             extent.set(0, extent[0] - 1);
         }},
        {"a source is read twice",
         [](auto& plan) {
             auto& s = move_of(plan, "head").sources;
             s.push_back(s.front());
         }},
        {"an extent overflows",
         [](auto& plan) { move_of(plan, "final_norm").sources.front().in_stored.set(0, UINT64_MAX); }},
        {"a target has no piece",
         [](auto& plan) {
             plan.targets.push_back({std::string("extra"), 0, ckpt::DType::bf16, ckpt::Shape{2, 2}});
         }},
    };
    for (const auto& entry : defects) {
        const auto& what = entry.first;
        const auto& defect = entry.second;
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

TEST_CASE("plan proof: padding is proven like everything else") {
    auto planned = tiny_plan(40);  // 32 rows of vocabulary: 20 on the first rank, 12 and 8 of padding on the second
    REQUIRE(ckpt::prove_plan(planned->plan, planned->index));
    REQUIRE(planned->plan.fills.size() == 2);  // embedding and head
    CHECK(planned->plan.fills[0].first_row == 12);
    CHECK(planned->plan.fills[0].rows == 8);
    using Defect = std::function<void(ckpt::ConversionPlan&)>;
    const std::pair<std::string, Defect> defects[] = {
        {"padding is lost", [](auto& plan) { plan.fills.pop_back(); }},
        {"padding is there twice", [](auto& plan) { plan.fills.push_back(plan.fills.front()); }},
        {"padding is a row short", [](auto& plan) { plan.fills[0].rows -= 1; }},
        {"padding begins a row late", [](auto& plan) { plan.fills[0].first_row += 1; }},
        {"padding lies over weights", [](auto& plan) { plan.fills[0].first_row -= 1; }},
        {"padding covers weights",
         [](auto& plan) {
             plan.fills[0].first_row -= 1;
             plan.fills[0].rows += 1;
         }},
        {"padding is in another tensor", [](auto& plan) { plan.fills[0].target -= 1; }},
        {"padding overflows", [](auto& plan) { plan.fills[0].first_row = UINT64_MAX; }},
        {"padding is endless", [](auto& plan) { plan.fills[0].rows = UINT64_MAX; }},
        {"padding of a tensor that is not there",
         [](auto& plan) { plan.fills[0].target = static_cast<std::uint32_t>(plan.targets.size()); }},
    };
    for (const auto& entry : defects) {
        const auto& what = entry.first;
        const auto& defect = entry.second;
        CAPTURE(what);
        ckpt::ConversionPlan broken = planned->plan;
        defect(broken);
        auto proof = ckpt::prove_plan(broken, planned->index);
        REQUIRE_FALSE(proof);
        CHECK(proof.error().kind == base::ErrorKind::internal);
    }
}

TEST_CASE("plan proof: pieces of tensors that are not there are found, not followed") {
    auto planned = tiny_plan();
    auto beyond_source = planned->plan, beyond_target = planned->plan;
    move_of(beyond_source, "head").sources[0].tensor = static_cast<std::uint32_t>(planned->index.tensors.size());
    CHECK_FALSE(ckpt::prove_plan(beyond_source, planned->index));
    move_of(beyond_target, "head").targets[0].tensor = static_cast<std::uint32_t>(planned->plan.targets.size());
    CHECK_FALSE(ckpt::prove_plan(beyond_target, planned->index));
}
