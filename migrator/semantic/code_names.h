// CodeNames: which names each function of a Python file mentions whenever it runs: enough to tell which functions a program
// calls in any case.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "migrator/syntax/code_standing.h"

namespace migrator {

struct CodeNames {
    using Name = std::uint64_t;  // its hash
    static Name of(std::string_view name);

    // An outermost function, or a method of an outermost class.
    struct Function {
        Name name = 0;
        std::int32_t of_class = -1;  // its number in `classes`; -1: of none
        bool is_special = false;     // Python calls it: __init__, __getitem__
        std::vector<Name> mentions;  // sorted
    };
    struct Class {
        Name name = 0;
        std::vector<Name> bases;  // sorted; what uses the class uses them
    };
    std::vector<Name> at_load;     // what the code outside functions mentions, sorted
    std::vector<Name> as_program;  // the same of the code for when the file is run
    std::vector<Function> functions;
    std::vector<Class> classes;
};

// A name counts where it stands for what it names: not where something gets it (imports, parameters, variables), where it
// tells a type, nor where one of several is chosen later (what is registered, the values of a table).
CodeNames code_names(const SyntaxTree& tree, const CodeStandings& standings);

}  // namespace migrator
