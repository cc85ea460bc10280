// `registration`, `kernel` and tables of symbols: what C++ and CUDA sources show.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

// Operators that C++ code offers to Python.
struct RegistrationRow {
    const Rule* rule = nullptr;
    std::vector<std::string> macros;   // "TORCH_LIBRARY"
    std::vector<std::string> methods;  // "def"
    std::vector<std::string> keys;     // only where the macro's second argument is one of these; empty: everywhere
    bool namespaced = false;           // the macro's first argument is a part of the operators' names
};

constexpr auto record_of(const RegistrationRow*) {
    return base::record(
        "registration", "operators that C++ offers to Python",
        base::field("macros", &RegistrationRow::macros, "macros that open a block of them").needed(),
        base::field("methods", &RegistrationRow::methods, "methods that name one").needed(),
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
