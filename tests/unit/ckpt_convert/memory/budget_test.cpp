#include <doctest/doctest.h>

#include "../job/published_models.h"
#include "base/data_store.h"
#include "ckpt_convert/memory/budget.h"
#include "ckpt_convert/memory/fitting_layouts.h"

TEST_CASE("budget: what HCCL, the runtime and fragments leave of a device") {
    const base::DataStore store;
    const auto devices = ckpt::load_devices(store);
    REQUIRE(devices);
    const auto device = ckpt::find_device(*devices, "a2");
    REQUIRE(device);
    ckpt::TrainingJob job;
    job.ranks.devices = 512;
    ckpt::BudgetOptions options;
    options.buffer_mib = 400;
    const auto budget =
        ckpt::budget_of(**device, devices->reserve, ckpt::shape_of(published::deepseek_v3()), job, options);
    REQUIRE(budget);
    CHECK(budget->usable() / (1 << 30) == doctest::Approx(49.0).epsilon(0.005));

    const auto unknown = ckpt::find_device(*devices, "950dt");
    REQUIRE(unknown);
    const auto none = ckpt::budget_of(**unknown, devices->reserve, ckpt::shape_of(published::llama2_7b()), job, {});
    REQUIRE_FALSE(none);
    CHECK(none.error().message.find("--hbm-gib") != std::string::npos);
}

TEST_CASE("layouts: every one uses all devices, the least split first") {
    ckpt::TrainingJob job;
    job.ranks.devices = 16;
    const ckpt::ModelShape model = ckpt::shape_of(published::qwen3_30b());
    const auto layouts = ckpt::possible_layouts(model, job);
    REQUIRE_FALSE(layouts.empty());
    CHECK(layouts.front().ranks.tp * layouts.front().ranks.pp == 1);
    int split = 0;
    for (const ckpt::TrainingJob& layout : layouts) {
        const ckpt::Parallelism& ranks = layout.ranks;
        CHECK(ranks.tp * ranks.pp * ranks.dp() == 16);
        CHECK(ranks.devices % (ranks.ep() * ranks.pp) == 0);
        CHECK(model.moe.experts % ranks.ep() == 0);
        CHECK(layout.batch.global % (layout.batch.micro * ranks.dp()) == 0);
        CHECK(ckpt::place_layers(layout, model));
        CHECK(ranks.tp * ranks.pp >= split);
        split = ranks.tp * ranks.pp;
    }
}
