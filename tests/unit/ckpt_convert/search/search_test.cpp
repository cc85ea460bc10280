#include "ckpt_convert/search/search.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>

#include "ckpt_convert/memory/stage_memory.h"
#include "ckpt_convert/search/layer_lists.h"
#include "ckpt_convert/search/recompute_choice.h"
#include "tests/unit/ckpt_convert/step_time/measured_steps.h"

using ckpt::LayoutFamily;
using ckpt::SearchInput;
using ckpt::SearchResult;
using ckpt::test::measured_steps;
using ckpt::test::MeasuredStep;

namespace {

constexpr double kGib = 1073741824.0;

struct Rules {
    ckpt::TimeRules times;
    ckpt::DeviceTable devices;
    static const Rules& all() {
        static const Rules loaded{*ckpt::TimeRules::load(base::DataStore()), *ckpt::load_devices(base::DataStore())};
        return loaded;
    }
};

ckpt::PeakOf peak_of(const ckpt::ModelShape& model, bool npu) {
    return [&model, npu](const ckpt::TrainingJob& job) -> ckpt::Result<double> {
        auto stages = ckpt::memory_of(model, job, npu);
        if (!stages) return tl::unexpected(stages.error());
        double most = 0;
        for (const ckpt::StageMemory& stage : *stages) most = std::max(most, stage.peak());
        return most;
    };
}

struct Searched {
    const ckpt::Device* device;
    ckpt::StepClock clock;
    SearchInput input;

    explicit Searched(const MeasuredStep& step)
        : device(*ckpt::find_device(Rules::all().devices, step.device)),
          clock(*ckpt::StepClock::make(step.model, *device, Rules::all().times, step.job.precision, step.job.fp8)) {
        input.model = &step.model;
        input.job = step.job;
        input.job.ranks.per_node = device->per_node;
        input.job.memory.recompute = ckpt::Recompute::none;
        input.job.memory.recomputed = {};
        input.overlap = step.overlap;
        input.budget = 0.9 * *device->hbm_gib * kGib;
        input.peak = peak_of(step.model, device->npu);
    }
    SearchResult run() {
        input.clock = &clock;
        return ckpt::search(input);
    }
};

const MeasuredStep& named(const std::vector<MeasuredStep>& steps, const std::string& id) {
    for (const MeasuredStep& step : steps) {
        if (step.id == id) return step;
    }
    FAIL("no such step: " << id);
    std::abort();
}

std::string text(const LayoutFamily& family) {
    const auto [tp, pp, cp, ep] = family;
    return "TP" + std::to_string(tp) + " PP" + std::to_string(pp) + " CP" + std::to_string(cp) + " EP" +
           std::to_string(ep);
}

}  // namespace

TEST_CASE("search: the published layout of Llama-2-7B on eight Atlas A2 comes first") {
    const auto steps = measured_steps();
    Searched searched(named(steps, "modellink/llama2-7b"));
    const SearchResult result = searched.run();
    REQUIRE(result.plans.size() > 5);
    CHECK(text(ckpt::family_of(result.plans[0].job)) == "TP1 PP2 CP1 EP1");
    CHECK(result.plans[0].time.seconds == doctest::Approx(33.4).epsilon(0.03));
    for (const ckpt::RankedPlan& plan : result.plans) CHECK(plan.peak <= searched.input.budget);
}

// Whatever the order in which plans are looked at, the best is the one that no other beats.
TEST_CASE("search: no other plan is faster and fits") {
    const auto steps = measured_steps();
    const MeasuredStep& step = named(steps, "modellink/llama2-7b");
    for (double gib : {24.0, 33.0, 48.0, 200.0}) {
        Searched all(step);
        all.input.budget = gib * kGib;
        all.input.best = 1000;
        const SearchResult every = all.run();
        Searched few(step);
        few.input.budget = gib * kGib;
        few.input.best = 3;
        few.input.threads = 2;
        const SearchResult best = few.run();
        REQUIRE(best.plans.size() == std::min<std::size_t>(3, every.plans.size()));
        for (std::size_t i = 0; i < best.plans.size(); ++i)
            CHECK(best.plans[i].time.seconds == doctest::Approx(every.plans[i].time.seconds));
        for (const ckpt::NearMiss& miss : best.misses) {
            CHECK(miss.peak > few.input.budget);
            if (!best.plans.empty()) CHECK(miss.seconds < best.plans[0].time.seconds);
        }
    }
}

TEST_CASE("search: pins are kept, and what is left out has a reason") {
    const auto steps = measured_steps();
    Searched searched(named(steps, "modellink/llama2-7b"));
    searched.input.space.tp = {2, 3};
    searched.input.space.pp = {4};
    const SearchResult result = searched.run();
    REQUIRE(result.plans.size() == 1);
    CHECK(result.plans[0].job.ranks.tp == 2);
    CHECK(result.plans[0].job.ranks.pp == 4);
    CHECK(result.refused[static_cast<std::size_t>(ckpt::Refusal::devices)] > 0);
    searched.input.budget = kGib;
    const SearchResult none = searched.run();
    CHECK(none.plans.empty());
    CHECK(none.refused[static_cast<std::size_t>(ckpt::Refusal::states)] > 0);
}

