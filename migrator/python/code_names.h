// CodeNames: which names each function of a Python file mentions whenever it runs: enough to tell which functions a program
// calls in any case.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "migrator/syntax/syntax_tree.h"

namespace migrator {

struct CodeNames {
    using Name = std::uint64_t;  // its hash
    static Name of(std::string_view name);

    // An outermost function, or a method of an outermost class.
    struct Function {
        Name name = 0;
        Name of_class = 0;               // 0: of none
        bool is_called_by_base = false;  // it may be: a special method, or one of a class with bases
        std::vector<Name> mentions;      // sorted
    };
    std::vector<Name>
        at_load;  // what the code outside functions mentions, sorted; names that imports bind do not count
    std::vector<Function> functions;
    std::vector<Function> classes;  // what uses one uses its bases, which it mentions
};

// When code runs, once its file has been loaded.
struct CodeStanding {
    std::int32_t function = -1;  // when this function of CodeNames is called; -1: at once
    bool sometimes = false;      // only if something holds, or as long as nothing fails
};

// By node, for the whole tree.
using CodeStandings = std::vector<CodeStanding>;
CodeStandings code_standings(const SyntaxTree& tree);

CodeNames code_names(const SyntaxTree& tree, const CodeStandings& standings);

}  // namespace migrator
