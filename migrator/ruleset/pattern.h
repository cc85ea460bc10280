// `pattern`, `definition` and the section `operations`: what a computation is, how it is written, and which shapes of it a
// rule looks for. All of it is text here; migrator/pattern makes trees of it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "migrator/rule/rule_word.h"

namespace migrator {

// Something that code computes, whatever it is written as. Two spellings of one operation are the same to a pattern.
struct OperationRow {
    std::string name;                          // a qualified name, itself a spelling: "torch.pow"
    std::vector<std::string> parameters;       // "input", "exponent"
    bool commutative = false;                  // the first two arguments may change places
    bool random = false;                       // twice is not the same as once
    bool in_place = false;                     // writes to its first argument
    std::optional<std::size_t> in_place_with;  // the parameter with which it does, unless that is False
    bool number = false;                       // gives a number of Python, not a tensor
};

// A parameter as one spelling has it.
struct SpelledParameter {
    std::size_t place = 0;              // in the parameters of the operation
    std::vector<std::string> keywords;  // "dim", "axis"
    std::optional<std::string> value;   // Python text: what it is when nothing is written
    bool fixed = false;                 // it is always that and cannot be written: x.square() is x.pow(2)
};

// One way to write an operation: a function "torch.pow", a method of instances "torch.Tensor().pow", an element of their
// member "torch.Tensor().shape[]", a call of an instance "torch.nn.SiLU()()" (the first parameter is then that of the call,
// the others those of the class), an operator "**" or a prefix operator "-x".
struct OperationSpelling {
    std::size_t operation = 0;
    bool method = false;                       // the receiver is the first argument
    std::vector<SpelledParameter> parameters;  // in the order of positional arguments
};

// An operation as a file lists it.
struct OperationEntry {
    std::string name;
    std::vector<std::string> parameters, also;
    ByName<std::vector<std::string>> forms;
    bool commutative = false, random = false, in_place = false, number = false;
    std::string in_place_with;
};
constexpr auto record_of(const OperationEntry*) {
    return base::record(
        "operation", "something that code computes, and the ways to write it",
        base::field("name", &OperationEntry::name, "a qualified name, itself a way to write it").needed(),
        base::field("parameters", &OperationEntry::parameters, "`\"dim|axis=-1\"`: two keywords and the default")
            .needed(),
        base::field("also", &OperationEntry::also, "ways to write it that take the same"),
        base::field("forms", &OperationEntry::forms, "others, where `\"exponent:=2\"` is always that"),
        base::field("commutative", &OperationEntry::commutative, "the first two arguments may change places"),
        base::field("random", &OperationEntry::random, "twice is not once"),
        base::field("in_place", &OperationEntry::in_place, "it writes to its first argument"),
        base::field("in_place_with", &OperationEntry::in_place_with,
                    "the parameter with which it does, unless that is False"),
        base::field("number", &OperationEntry::number, "gives a number of Python"));
}

// What a hole `$name` of a pattern stands for.
enum class HoleKind { anything, number, constant, tensor };
std::string_view name(HoleKind kind);

struct HoleRow {
    HoleKind is = HoleKind::anything;
    std::vector<std::string> values;  // the only constants that fit, as Python text
    std::vector<std::string> like;    // or patterns, one of which must fit; they share the holes
};
constexpr auto record_of(const HoleRow*) {
    return base::record("hole", "what a hole of a pattern stands for",
                        base::field("is", &HoleRow::is, "`number`: of Python, no tensor"),
                        base::field("values", &HoleRow::values, "the only constants that fit"),
                        base::field("like", &HoleRow::like, "further patterns, one of which must fit"));
}

struct PatternFix {
    std::string write;         // Python with the same holes; empty: only reported
    bool drop_import = false;  // imports that nothing else uses go
};
constexpr auto record_of(const PatternFix*) {
    return base::record(
        "pattern_fix", "what is written in place of the expression",
        base::field("write", &PatternFix::write,
                    "Python with the same holes; `eps=$eps?` is left out where the code does not write it"),
        base::field("drop_import", &PatternFix::drop_import, "imports that only the replaced code used go"));
}

struct PatternRow {
    const Rule* rule = nullptr;
    std::string what;               // in words: "RMSNorm"
    std::vector<std::string> code;  // Python with holes; each shape that means the same
    ByName<HoleRow> holes;
    std::string precondition;  // what cannot be seen in the code; with one, a person looks before the fix is applied
    std::string place{};       // file:line:column of the rule, for errors
    PatternFix fix{};
};
constexpr auto record_of(const PatternRow*) {
    return base::record(
        "pattern", "expressions of a shape, whatever they are written with",
        base::field("what", &PatternRow::what, "what it is, in a word or two; the finding's subject").needed(),
        base::field("code", &PatternRow::code,
                    "Python with holes `$name`; several shapes may mean the same. Names are written in full")
            .needed(),
        base::field("holes", &PatternRow::holes, "what the holes stand for"),
        base::field("precondition", &PatternRow::precondition,
                    "what cannot be seen in the code. With one, only `--apply review` applies the fix"));
}

// Classes and functions of the project with these names and parameters.
struct DefinitionEntry {
    std::vector<std::string> classes, functions, parameters;
    ByName<std::vector<std::string>> methods;

    base::Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const DefinitionEntry*) {
    return base::record(
        "definition", "what the project defines under these names, with exactly these parameters",
        base::field("classes", &DefinitionEntry::classes, "names of classes"),
        base::field("methods", &DefinitionEntry::methods, "their methods, to their parameters without `self`"),
        base::field("functions", &DefinitionEntry::functions, "or names of functions"),
        base::field("parameters", &DefinitionEntry::parameters, "of the functions"));
}

struct DefinitionRow {
    const Rule* rule = nullptr;
    bool is_class = false;
    std::vector<std::string> names;
    ByName<std::vector<std::string>> parameters;  // by method; "" for a function; without self
};

base::Status add(RuleSet& set, std::vector<OperationEntry> entries, const base::JsonPlace& at);
base::Status add(RuleSet& set, PatternRow row, PatternFix fix, const Adding& adding);
base::Status add(RuleSet& set, DefinitionEntry entry, const Adding& adding);

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::HoleKind> = [] {
    using enum migrator::HoleKind;
    return std::to_array({number, constant, tensor});
}();
