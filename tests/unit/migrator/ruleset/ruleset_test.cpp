#include "base/format.h"
#include "migrator/ruleset/rule_set.h"
#include "migrator/ruleset/vocabulary.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/rules/case_support.h"

using migrator::RuleSet;

namespace {

// The rules of `json` in place of all that are compiled in.
base::Result<RuleSet> load(const std::string& json) {
    base::DataStore store;
    test::MemoryFileSystem fs;
    for (const char* folder : {"rewrite", "third_party", "env", "custom_ops", "advice", "api", "affinity"}) {
        for (const std::string& path : store.list(base::format("rules/{}/", folder), ".json")) {
            fs.add("/o/" + path.substr(6), R"({"schema": 1})");
        }
    }
    fs.add("/o/rewrite/test.json", json);
    REQUIRE(store.overlay(fs, "/o", "rules"));
    return RuleSet::load(store);
}

std::string error_of(const std::string& json) {
    auto rules = load(json);
    REQUIRE_FALSE(rules);
    CHECK(rules.error().kind == base::ErrorKind::rule_data);
    return rules.error().text();
}

std::string rule(const std::string& match, const std::string& fix = "{}") {
    return R"({"schema": 1, "rules": [{"id": "r", "kind": "amp", "severity": "info", "message": "m", "source": "s",
        "match": )" +
           match + R"(, "fix": )" + fix + "}]}";
}

}  // namespace

TEST_CASE("the rules that are compiled in load") {
    base::DataStore store;
    auto rules = RuleSet::load(store);
    if (!rules) FAIL(rules.error().text());
    CHECK(rules->rules.size() > 40);
    CHECK(rules->names.row("torch.cuda.empty_cache")->to == "torch.npu.empty_cache");
    CHECK(rules->names.row("torch.cuda.nope") == nullptr);
    CHECK(rules->names.prefix("torch.cuda.nope")->rule->id == "cuda.unknown");
    CHECK(rules->names.prefix("torch.cuda") == nullptr);
    CHECK(rules->names.renamed("torch.cuda.amp.autocast") == "torch.npu.amp.autocast");
    CHECK(rules->names.renamed("torch.cuda") == "torch.npu");
    CHECK(rules->names.renamed("torch.nn") == "torch.nn");
    CHECK(rules->names.renamed("torch.cuda.nccl.version") == "torch.cuda.nccl.version");
    CHECK(rules->packages.find("Flash_Attn")->status == "replacement");
    CHECK(rules->packages.of_module("nvidia.dali.fn")->name == "nvidia-dali-cuda110");
    CHECK(rules->packages.of_module("nvidia") == nullptr);
    CHECK(rules->environment.find("CUDA_VISIBLE_DEVICES")->to == "ASCEND_RT_VISIBLE_DEVICES");
    CHECK(rules->environment.find("NVTE_FLASH_ATTN") != nullptr);
    CHECK(rules->environment.find("HOME") == nullptr);
    for (const auto& entry : rules->rules) CHECK_FALSE(entry->source.empty());
}

TEST_CASE("rule data is strict, and errors name the place") {
    CHECK(error_of(R"({"schema": 2})").find("test.json:1:1: schema 2 is not known") != std::string::npos);
    CHECK(error_of(rule(R"({"name": ["a.b"], "method": {}})")).find("exactly one word") != std::string::npos);
    CHECK(error_of(rule(R"({"nmae": ["a.b"]})")).find("\"nmae\" is not a word") != std::string::npos);
    CHECK(error_of(rule(R"({"name": []})")).find("must have at least one entry") != std::string::npos);
    CHECK(error_of(rule(R"({"name": ["a", "a"]})")).find("already covered") != std::string::npos);
    CHECK(error_of(rule(R"({"name": ["a"]})", R"({"renam": "b"})")).find("\"renam\" is not known here") !=
          std::string::npos);
    CHECK(error_of(
              R"({"schema": 1, "rules": [{"id": "r", "kind": "amp", "severity": "info", "message": "m", "source": "s",
              "in": "training_program", "match": {"name": ["a"]}, "portable": {"rename": "b"}}]})")
              .find("too late for a \"fix\"") != std::string::npos);
    CHECK(
        error_of(
            rule(R"({"process": {"joins": ["j"], "starts": ["s"], "chosen_by": ["c"], "members": ["m"], "texts": ["t:"],
                            "numbers": [{"of": ["n"], "position": 0}]}})",
                 R"({"insert": "choose"})"))
            .find("\"insert\" needs {number}") != std::string::npos);
    CHECK(error_of(rule(R"({"method": {"names": ["m"], "of": []}})")).find("\"of\"") != std::string::npos);
    CHECK(error_of(rule(R"({"argument": {"of": ["f"]}})")).find("\"keyword\", a \"position\"") != std::string::npos);
    CHECK(error_of(rule(R"({"argument": {"of": ["f"], "keyword": "k", "is": "absent"}})", R"({"remove": true})"))
              .find("\"add\" is for absent") != std::string::npos);
    CHECK(error_of(rule(R"({"string": {"values": ["a"]}})", R"({"replace": {"b": "c"}})")).find("not in \"values\"") !=
          std::string::npos);
    CHECK(error_of(rule(R"({"value": {"form": "device", "tokens": ["cuda"], "carriers": ["d"]}})"))
              .find("does not say what becomes of it") != std::string::npos);
    CHECK(error_of(rule(R"({"value": {"form": "device", "tokens": ["cuda"]}})")).find("places to look at") !=
          std::string::npos);
    CHECK(error_of(rule(R"({"text": {"words": ["w"], "files": ["python"]}})")).find("which is not one of") !=
          std::string::npos);
}