TEST_CASE("layer lists: fewer layers where the head is, or where most is in flight") {
    const auto steps = measured_steps();
    MeasuredStep step = named(steps, "modellink/llama3-8b");
    step.job.ranks.tp = 1;
    step.job.ranks.pp = 4;
    const Searched searched(step);
    const auto lists = ckpt::layer_lists(step.job, step.model, searched.clock.micro(step.job, {}), true);
    REQUIRE(lists);
    CHECK(lists->fastest.layers.back() < 8);
    CHECK(lists->lightest.layers[0] < 8);
    CHECK(lists->lightest.most_other < lists->fastest.most_other);
    CHECK(lists->lightest.most > lists->fastest.most);
    step.job.ranks.virtual_stages = 2;
    CHECK_FALSE(ckpt::layer_lists(step.job, step.model, searched.clock.micro(step.job, {}), true));
}

TEST_CASE("recomputation: the cheapest parts that are enough") {
    const auto steps = measured_steps();
    const MeasuredStep& step = named(steps, "modellink/llama2-7b");
    const Searched searched(step);
    const auto placement = ckpt::place_layers(step.job, step.model);
    REQUIRE(placement);
    std::array<bool, ckpt::kParts> all{};
    all.fill(true);
    auto choose = [&](double gib, const std::array<bool, ckpt::kParts>& possible) {
        return ckpt::cheapest_recompute(step.job, searched.clock, {}, *placement, gib * kGib, searched.input.peak,
                                        possible);
    };
    const auto nothing = choose(200, all);
    REQUIRE(nothing);
    CHECK(nothing->parts == std::array<bool, ckpt::kParts>{});
    const auto little = choose(nothing->peak / kGib - 2, all);
    REQUIRE(little);
    CHECK(little->peak <= nothing->peak - 2 * kGib);
    CHECK(little->seconds > nothing->seconds);
    const auto more = choose(nothing->peak / kGib - 7, all);
    REQUIRE(more);
    CHECK(more->seconds > little->seconds);
    CHECK_FALSE(choose(1, all));
    // What the engine has no option for is not proposed.
    CHECK_FALSE(choose(nothing->peak / kGib - 2, {}));
}

TEST_CASE("search: the layouts of published runs are among the first five, or nearly as fast") {
    const bool shows = std::getenv("MIGRATION_SHOW_STEPS") != nullptr;
    const auto steps = measured_steps();
    // The newest of each model, device, number of devices and batch.
    std::map<std::string, const MeasuredStep*> runs;
    for (const MeasuredStep& step : steps) {
        if (step.set.find("bridge") == std::string::npos || step.job.engine == ckpt::Engine::fsdp2) continue;
        const std::string model = step.id.substr(13, step.id.find("/pretrain") - 13);
        const std::string key = model.substr(model.find('/') + 1) + step.device +
                                std::to_string(step.job.ranks.devices) + "/" + std::to_string(step.job.batch.global);
        const MeasuredStep*& newest = runs[key];
        if (newest == nullptr || step.id > newest->id) newest = &step;
    }
    int found = 0, all = 0;
    for (const auto& [key, step] : runs) {
        Searched searched(*step);
        ckpt::SearchSpace& space = searched.input.space;
        searched.input.best = 15;
        space.pp = {1, 2, 4, 8, 16};
        space.cp = {1, 2};
        space.etp = {1};
        if (step->model.moe.experts > 0) space.ep = {8, 16, 32, 64};
        const SearchResult result = searched.run();
        if (result.plans.size() < 15) continue;
        ++all;
        const LayoutFamily family = ckpt::family_of(step->job);
        auto place = std::find_if(result.plans.begin(), result.plans.end(),
                                  [&](const auto& plan) { return ckpt::family_of(plan.job) == family; });
        std::tie(space.tp, space.pp, space.cp, space.ep) =
            std::apply([](auto... of) { return std::tuple(std::vector{of}...); }, family);
        const SearchResult own = searched.run();
        const double fastest = result.plans[0].time.seconds;
        const double slower =
            own.plans.empty() ? std::numeric_limits<double>::infinity() : own.plans[0].time.seconds / fastest - 1;
        if (place - result.plans.begin() < 5 || slower <= 0.05) ++found;
        if (shows)
            MESSAGE(step->id << ": " << text(family) << " is " << place - result.plans.begin() + 1 << ", " << slower
                             << " slower than " << text(ckpt::family_of(result.plans[0].job)));
    }
    if (shows) MESSAGE(found << " of " << all);
    CHECK(all >= 20);
    CHECK(found >= 0.7 * all);
}
