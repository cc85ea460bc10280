#include "ckpt_convert/step_time/step_time.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <map>

#include "tests/unit/ckpt_convert/step_time/measured_steps.h"

using ckpt::test::estimate;
using ckpt::test::measured_steps;
using ckpt::test::MeasuredStep;

namespace {

struct Loaded {
    ckpt::TimeRules rules;
    ckpt::DeviceTable devices;
    static const Loaded& all() {
        static const Loaded loaded{*ckpt::TimeRules::load(base::DataStore()), *ckpt::load_devices(base::DataStore())};
        return loaded;
    }
};

const MeasuredStep& step_named(const std::vector<MeasuredStep>& steps, std::string_view id) {
    for (const MeasuredStep& step : steps) {
        if (step.id.find(id) != std::string::npos) return step;
    }
    FAIL("no such step: " << id);
    std::abort();
}

}  // namespace

TEST_CASE("step time: measured steps, without calibration") {
    struct Bound {
        double error, share;
        int least = 10;
        int within = 0, all = 0;
    };
    std::map<std::string, Bound> bounds{{"simumax", {0.2, 0.8}},      {"papers", {0.2, 0.8}},
                                        {"bridge dense", {0.2, 0.8}}, {"bridge experts", {0.3, 0.7}},
                                        {"automodel", {0.3, 0.7, 6}}, {"a2", {0.25, 0.75}}};
    for (const MeasuredStep& step : measured_steps()) {
        const double error = estimate(step, Loaded::all().rules, Loaded::all().devices).seconds / step.seconds - 1;
        Bound& bound = bounds.at(step.set);
        ++bound.all;
        if (std::abs(error) <= bound.error) ++bound.within;
        if (std::getenv("MIGRATION_SHOW_STEPS") != nullptr) MESSAGE(step.id << ": " << error);
    }
    for (const auto& entry : bounds) {
        const std::string& set = entry.first;
        const Bound& bound = entry.second;
        INFO(set << ": " << bound.within << " of " << bound.all);
        if (std::getenv("MIGRATION_SHOW_STEPS") != nullptr) MESSAGE(set << ": " << bound.within << " of " << bound.all);
        CHECK(bound.all >= bound.least);
        CHECK(bound.within >= bound.share * bound.all);
    }
}

// Of a frozen model no weight has a gradient; a pair of DPO is two sequences, and the reference answers both.
TEST_CASE("step time: LoRA and DPO") {
    MeasuredStep step = step_named(measured_steps(), "modellink/llama2-7b");
    const auto of = [&](ckpt::TrainingMode mode) {
        step.job.mode = mode;
        return estimate(step, Loaded::all().rules, Loaded::all().devices);
    };
    const ckpt::StepTime full = of(ckpt::TrainingMode::sft), lora = of(ckpt::TrainingMode::lora),
                         pairs = of(ckpt::TrainingMode::dpo);
    CHECK(full.seconds == doctest::Approx(of(ckpt::TrainingMode::pretrain).seconds));
    CHECK(lora.pipeline > 0.6 * full.pipeline);
    CHECK(lora.pipeline < 0.8 * full.pipeline);
    CHECK(lora.optimizer < 0.02 * full.optimizer);
    CHECK(lora.gradients < 0.02 * full.gradients);
    CHECK(lora.utilisation < full.utilisation);
    CHECK(pairs.pipeline > 2.5 * full.pipeline);
    CHECK(pairs.pipeline < 2.8 * full.pipeline);
    CHECK(pairs.gradients <= full.gradients);
    CHECK(pairs.tokens_per_second * pairs.seconds == doctest::Approx(2 * full.tokens_per_second * full.seconds));
}

// Milliseconds, B200: layers forward and backward, head forward and backward, optimizer, gradients, the step.
TEST_CASE("step time: worked figures") {
    struct Figures {
        std::string id;
        double forward, backward, head_forward, head_backward, optimizer, gradients, step;
    };
    const std::vector<Figures> all{
        {"llama3_70b_l12_tp4_pp1_dp2_mbc8", 2.33, 3.97, 2.26, 4.32, 11.1, 15.4, 754},
        {"llama3_405b_l4_tp2_pp1_dp4_mbc8", 13.3, 25.9, 8.4, 16.4, 20.7, 63.8, 1694},
        {"deepseekv3_l4_tp1_ep4_pp2_dp4_mbc8", 8.4, 17.1, 7.7, 15.0, 36.8, 13.1, 769},
    };
    const auto steps = measured_steps();
    for (const Figures& figures : all) {
        const MeasuredStep& step = step_named(steps, figures.id);
        const auto device = ckpt::find_device(Loaded::all().devices, step.device);
        const auto clock = ckpt::StepClock::make(step.model, **device, Loaded::all().rules, step.job.precision, false);
        REQUIRE(clock);
        const ckpt::MicroTime micro = clock->micro(step.job, step.overlap);
        const ckpt::LayerTime& layer = micro.kinds[step.model.layers.back()];
        const ckpt::StepTime time = estimate(step, Loaded::all().rules, Loaded::all().devices);
        INFO(figures.id);
        CHECK(layer.forward_seconds() * 1e3 == doctest::Approx(figures.forward).epsilon(0.045));
        CHECK(layer.backward_seconds() * 1e3 == doctest::Approx(figures.backward).epsilon(0.045));
        CHECK(micro.head.forward_seconds() * 1e3 == doctest::Approx(figures.head_forward).epsilon(0.045));
        CHECK(micro.head.backward_seconds() * 1e3 == doctest::Approx(figures.head_backward).epsilon(0.045));
        CHECK(time.optimizer * 1e3 == doctest::Approx(figures.optimizer).epsilon(0.045));
        CHECK(time.gradients * 1e3 == doctest::Approx(figures.gradients).epsilon(0.045));
        CHECK(time.seconds * 1e3 == doctest::Approx(figures.step).epsilon(0.045));
    }
}

TEST_CASE("step time: a tower is work of the first stage, a frozen one of the forward pass only") {
    MeasuredStep step = step_named(measured_steps(), "modellink/llama2-7b");
    const auto first = [&] {
        const ckpt::StepTime time = estimate(step, Loaded::all().rules, Loaded::all().devices);
        return std::pair{time.stages[0][0], time.stages[1][0]};
    };
    const auto [without, rest] = first();
    ckpt::TowerShape tower;
    tower.hidden = 1280, tower.layers = 32, tower.heads = 16, tower.ffn = 3420, tower.gated = true;
    tower.patches = 4096, tower.images = 4, tower.merge = 4, tower.patch_values = 1176;
    step.model.towers = {tower};
    const auto [trained, same] = first();
    CHECK(trained.forward > 1.05 * without.forward);
    CHECK(trained.backward - without.backward == doctest::Approx(2 * (trained.forward - without.forward)).epsilon(0.3));
    CHECK(same.forward == rest.forward);
    step.model.towers[0].trained = false;
    const auto [frozen, still] = first();
    CHECK(frozen.forward == trained.forward);
    CHECK(frozen.backward == without.backward);
    CHECK(still.backward == rest.backward);
}
