// ValueRule and WeightRule: the sizes and switches of a model, and its logical tensors.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/mapping/rule_json.h"
#include "ckpt_convert/mapping/stored_rule.h"

namespace ckpt {

struct ValueRule {
    std::string name;
    Each each = Each::model;          // of each layer: from a list in the config, or a default that uses "layer"
    std::vector<std::string> listed;  // of each layer: lists in config.json with the layers that have 1
    std::optional<std::int64_t> listed_from;  // the number of the first layer in them, if not 0
    // Dotted paths in config.json, the first that is there counts. With "*" as one of its names a path leads into every item
    // of a list.
    std::vector<std::string> config;
    std::vector<std::string> arguments;  // names in the Megatron arguments, or paths into texts there that are JSON
    bool argument_negated = false;       // "!untie_...": the argument says the opposite
    // By argument: another one without which it does not count. That one must be true, where it is there.
    std::map<std::string, std::string, std::less<>> argument_needs;
    std::vector<std::string> is;         // the value is 1 when the config has one of these texts there, else 0
    bool count = false;                  // a list or a text there counts by its length
    bool first = false;                  // of a list there the first number counts
    std::int64_t times = 1;              // numbers there, which may have a fraction, times this, and rounded
    std::optional<Expression> fallback;  // from other values

    Status check(const base::JsonPlace& at);
};

constexpr auto record_of(const ValueRule*) {
    using base::field;
    return base::record(
        "value", "a size or a switch that the rest of the file computes with",
        field("config", &ValueRule::config,
              "paths in config.json, of which the first that is there counts; `*` stands for every item of a list"),
        field("arg", &ValueRule::arguments,
              "attributes of the arguments saved in a Megatron checkpoint; `\"!name\"` means the opposite of it"),
        field("arg_needs", &ValueRule::argument_needs,
              "by such an argument another one without which it does not count"),
        field("default", &ValueRule::fallback,
              "an expression over other values, for where nothing else says it; without it the value is required"),
        field("is", &ValueRule::is,
              "the value is 1 when the config has one of these texts there, else 0; of a text with a letter for each "
              "layer, 1 for these letters"),
        field("count", &ValueRule::count, "a list or a text there counts by its length"),
        field("first", &ValueRule::first, "a list there counts by its first number"),
        field("times", &ValueRule::times, "numbers there count this many times, rounded: so fractions are read"),
        field("each", &ValueRule::each, "`layer`: the value differs by layer, and `default` may use `layer`"),
        field("listed", &ValueRule::listed,
              "with `each`: lists in the config (or texts with commas) of the numbers of the layers that have 1"),
        field("listed_from", &ValueRule::listed_from, "the number of the first layer in such a list; without it 0"));
}

struct WeightRule {
    std::string name;  // "attention.q"
    Each each = Each::model;
    bool cast = true;     // false: keeps its element type, whatever the others are cast to
    bool buffer = false;  // of its module: no optimizer trains it
    // The model computes nothing with it: zeros where a source lacks it, and no loss where a target has no place for it.
    std::optional<Expression> unused;
    std::vector<Expression> shape;
    std::optional<Expression> when;
};

constexpr auto record_of(const WeightRule*) {
    using base::field;
    return base::record(
        "weight", "a logical tensor: full, unsharded, named neutrally",
        field("shape", &WeightRule::shape, "an expression for each axis").needed(),
        field("each", &WeightRule::each, "how many there are: one, one per layer, one per expert of each layer"),
        field("when", &WeightRule::when,
              "where this is 0 the weight is left out, of a single layer when it uses values that differ by layer"),
        field("cast", &WeightRule::cast, "false: it keeps its element type whatever the others are cast to"),
        field("buffer", &WeightRule::buffer, "it is a buffer of its module, which no optimizer trains"),
        field("unused", &WeightRule::unused,
              "a condition under which the model computes nothing with it: it may be stored on one side only, is zeros "
              "where a source lacks it, and no loss where a target has no place for it; a Hugging Face tensor of "
              "nothing else is neither read nor written"));
}

}  // namespace ckpt
