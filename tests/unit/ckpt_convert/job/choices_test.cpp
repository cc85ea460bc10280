#include <doctest/doctest.h>

#include "base/data_store.h"
#include "ckpt_convert/job/choices.h"

namespace {

std::string wrong(const std::string& words, ckpt::Engine engine = ckpt::Engine::mindspeed) {
    const base::DataStore store;
    ckpt::TrainingJob job;
    job.engine = engine;
    const auto choices = ckpt::load_choices(store);
    REQUIRE(choices);
    const auto done = ckpt::apply_choices(*choices, words, job);
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == base::ErrorKind::usage);
    return done.error().message;
}

}  // namespace

TEST_CASE("choices: words change the job, with a number behind a colon") {
    const base::DataStore store;
    const auto choices = ckpt::load_choices(store);
    REQUIRE(choices);
    ckpt::TrainingJob job;
    REQUIRE(ckpt::apply_choices(*choices, "recompute-block:3,swap-optimizer,recompute-norm", job));
    CHECK(job.memory.recompute == ckpt::Recompute::block);
    CHECK(job.memory.recompute_layers == 3);
    CHECK(job.optimizer.swap);
    CHECK(job.memory.recomputes(ckpt::Part::norm));
    CHECK_FALSE(job.memory.recomputes(ckpt::Part::mlp));
}

TEST_CASE("choices: what is wrong is named, and what was meant") {
    CHECK(wrong("swap-optimiser").find("swap-optimizer") != std::string::npos);
    CHECK(wrong("recompute-block:0").find("above 0") != std::string::npos);
    CHECK(wrong("recompute-block:x").find("above 0") != std::string::npos);
    CHECK(wrong("reuse-fp32-param", ckpt::Engine::megatron).find("megatron") != std::string::npos);
}
