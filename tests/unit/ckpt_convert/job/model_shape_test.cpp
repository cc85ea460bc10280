#include <doctest/doctest.h>

#include "base/data_store.h"
#include "ckpt_convert/job/hardware.h"
#include "published_models.h"

TEST_CASE("shape: the parameters of published models, to the last one") {
    const auto of = [](const ckpt::GivenSizes& sizes) { return ckpt::shape_of(sizes).parameters(); };
    CHECK(of(published::llama2_7b()) == 6'738'415'616);
    CHECK(of(published::llama31_8b()) == 8'030'261'248);
    CHECK(of(published::llama31_70b()) == 70'553'706'496);
    CHECK(of(published::llama31_405b()) == 405'853'388'800);
    CHECK(of(published::qwen25_7b()) == 7'615'616'512);
    CHECK(of(published::qwen25_72b()) == 72'706'203'648);
    CHECK(of(published::qwen3_0_6b()) == 596'049'920);
    CHECK(of(published::qwen3_8b()) == 8'190'735'360);
    CHECK(of(published::qwen3_32b()) == 32'762'123'264);
    CHECK(of(published::qwen3_30b()) == 30'532'122'624);
    CHECK(of(published::qwen3_235b()) == 235'093'634'560);
    CHECK(of(published::mixtral()) == 46'702'792'704);
    CHECK(of(published::deepseek_v3()) == 671'026'404'352);
}

TEST_CASE("shape: a token passes a part of the experts") {
    const ckpt::ModelShape model = ckpt::shape_of(published::deepseek_v3());
    CHECK(static_cast<double>(model.active_parameters()) / 1e9 == doctest::Approx(37.6).epsilon(0.002));
    const ckpt::ModelShape dense = ckpt::shape_of(published::llama2_7b());
    CHECK(dense.active_parameters() == dense.parameters());
}

TEST_CASE("hardware: presets by any of their words") {
    const base::DataStore store;
    const auto devices = ckpt::load_devices(store);
    REQUIRE(devices);
    CHECK(devices->devices.size() == 22);
    const auto npu = ckpt::find_device(*devices, "910B3");
    REQUIRE(npu);
    CHECK((*npu)->npu);
    CHECK((*npu)->hbm_gib == doctest::Approx(60.97));
    const auto wrong = ckpt::find_device(*devices, "h10O");
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().kind == base::ErrorKind::usage);
    CHECK(wrong.error().message.find("h100") != std::string::npos);
}
