// Operations and patterns: what a computation is, how it is written, and which shapes of it a rule looks for. All of it is
// text here; migrator/pattern makes trees of it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "migrator/ruleset/rule.h"

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

// What a hole `$name` of a pattern stands for.
struct HoleRow {
    enum class Is { anything, number, constant, tensor };
    Is is = Is::anything;
    std::vector<std::string> values;  // the only constants that fit, as Python text
    std::vector<std::string> like;    // or patterns, one of which must fit; they share the holes
};

// `pattern`: expressions of these shapes.
struct PatternRow {
    const Rule* rule = nullptr;
    std::string what;               // in words: "RMSNorm"
    std::vector<std::string> code;  // Python with holes; each shape that means the same
    std::map<std::string, HoleRow, std::less<>> holes;
    std::string precondition;  // what cannot be seen in the code; with one, a person looks before the fix is applied
    std::string place;         // file:line:column of the rule, for errors
    std::string write;         // fix: Python with the same holes; empty: only reported
    bool drop_import = false;  // fix: imports that nothing else uses go
};

// `definition`: classes and functions of the project with these names and parameters.
struct DefinitionRow {
    const Rule* rule = nullptr;
    bool is_class = false;
    std::vector<std::string> names;
    std::map<std::string, std::vector<std::string>, std::less<>>
        parameters;  // by method; "" for a function; without self
};

}  // namespace migrator
