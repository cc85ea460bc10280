#include "migrator/profile/expert_load.h"

#include <doctest/doctest.h>

using namespace migrator;

namespace {

std::int64_t tokens_of(std::string_view inputs, std::string_view outputs = {}) {
    const auto found = grouped_tokens(kernel_shapes(inputs), kernel_shapes(outputs));
    return found ? found->tokens : -1;
}

NamedKernels rank(std::string name, std::vector<std::int64_t> tokens) {
    NamedKernels out{std::move(name), {}};
    double at = 0;
    for (const std::int64_t number : tokens)
        out.kernels.steps["1"].expert_calls.push_back({at++, static_cast<double>(number), number});
    return out;
}

}  // namespace

TEST_CASE("kernel shapes: quotes, missing inputs and scalars; what is no number is no shape") {
    using Shapes = std::vector<KernelShape>;
    CHECK(kernel_shapes("\"4096,2048;8,2048,1408;;8\"") == Shapes{{4096, 2048}, {8, 2048, 1408}, {}, {8}});
    CHECK(kernel_shapes("5") == Shapes{{5}});
    CHECK(kernel_shapes("").empty());
    CHECK(kernel_shapes("N/A").empty());
    CHECK(kernel_shapes("4,x").empty());
    CHECK(kernel_shapes("-4,2").empty());
    CHECK(kernel_shapes("99999999999999999999").empty());
}

TEST_CASE("experts: tokens of a product, forward and of both gradients") {
    CHECK(tokens_of("4096,2048;8,2048,1408;8", "4096,1408") == 4096);
    CHECK(tokens_of("4096,2048;8,2048,1408;;;;;;8") == 4096);
    CHECK(tokens_of("4096,1408;8,1408,2048;8", "4096,2048") == 4096);
    // The gradient of weights: inputs lie on their side, and the tokens are what is summed over.
    CHECK(tokens_of("2048,4096;4096,1408;8", "8,2048,1408") == 4096);
    CHECK(tokens_of("4096,2048;4096,1408;8", "8,2048,1408") == 4096);
    CHECK(tokens_of("8,2048,1408;4096,2048") == -1);
    CHECK(tokens_of("4096,2048") == -1);
}

TEST_CASE("experts: a list has the tokens of each") {
    const auto found = grouped_tokens(kernel_shapes("100,64;300,64;64,32;64,32"), kernel_shapes("100,32;300,32"));
    REQUIRE(found.has_value());
    CHECK(found->tokens == 400);
    CHECK(found->of_experts == std::vector<std::int64_t>{100, 300});
    const auto gradient = grouped_tokens(kernel_shapes("64,100;64,300;100,32;300,32"), {});
    REQUIRE(gradient.has_value());
    CHECK(gradient->of_experts == std::vector<std::int64_t>{100, 300});
}

TEST_CASE("experts: what each pass costs is what its fullest rank costs") {
    const auto groups = expert_load({rank("0", {100, 100, 300}), rank("1", {300, 300, 100})}, {});
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].is_guessed);
    CHECK(groups[0].all_passes == 2);
    CHECK(groups[0].factor == doctest::Approx(1.5));
    CHECK(*groups[0].ranks[0].waits_ms == doctest::Approx(0.4));
    CHECK(*groups[0].ranks[1].waits_ms == doctest::Approx(0.2));
}

TEST_CASE("experts: ranks with other numbers of calls are compared as a whole") {
    const auto groups = expert_load({rank("0", {100, 100}), rank("1", {600})}, {});
    REQUIRE(groups.size() == 1);
    CHECK(groups[0].all_passes == 0);
    CHECK(groups[0].factor == doctest::Approx(1.5));
    CHECK_FALSE(groups[0].ranks[0].waits_ms.has_value());
    CHECK(groups[0].most().name == "1");
}

TEST_CASE("experts: groups by the sizes of the run") {
    RankGroups groups;
    const auto document = base::parse_json(
        R"({"distributed_args": {"world_size": 16, "tensor_model_parallel_size": 2, "pipeline_model_parallel_size": 2,
            "expert_model_parallel_size": 2}})",
        "metadata", base::kPythonJson);
    REQUIRE(document.has_value());
    groups.add(*document, {});
    CHECK(groups.world == 16);
    CHECK(groups.experts == std::set<RankGroup>{{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}});
    CHECK(groups.pipelines.size() == 8);
    CHECK(groups.pipelines.contains({3, 11}));
}