TEST_CASE("rules that overlap, cannot be reached or say nothing are errors") {
    const auto two = [](const std::string& first, const std::string& second) {
        const auto one = [](const std::string& id, const std::string& match) {
            return R"({"id": ")" + id +
                   R"(", "kind": "amp", "severity": "info", "message": "m", "source": "s", "match": )" + match + "}";
        };
        return R"({"schema": 1, "rules": [)" + one("a", first) + ", " + one("b", second) + "]}";
    };
    const auto says = [](const std::string& json, std::string_view text) {
        return error_of(json).find(text) != std::string::npos;
    };
    CHECK(says(two(R"({"text": {"words": ["w"], "files": ["shell", "yaml"]}})",
                   R"({"text": {"words": ["w"], "files": ["yaml"]}})"),
               "\"w\" in files of type yaml is already covered by the rule \"a\""));
    CHECK(says(two(R"({"string": {"values": ["v"]}})", R"({"string": {"values": ["v"]}})"),
               "the string \"v\" is already covered"));
    CHECK(says(two(R"({"argument": {"of": ["f"], "keyword": "k"}})", R"({"argument": {"of": ["f"], "keyword": "k"}})"),
               "the argument k of f, present is already covered"));
    CHECK(says(two(R"({"import": ["*_zz"]})", R"({"import": ["*_zz"]})"), "the import of *_zz is already covered"));
    CHECK(says(two(R"({"kernel": ["zz"]})", R"({"kernel": ["zz"]})"), "the marker zz is already covered"));
    const auto table = [](const std::string& match, const std::string& rows) {
        return R"({"schema": 1, "tables": [{"id": "t", "kind": "amp", "severity": "info", "message": "m", "source": "s", "match": ")" +
               match + "\", \"rows\": " + rows + "}]}";
    };
    CHECK(says(table("name", R"([{"name": "a", "to": "a"}])"), "\"a\" is renamed to itself"));
    CHECK(says(table("environment", R"([{"name": "A_*"}, {"name": "A_B_*"}])"), "\"A_*\" covers it"));
    CHECK(says(table("symbol", R"([{"name": "a*b"}])"), "at its end only"));
    CHECK(says(table("variable_value", R"([{"name": "A", "min": "x"}])"), "\"min\" must be a number"));
    CHECK(says(R"({"schema": 1, "rules": [{"id": "r", "kind": "amp", "severity": "info", "message": "m", "source": " ",
        "match": {"name": ["a"]}}]})",
               "\"source\" is blank"));
    CHECK(
        says(R"({"schema": 1, "framework": {"packages": ["p"], "loaded_by": ["p"], "versions": ["2.1"], "source": "s"},
        "rules": [{"id": "r", "kind": "amp", "severity": "info", "message": "m", "source": "s", "versions": ">=3.0",
        "match": {"name": ["a"]}}]})",
             "none of the known versions"));
    CHECK(
        says(R"({"schema": 1, "framework": {"packages": ["p"], "loaded_by": ["p"], "versions": ["2.1"], "source": "s"},
        "rules": [{"id": "r", "kind": "amp", "severity": "info", "message": "m", "source": "s", "holds_in": "<2.0",
        "match": {"name": ["a"]}}]})",
             "the rule \"r\" is for versions"));
    CHECK(says(table("value_remark", R"([{"name": "A", "value": "x"}, {"name": "A", "value": "X"}])"),
               "already is a row for the value"));
}

TEST_CASE("holds_in: said in these versions of the framework, and not in the newest") {
    auto set = load(R"({"schema": 1, "rules": [{"id": "r", "kind": "amp", "severity": "info", "message": "m",
        "source": "s", "holds_in": "<2.7", "match": {"name": ["a"]}}]})");
    CHECK_FALSE(set->find_rule("r")->holds);
    set->restrict_to(migrator::Version{2, 6});
    CHECK(set->find_rule("r")->holds);
}

