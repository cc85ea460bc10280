#include "ckpt_convert/step_time/pipeline_drawing.h"

#include <doctest/doctest.h>

#include "ckpt_convert/step_time/calibration.h"
#include "tests/support/memory_file_system.h"

namespace {

ckpt::PipelineChart two_stages() {
    ckpt::PipelineWork work;
    work.micro_batches = 2;
    work.ranks.assign(2, {{1, 2, 0}});
    return ckpt::run_pipeline(work);
}

std::string calibration_error(const std::string& text) {
    test::MemoryFileSystem fs;
    fs.add("run.json", text);
    const auto read = ckpt::read_calibration(fs, "run.json");
    REQUIRE_FALSE(read);
    return read.error().message;
}

}  // namespace

TEST_CASE("pipeline drawing: a letter for each ninth of the step, and the share of waiting") {
    CHECK(ckpt::pipeline_text(two_stages(), 9) ==
          "    0 FF..BB.BB   33 %\n"
          "    1 .FBBFBB..   33 %\n");
    const std::string svg = ckpt::pipeline_svg(two_stages());
    CHECK(svg.find("<rect class=\"backward\" x=\"460.00\" y=\"0\" width=\"200.00\"") != std::string::npos);
    CHECK(svg.find("class=\"idle\"") != std::string::npos);
}

TEST_CASE("calibration: a step as a number, a profile, a comparison") {
    test::MemoryFileSystem fs;
    fs.add("run.json", "{\"step_seconds\": 31.2}");
    fs.add("profile.json", "{\"path\": \"t\", \"metrics\": {\"e2e_time\": 2.5}}");
    fs.add("compare.json", "{\"base\": {}, \"new\": {\"metrics\": {\"e2e_time\": 2}}}");
    CHECK(ckpt::read_calibration(fs, "run.json")->step_seconds == 31.2);
    fs.add("peak.json", "{\"step_seconds\": 31.2, \"peak_gib\": 45, \"reserved_gib\": 47.5, \"stage\": 1}");
    const auto both = ckpt::read_calibration(fs, "peak.json");
    REQUIRE(both);
    CHECK(both->step_seconds == 31.2);
    REQUIRE(both->memory);
    CHECK(both->memory->peak == 45);
    CHECK(both->memory->reserved == 47.5);
    CHECK(both->memory->stage == 1);
    fs.add("memory.json", "{\"peak_gib\": 45}");
    CHECK_FALSE(ckpt::read_calibration(fs, "memory.json")->step_seconds);
    CHECK_FALSE(ckpt::read_calibration(fs, "memory.json")->memory->stage);
    CHECK(calibration_error("{\"reserved_gib\": 45}").find("belongs to a \"peak_gib\"") != std::string::npos);
    CHECK(calibration_error("{\"peak_gib\": 0}").find("\"peak_gib\" is a number of GiB above 0") != std::string::npos);
    CHECK(calibration_error("{\"peak_gib\": \"45\"}").find("a number of GiB above 0") != std::string::npos);
    CHECK(calibration_error("{\"peak_gib\": 45, \"stage\": -1}").find("from 0") != std::string::npos);
    CHECK(ckpt::read_calibration(fs, "profile.json")->step_seconds == 2.5);
    CHECK(ckpt::read_calibration(fs, "compare.json")->step_seconds == 2);
    fs.add("other.json", "{\"step_seconds\": 3, \"layout\": {\"tp\": 2, \"pp\": 4, \"micro_batch\": 2}}");
    const auto other = ckpt::read_calibration(fs, "other.json");
    REQUIRE(other);
    REQUIRE(other->layout);
    CHECK(other->layout->tp == 2);
    CHECK(other->layout->pp == 4);
    CHECK(other->layout->ep == 1);
    CHECK(other->layout->micro_batch == 2);
    CHECK(calibration_error("{\"step_seconds\": 3, \"layout\": {\"tp\": 0}}").find("plausible") != std::string::npos);
    CHECK(calibration_error("{\"step_seconds\": 3, \"layout\": {\"pt\": 2}}").find("\"pt\"") != std::string::npos);
    CHECK(calibration_error("{}").find("neither \"step_seconds\"") != std::string::npos);
    CHECK(calibration_error("{\"step_seconds\": 0}").find("a step takes time") != std::string::npos);
    CHECK(calibration_error("{\"step_seconds\": ").find("run.json") == std::string::npos);
}

TEST_CASE("calibration: a scale that nothing explains is refused") {
    ckpt::StepTime estimate;
    estimate.seconds = 10;
    estimate.of_slowest.of(ckpt::Work::products, false) = 1;
    const ckpt::CalibrationLimits limits{0.6, 2};
    CHECK(*ckpt::time_scale({12.0, {}, {}, {}}, estimate, limits) == doctest::Approx(1.2));
    CHECK(ckpt::time_scale({5.0, {}, {}, {}}, estimate, limits).error().message.find("a part of one") !=
          std::string::npos);
    const std::string slow = ckpt::time_scale({25.0, {}, {}, {}}, estimate, limits).error().message;
    CHECK(slow.find("2.50 times the estimate") != std::string::npos);
    CHECK(slow.find("\"products\"") != std::string::npos);
}
