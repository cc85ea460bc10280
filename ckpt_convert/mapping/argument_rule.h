// ArgumentRule: an entry of `args` or `flags`: what a Megatron checkpoint or a training run's command line says.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// "=expr"
struct IntegerOf {
    Expression value;
};
// "?expr"
struct SwitchOf {
    Expression value;
};
// "$name": a fact of the layout that is a text, such as the noop layers.
struct TextOf {
    std::string fact;
};
// "@name": a value of each layer, as a list.
struct ListOf {
    std::string value;
};
// A letter for each layer: that of the value that is not 0 there.
struct LettersOf {
    std::vector<std::pair<std::string, std::string>> values;  // by letter
};
struct RatioOf {
    Expression part, whole;
};
struct FromConfig {
    std::vector<std::string> paths;
    Json fallback;
    bool whole = false;
    std::optional<double> least, most;  // what config.json may say
};
// Json: as it stands.
using ArgumentValue = std::variant<Json, IntegerOf, SwitchOf, TextOf, ListOf, LettersOf, RatioOf, FromConfig>;

struct ArgumentRule {
    std::string name;
    ArgumentValue value;
    std::optional<Expression> when;  // when false: `otherwise`, or left out
    std::optional<Json> otherwise;

    bool is_literal() const { return std::holds_alternative<Json>(value) && !when; }
};

// An entry that is an object.
struct ArgumentEntry {
    std::vector<std::string> config;
    Json fallback;
    bool whole = false;
    std::optional<double> least, most;
    std::optional<ArgumentValue> value;
    std::optional<Expression> when;
    std::optional<Json> otherwise;

    Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const ArgumentEntry*) {
    using base::field;
    return base::record(
        "argument", "an argument with a condition, or from the config",
        field("config", &ArgumentEntry::config,
              "copied from this path of config.json; of several the first that is there"),
        field("default", &ArgumentEntry::fallback, "with `config`: what it is where config.json says nothing"),
        field("whole", &ArgumentEntry::whole,
              "with `config`: what stands there must be a whole number, or a list of them"),
        field("least", &ArgumentEntry::least, "with `config`: the smallest number that may stand there"),
        field("most", &ArgumentEntry::most, "with `config`: the largest number that may stand there"),
        field("value", &ArgumentEntry::value, "what it is, in the form of an entry without a condition"),
        field("when", &ArgumentEntry::when, "it is so where this expression is not 0"),
        field("else", &ArgumentEntry::otherwise, "what it is otherwise; without it the argument is left out"));
}

struct LettersEntry {
    LettersOf letters;
};
constexpr auto record_of(const LettersEntry*) {
    return base::record(
        "letters", "a text with a letter for each layer",
        base::field("letters", &LettersEntry::letters, "by letter the value that is not 0 in the layers that have it")
            .needed());
}

struct RatioEntry {
    RatioOf ratio;
};
constexpr auto record_of(const RatioEntry*) {
    return base::record(
        "ratio", "a quotient with a fraction",
        base::field("ratio", &RatioEntry::ratio, "two expressions: the first is divided by the second").needed());
}

}  // namespace ckpt

namespace base {

template <>
struct InJson<ckpt::LettersOf> {
    static Result<ckpt::LettersOf> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};
template <>
struct InJson<ckpt::RatioOf> {
    static Result<ckpt::RatioOf> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};
template <>
struct InJson<ckpt::ArgumentValue> {
    static Result<ckpt::ArgumentValue> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};
template <>
struct InJson<ckpt::ArgumentRule> {
    static Result<ckpt::ArgumentRule> read(const JsonPlace& at);
    static void describe(SchemaWriter& out);
};

}  // namespace base
