#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/mapping/mapping_loader.h"
#include "ckpt_convert/plan/arguments.h"
#include "tests/support/memory_file_system.h"

using base::Json;
using ckpt::ArgumentFacts;

namespace {

// A family with one value, one weight and these sections, and what the sections come to.
class Rules {
public:
    explicit Rules(const std::string& sections) {
        test::MemoryFileSystem fs;
        fs.add("rules/models/mine.json",
               R"({"schema": "model-mapping/1", "family": "mine", "title": "t",
                   "values": {"layers": {"default": "3"}, "vocab": {"default": "1"}}, "weights": {"w": {"shape": ["1"]}},
                   "hf": [{"name": "w", "of": "w", "stage": "first"}],
                   "mcore": [{"name": "w", "of": "w", "stage": "first"}], )" +
                   sections + "}");
        REQUIRE(store_.overlay(fs, "rules", "rules"));
        base::RuleFiles files(store_);
        auto mapping = ckpt::load_mapping(files, "rules/models/mine.json");
        REQUIRE_MESSAGE(mapping, mapping.error().text());
        mapping_ = std::move(*mapping);
        model_ = *ckpt::Model::make(mapping_, {{"layers", 3}, {"vocab", 1}});
        facts.numbers = {{"tp", 2}, {"off", 0}};
        facts.texts = {{"noops", "0,3"}};
    }

    Rules& config(const std::string& json) { return facts.config = &parse(json), *this; }
    Rules& saved(const std::string& json) { return facts.saved = &parse(json), *this; }

    // "name=value name=value"
    std::string arguments() const {
        auto args = ckpt::checkpoint_arguments(model_, facts);
        REQUIRE_MESSAGE(args, args.error().text());
        std::vector<std::string> out;
        for (const auto& [name, value] : *args->object()) out.push_back(name + "=" + text(value));
        return base::joined(out, " ");
    }
    std::string flags() const {
        auto lines = ckpt::training_flags(model_, facts);
        REQUIRE_MESSAGE(lines, lines.error().text());
        return base::joined(*lines, "\n");
    }
    base::Error error() const {
        auto args = ckpt::checkpoint_arguments(model_, facts);
        REQUIRE_FALSE(args);
        return args.error();
    }

    ArgumentFacts facts;

private:
    const Json& parse(const std::string& json) {
        documents_.push_back(std::make_unique<base::JsonDocument>(*base::parse_json(json, "json")));
        return documents_.back()->root;
    }
    static std::string text(const Json& value) {
        if (const auto* flag = value.boolean()) return *flag ? "true" : "false";
        if (const auto* integer = value.integer()) return std::to_string(*integer);
        if (const auto* real = value.real()) return base::format("{}", *real);
        if (const auto* string = value.string()) return "'" + *string + "'";
        return value.kind_name();
    }

    base::DataStore store_;
    ckpt::ModelMapping mapping_;
    ckpt::Model model_;
    std::vector<std::unique_ptr<base::JsonDocument>> documents_;
};

}  // namespace

TEST_CASE("arguments: numbers, truth values, texts and literals") {
    CHECK(Rules(R"("args": {"n": "=layers * tp", "yes": "?tp > 1", "no": "?off", "t": "$noops", "s": "rope",
                            "real": 1e-5, "whole": 7, "none": null, "flag": false})")
              .arguments() == "n=6 yes=true no=false t='0,3' s='rope' real=1e-05 whole=7 none=null flag=false");
}

TEST_CASE("arguments: conditions leave out, or choose the other value") {
    CHECK(Rules(R"("args": {"a": {"value": "=tp", "when": "off"}, "b": {"value": "$noops", "when": "off", "else": "x"},
                            "c": {"value": "te", "when": "tp", "else": "local"}, "d": {"value": null, "when": "tp"},
                            "e": {"value": "=1", "when": "off", "else": null}})")
              .arguments() == "b='x' c='te' d=null e=null");
}

TEST_CASE("arguments: values of the config, by the first path that says something, else the default") {
    const char* rules = R"("args": {"base": {"config": ["rope_theta", "rope.theta"], "default": 10000},
                                    "eps": {"config": "eps", "default": null}})";
    CHECK(Rules(rules).config(R"({"rope_theta": 5e5, "rope": {"theta": 7}})").arguments() == "base=500000 eps=null");
    CHECK(Rules(rules).config(R"({"rope_theta": null, "rope": {"theta": 7}})").arguments() == "base=7 eps=null");
    CHECK(Rules(rules).config("{}").arguments() == "base=10000 eps=null");
    CHECK(Rules(rules).arguments() == "base=10000 eps=null");
    // A checkpoint without config keeps what it was saved with.
    CHECK(Rules(rules).saved(R"({"base": 42, "eps": 0.5})").arguments() == "base=42 eps=0.5");
    CHECK(Rules(rules).config(R"({"eps": 0.25})").saved(R"({"base": 42, "eps": 0.5})").arguments() ==
          "base=42 eps=0.25");
    CHECK(Rules(rules).saved(R"({"base": null})").arguments() == "base=10000 eps=null");
}

