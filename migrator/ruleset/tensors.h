// TensorFacts: how code shows the type of a tensor's elements, and which interface an operator is (section `tensors`).
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "migrator/rule/rule_word.h"

namespace migrator {

// Qualified names -> the word of the tables for it. In files the other way: {"fp64": ["torch.float64", "torch.double"]}.
struct WordsByName : ByName<std::string> {};

struct TensorFacts {
    std::string type;                     // "torch.Tensor"
    WordsByName dtypes;                   // "torch.float64" -> "fp64"
    WordsByName made_by;                  // of a function's result: "torch.Tensor.double"
    ByName<std::string> operators;        // "@" -> "torch.Tensor.matmul"
    std::vector<std::string> casts;       // methods whose first argument is the new type
    std::vector<std::string> same_dtype;  // methods that compute nothing: views, moves
    std::vector<std::string> proof;       // a list of accepted types is a limit when it names two of these at least

    // Whether a value of this type is outside of what an interface accepts.
    bool excludes(const std::vector<std::string>& accepted, std::string_view dtype) const;
    bool computes(std::string_view function) const {
        return !base::contains(casts, function) && !base::contains(same_dtype, function);
    }
};

constexpr auto record_of(const TensorFacts*) {
    return base::record(
        "tensors", "how code shows the type of a tensor's elements",
        base::field("type", &TensorFacts::type, "the class").needed(),
        base::field("dtypes", &TensorFacts::dtypes, "word of the tables to the names of the type"),
        base::field("made_by", &TensorFacts::made_by,
                    "word to functions whose result has it; under an empty word conversions to types nobody asks for"),
        base::field("casts", &TensorFacts::casts, "methods that take a type first"),
        base::field("same_dtype", &TensorFacts::same_dtype, "methods that compute nothing"),
        base::field("proof", &TensorFacts::proof,
                    "a list of accepted types is a limit when it names two of these; shorter ones only say what was "
                    "tested"),
        base::field("operators", &TensorFacts::operators, "operators to the interface that they are"));
}

base::Status add(RuleSet& set, TensorFacts facts, const base::JsonPlace& at);

}  // namespace migrator

template <>
struct base::InJson<migrator::WordsByName> {
    static Result<migrator::WordsByName> read(const JsonPlace& at);
    static void describe(SchemaWriter& out) { InJson<migrator::ByName<std::vector<std::string>>>::describe(out); }
};