TEST_CASE("rule headers: words, placeholders and ids") {
    auto with = [](const std::string& fields) {
        return R"({"schema": 1, "rules": [{"id": "r", "source": "s", "match": {"name": ["a"]}, )" + fields + "}]}";
    };
    CHECK(error_of(with(R"("kind": "x", "severity": "info", "message": "m")")).find("\"kind\" is \"x\"") !=
          std::string::npos);
    CHECK(error_of(with(R"("kind": "amp", "severity": "bad", "message": "m")"))
              .find("not one of \"info\", \"warning\", \"error\"") != std::string::npos);
    CHECK(error_of(with(R"("kind": "amp", "severity": "info", "message": "{nome}")")).find("{nome}") !=
          std::string::npos);
    CHECK(error_of(with(R"("kind": "amp", "severity": "info")")).find("\"message\" is missing") != std::string::npos);
    CHECK(error_of(with(R"("kind": "amp", "severity": "info", "message": "m", "imports": [{"module": "m"}])"))
              .find("\"after\" is missing") != std::string::npos);
    std::string twice =
        R"({"id": "r", "kind": "amp", "severity": "info", "message": "m", "source": "s", "match": {"name": ["a"]}})";
    CHECK(error_of(R"({"schema": 1, "rules": [)" + twice + ", " + twice + "]}").find("already is a rule \"r\"") !=
          std::string::npos);
}

TEST_CASE("tables: rows are strict too") {
    auto table = [](const std::string& match, const std::string& rows, const std::string& more = "") {
        return R"({"schema": 1, "tables": [{"id": "t", "kind": "amp", "severity": "info", "message": "m", "source": "s", "match": ")" +
               match + "\", \"rows\": " + rows + more + "}]}";
    };
    CHECK(error_of(table("nom", "[{}]")).find("not a word that a table can match") != std::string::npos);
    CHECK(error_of(table("name", "[]")).find("at least one row") != std::string::npos);
    CHECK(error_of(table("name", R"([{"name": "a", "two": "b"}])")).find("\"two\" is not known here") !=
          std::string::npos);
    CHECK(error_of(table("package", R"([{"package": "a"}])")).find("has a \"status\"") != std::string::npos);
    CHECK(error_of(table("package", R"([{"package": "a-b"}, {"package": "A_b"}])", R"(, "status": "native")"))
              .find("already is a package") != std::string::npos);
    CHECK(error_of(table("environment", R"([{"name": "V", "same_values": true}])")).find("needs a \"to\"") !=
          std::string::npos);
}

TEST_CASE("effort: of the rule, of the row, or by the severity") {
    auto rules_of = [](const std::string& fields, const std::string& row) {
        return load(R"({"schema": 1, "tables": [{"id": "t", "kind": "amp", "message": "m", "source": "s",
            "match": "name", "rows": [{"name": "a"}, {"name": "b")" +
                    row + "}], " + fields + "}]}");
    };
    const auto usual = rules_of(R"("severity": "warning")", "");
    CHECK(usual->find_rule("t")->effort == migrator::Effort::check);
    CHECK(usual->names.row("a")->effort == migrator::Effort::check);
    CHECK(rules_of(R"("severity": "info")", "")->names.row("a")->effort == migrator::Effort::none);
    const auto said = rules_of(R"("severity": "error", "effort": "rewrite")", R"(, "effort": "port")");
    CHECK(said->names.row("a")->effort == migrator::Effort::rewrite);
    CHECK(said->names.row("b")->effort == migrator::Effort::port);
    CHECK(rules_of(R"("severity": "info", "effort": "much")", "").error().text().find("\"effort\" is \"much\"") !=
          std::string::npos);
}

TEST_CASE("patterns with one star, and how distributions are spelt") {
    CHECK(migrator::fits("*_device", "local_device"));
    CHECK_FALSE(migrator::fits("*_device", "device"));
    CHECK(migrator::fits("NVTE_*", "NVTE_X"));
    CHECK_FALSE(migrator::fits("aba*aba", "abaaba_"));
    CHECK_FALSE(migrator::fits("ab*ba", "aba"));
    CHECK(migrator::normalise_distribution("Flash__Attn.X") == "flash-attn-x");
    CHECK(migrator::fill_message("{name} is {to}. {note}", "a", "b", "") == "a is b.");
}

TEST_CASE("the JSON Schema in rules/ is the one that the program prints") {
    const auto text = base::read_file(base::real_file_system(), test::source_dir() + "/rules/schema/rules.schema.json");
    REQUIRE(text);
    CHECK(*text == migrator::rule_file_schema());  // after a change: tests/lint/schemas.py --fix
}

TEST_CASE("each word is known, and a key that it lacks is named with its line") {
    for (const migrator::RuleWord& word : migrator::rule_words()) {
        CAPTURE(word.name);
        CHECK_FALSE(word.about.empty());
        const std::string name(word.name);
        CHECK(error_of(rule("{\"" + name + "\": {\"qux\": 1}}")).find("is not a word") == std::string::npos);
        CHECK(error_of(rule("{\"" + name + "\": {\"qux\": 1}}")).starts_with("/o/rewrite/test.json:"));
    }
}