TEST_CASE("arguments: those of the source go on, except what the layout decides") {
    const char* rules = R"("args": {"tp": "=tp", "bias": false, "vpp": {"value": "=2", "when": "off"},
                                    "impl": {"value": "te", "when": "tp", "else": "local"}})";
    CHECK(
        Rules(rules).saved(R"({"lr": 0.5, "tp": 8, "bias": true, "vpp": 4, "impl": "local", "seed": 1})").arguments() ==
        "lr=0.5 tp=2 bias=true impl='te' seed=1");
    CHECK(Rules(rules).saved(R"({"lr": 1})").arguments() == "lr=1 tp=2 bias=false impl='te'");
    CHECK(Rules(rules).saved("[]").arguments() == "tp=2 bias=false impl='te'");
}

TEST_CASE("arguments: a rule that refers to nothing is named") {
    auto error = Rules(R"("args": {"t": "$nothing"})").error();
    CHECK(error.kind == base::ErrorKind::rule_data);
    CHECK(error.message == "t: there is no text \"$nothing\"");
    CHECK(Rules(R"("args": {"n": "=width"})").error().message == "\"width\" has no value in \"width\"");
}

TEST_CASE("training flags: one line each, with values where there are some") {
    CHECK(Rules(R"("flags": {"--layers": "=layers", "--on": "?tp", "--off": "?off", "--swiglu": true, "--no": false,
                             "--none": null, "--eps": {"config": "eps"}, "--base": {"config": "base", "default": 1e4},
                             "--list": {"config": "list"}, "--absent": {"value": 1, "when": "off"}})")
              .config(R"({"eps": 1e-6, "list": [1, 2.5, "x y"]})")
              .flags() == "--layers 3\n--on\n--swiglu\n--eps 1e-06\n--base 10000\n--list '1,2.5,x y'");
}

TEST_CASE("training flags: what a shell would read is quoted") {
    auto flag = [](const std::string& json_text) {
        return Rules(R"("flags": {"--f": {"config": "f"}})").config(R"({"f": ")" + json_text + R"("})").flags();
    };
    CHECK(flag("rope") == "--f rope");
    CHECK(flag("a/b.c_d-e:f@g%h=i+j") == "--f a/b.c_d-e:f@g%h=i+j");
    // In a list of words a comma looks like a slip: shellcheck SC2054.
    CHECK(flag("127,0") == "--f '127,0'");
    CHECK(flag("") == "--f ''");
    CHECK(flag("Et*3|(tt|)*2,t|L") == "--f 'Et*3|(tt|)*2,t|L'");
    CHECK(flag("it's") == "--f 'it'\\''s'");
    CHECK(flag("$(reboot)") == "--f '$(reboot)'");
    CHECK(flag("`x`") == "--f '`x`'");
    CHECK(flag("~") == "--f '~'");
    CHECK(flag("a b") == "--f 'a b'");
    CHECK(flag("a\\nb") == "--f $'a\\012b'");
    CHECK(flag("\xC3\xA9") == "--f '\xC3\xA9'");
}

TEST_CASE("training flags: integers beyond 63 bits are written") {
    CHECK(Rules(R"("flags": {"--f": {"config": "f"}})").config(R"({"f": 18446744073709551615})").flags() ==
          "--f 18446744073709551615");
}

TEST_CASE("arguments: without a config those of the source win, but for what a conversion changes") {
    Rules rules(
        R"("args": {"kind": {"value": "alibi", "when": "layers == 3", "else": "rope"}, "base": {"config": "theta", "default": 1},
                   "size": {"value": "=tp", "when": "tp > 1"}, "always": "?1"},
                  "flags": {"--base": {"config": "theta", "default": 1}, "--size": "=tp", "--kind": "rope"})");
    rules.saved(R"({"kind": "learned", "base": 7, "size": 64, "always": false, "own": 5})");
    CHECK(rules.arguments() == "kind='alibi' base=7 size=2 always=true own=5");
    CHECK(rules.flags() == "--base 7\n--size 2\n--kind learned");
    rules.config(R"({"theta": 9})");
    CHECK(rules.arguments() == "kind='alibi' base=9 size=2 always=true own=5");
    CHECK(rules.flags() == "--base 9\n--size 2\n--kind rope");
}

TEST_CASE("arguments: a ratio has a fraction; a text that this conversion lacks is that of the source") {
    Rules rules(
        R"("args": {"half": {"ratio": ["tp", "layers + 1"]}, "text": "$config", "none": {"value": {"ratio": [1, 2]}, "when": "off"}})");
    rules.saved(R"({"text": "as it was"})");
    CHECK(rules.arguments() == "text='as it was' half=0.5");
    rules.facts.texts["config"] = "{}";
    CHECK(rules.arguments() == "text='{}' half=0.5");
}

TEST_CASE("training flags: a path in the checkpoint is one that the shell completes") {
    Rules rules(R"("flags": {"--config": "$config_path"})");
    rules.facts.texts["config_path"] = std::string(ckpt::kCheckpointDir) + "hf_config/config.json";
    CHECK(rules.flags() == "--config \"$CHECKPOINT_DIR/hf_config/config.json\"");
}
