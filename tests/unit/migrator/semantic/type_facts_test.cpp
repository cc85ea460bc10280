#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/semantic/meaning.h"

using migrator::TypeFacts;

namespace {

base::Result<TypeFacts> load(const std::string& json) {
    test::MemoryFileSystem fs;
    fs.add("r/types/zz.json", json);
    base::DataStore store;
    REQUIRE(store.overlay(fs, "r", "rules"));
    return TypeFacts::load(store);
}

std::string problem(const std::string& json) {
    const auto result = load(json);
    if (result) return "";
    CHECK(result.error().kind == base::ErrorKind::rule_data);
    return result.error().text();
}

bool mentions(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("type facts: functions, classes and their members") {
    const TypeFacts& facts = test::real_facts();
    CHECK(facts.returned_class("torch.zeros") == "torch.Tensor");
    CHECK(facts.returned_class("torch.nn.Linear") == "torch.nn.Linear");
    CHECK(facts.returned_class("torch.Tensor.to") == "torch.Tensor");
    CHECK(facts.returned_class("torch.nn.Module.to") == "torch.nn.Module");
    CHECK(facts.returned_class("torch.Tensor.item") == std::nullopt);
    CHECK(facts.returned_class("torch.unheard_of") == std::nullopt);
    CHECK(facts.returns_receiver("torch.nn.Module.cuda"));
    CHECK_FALSE(facts.returns_receiver("torch.Tensor.cuda"));  // of a Parameter it is a Tensor
    CHECK(facts.attribute_class("torch.Tensor", "device") == "torch.device");
    CHECK(facts.attribute_class("torch.nn.Parameter", "device") == "torch.device");
    CHECK(facts.attribute_class("torch.Tensor", "shape") == std::nullopt);
    CHECK(facts.member_owner("torch.nn.Linear", "cuda") == "torch.nn.Module");
    CHECK(facts.member_owner("torch.nn.Parameter", "cuda") == "torch.Tensor");
    CHECK(facts.member_owner("torch.nn.Linear", "unheard_of") == "torch.nn.Module");
}

TEST_CASE("type facts: namespaces of classes") {
    const TypeFacts& facts = test::real_facts();
    CHECK(facts.is_class("torch.nn.Linear"));
    CHECK(facts.is_class("torch.optim.AdamW"));
    CHECK_FALSE(facts.is_class("torch.nn.functional"));
    CHECK_FALSE(facts.is_class("torch.nn.functional.relu"));
    CHECK_FALSE(facts.is_class("torch.zeros"));
    CHECK_FALSE(facts.is_class("torch"));
    CHECK(facts.base_class("torch.nn.Linear") == "torch.nn.Module");
    CHECK(facts.base_class("torch.nn.Parameter") == "torch.Tensor");
    CHECK(facts.base_class("torch.Tensor") == "torch.Tensor");
    CHECK(facts.base_class("torch.zeros") == std::nullopt);
}

TEST_CASE("type facts: star names are sorted and complete enough") {
    const TypeFacts& facts = test::real_facts();
    const auto names = facts.star_names("torch");
    CHECK(std::is_sorted(names.begin(), names.end()));
    for (const char* name : {"cuda", "nn", "device", "zeros", "Tensor", "float16", "no_grad", "einsum"}) {
        CAPTURE(name);
        CHECK(std::binary_search(names.begin(), names.end(), name));
    }
    CHECK(facts.star_names("unheard.of").empty());
}

TEST_CASE("type facts: data is read strictly") {
    CHECK(problem("{}") == "");
    CHECK(problem(R"({"functions": {"lib.T": ["lib.f"]}})") == "");
    CHECK(mentions(problem(R"({"function": {}})"), "function"));
    CHECK(mentions(problem(R"({"classes": {"lib.T": {"method": {}}}})"), "method"));
    CHECK(mentions(problem(R"({"functions": {"lib.T": ["torch.zeros"]}})"), "torch.zeros"));
    CHECK(mentions(problem(R"({"classes": {"torch.Tensor": {}}})"), "torch.Tensor"));
    CHECK(mentions(problem(R"({"classes": {"lib.T": {"methods": {"?": ["a", "a"]}}}})"), "listed twice"));
    CHECK(mentions(problem(R"({"star_names": {"lib": ["a", "a"]}})"), "listed twice"));
    CHECK(mentions(problem(R"({"functions": {"lib.T": [1]}})"), "zz.json"));
    CHECK(problem("{") != "");
    // Bases that lead in a circle do no harm.
    const auto circle = load(R"({"classes": {"a.A": {"base": "a.B"}, "a.B": {"base": "a.A"}}})");
    REQUIRE(circle);
    CHECK(circle->base_class("a.A").has_value());
    CHECK_FALSE(circle->member_owner("a.A", "x").empty());
}
