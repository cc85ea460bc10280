#include "ckpt_convert/memory/memory_scale.h"

#include <doctest/doctest.h>

#include "../job/published_models.h"
#include "ckpt_convert/memory/budget.h"

namespace {

constexpr ckpt::MemoryCalibration kBelieved{0.8, 1.3, 0.8};

ckpt::TrainingJob run_of(int tp, int pp) {
    ckpt::TrainingJob job;
    job.ranks.devices = 16;
    job.ranks.tp = tp;
    job.ranks.pp = pp;
    job.ranks.sequence_parallel = tp > 1;
    job.batch.global = 64;
    return job;
}

std::vector<ckpt::StageMemory> planned_stages(const ckpt::TrainingJob& job) {
    auto stages = ckpt::memory_of(ckpt::shape_of(published::llama2_7b()), job, true);
    REQUIRE(stages);
    return *stages;
}

std::string refused_scale(const ckpt::MeasuredMemory& measured, const std::vector<ckpt::StageMemory>& stages) {
    const auto scale = ckpt::memory_scale(measured, stages, kBelieved);
    REQUIRE_FALSE(scale);
    CHECK(scale.error().kind == base::ErrorKind::usage);
    return scale.error().message;
}

}  // namespace

TEST_CASE("memory scale: the plan of the measured layout becomes what was measured, whatever is measured where") {
    for (const auto& sizes : {std::pair(1, 2), {2, 4}, {8, 1}, {4, 4}}) {
        const int tp = sizes.first, pp = sizes.second;
        for (const bool again : {false, true}) {
            ckpt::TrainingJob job = run_of(tp, pp);
            if (again) job.memory.recompute = ckpt::Recompute::uniform;
            const auto planned = planned_stages(job);
            for (int stage = 0; stage < pp; ++stage) {
                const double peak = planned[static_cast<std::size_t>(stage)].peak();
                double before = 0;
                for (const double times : {0.97, 1.0, 1.01, 1.04}) {
                    CAPTURE(tp);
                    CAPTURE(stage);
                    CAPTURE(times);
                    const auto scale = ckpt::memory_scale({peak * times / ckpt::kGiB, {}, stage}, planned, kBelieved);
                    if (!scale) continue;  // a share of a stage that holds little else than states is far from it
                    ckpt::TrainingJob scaled = job;
                    scaled.kept_scale = scale->kept;
                    const auto then = planned_stages(scaled);
                    CHECK(then[static_cast<std::size_t>(stage)].peak() == doctest::Approx(peak * times).epsilon(1e-12));
                    // More measured is more planned, of every other layout as well.
                    CHECK(scale->kept > before);
                    before = scale->kept;
                    ckpt::TrainingJob other = run_of(2, 2);
                    const double plain = planned_stages(other)[0].peak();
                    other.kept_scale = scale->kept;
                    CHECK((planned_stages(other)[0].peak() > plain) == (scale->kept > 1 + 1e-12));
                    CHECK(planned_stages(other)[0].fixed() == planned_stages(run_of(2, 2))[0].fixed());
                }
            }
        }
    }
}

TEST_CASE("memory scale: what was planned is scale 1, and the fullest stage is meant where none is named") {
    const auto planned = planned_stages(run_of(2, 4));
    const double peak = planned[0].peak() / ckpt::kGiB;
    const auto scale = ckpt::memory_scale({peak, peak / 0.95, {}}, planned, kBelieved);
    REQUIRE(scale);
    CHECK(scale->kept == doctest::Approx(1));
    CHECK(scale->stage == 0);
    CHECK(*scale->used == doctest::Approx(0.95));
}

TEST_CASE("memory scale: figures that contradict the plan or each other are refused") {
    auto planned = planned_stages(run_of(2, 4));
    const double peak = planned[0].peak() / ckpt::kGiB;
    CHECK(refused_scale({planned[0].fixed() / ckpt::kGiB, {}, {}}, planned).find("measure after the second step") !=
          std::string::npos);
    CHECK(refused_scale({1.4 * peak, {}, {}}, planned).find("route tokens unevenly") != std::string::npos);
    CHECK(refused_scale({0.8 * peak, {}, {}}, planned).find("is it the peak of this stage") != std::string::npos);
    CHECK(refused_scale({peak, peak - 1, {}}, planned).find("at least what it has handed out") != std::string::npos);
    CHECK(refused_scale({peak, 1.3 * peak, {}}, planned).find("expandable_segments") != std::string::npos);
    CHECK(refused_scale({peak, {}, 4}, planned) == "--calibrate: there is no stage 4; they are 0 to 3");
    planned[0].binding = ckpt::Binding::optimizer;
    CHECK(refused_scale({peak, {}, 0}, planned).find("at the optimizer's step") != std::string::npos);
}
