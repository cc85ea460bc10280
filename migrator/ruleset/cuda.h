// `registration`, `kernel` and tables of symbols: what C++ and CUDA sources show.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

// Operators that C++ code offers to Python: by a macro, as a class, or by a function of Python that compiles it.
struct RegistrationRow {
    const Rule* rule = nullptr;
    std::vector<std::string> macros;    // "TORCH_LIBRARY"
    std::vector<std::string> bases;     // "Function" of class Scale : public Function<Scale>
    std::vector<std::string> builders;  // "torch.utils.cpp_extension.load_inline"
    std::vector<std::string> methods;   // "def"
    std::vector<std::string> keys;      // only where the macro's second argument is one of these; empty: everywhere
    bool namespaced = false;            // the macro's first argument is a part of the operators' names

    base::Status check(const base::JsonPlace& at) const;
};

constexpr auto record_of(const RegistrationRow*) {
    return base::record(
        "registration", "operators that C++ offers to Python",
        base::field("macros", &RegistrationRow::macros, "macros that open a block of them"),
        base::field("bases", &RegistrationRow::bases,
                    "templates whose subclasses, which they are given, are an operator with its gradient"),
        base::field("builders", &RegistrationRow::builders,
                    "functions of Python among `operator_places` that compile C++ in texts, and name the operators"),
        base::field("methods", &RegistrationRow::methods,
                    "methods that name one in the block of a macro; those of a class, that for the operator first"),
        base::field("keys", &RegistrationRow::keys, "only where the macro's second argument is one of these"),
        base::field("namespaced", &RegistrationRow::namespaced, "the macro's first argument belongs to the names"));
}

// Functions marked for the device in CUDA sources.
struct KernelRow : NameList {
    static constexpr std::string_view kClaim = "the marker {}";
    const Rule* rule = nullptr;
};

// A name of C++ or CUDA, qualified, or its beginning and a *.
struct SymbolRow {
    const Rule* rule = nullptr;
    std::string name;
    std::string to;  // empty: there is no counterpart
    std::string note;
    std::string source;
    Effort effort = Effort::none;
};

constexpr auto record_of(const SymbolRow*) {
    return base::record(
        "symbol_row", "a name of C++ or CUDA, said once per file",
        base::field("name", &SymbolRow::name, "qualified; may end in `*`, then no part alone stands for it").needed(),
        base::field("to", &SymbolRow::to, "its counterpart"),
        base::field("note", &SymbolRow::note, "the `{note}` of the message"),
        base::field("source", &SymbolRow::source, "where the fact comes from, if not from the table's source"),
        base::field("effort", &SymbolRow::effort, "as of a rule"));
}

base::Status add(RuleSet& set, SymbolRow row, const Adding& adding);

}  // namespace migrator
