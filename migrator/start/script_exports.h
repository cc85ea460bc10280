// script_exports: what a script of a project gives the programs that it starts, by the environment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

// An assignment, in the order of the script.
struct ScriptAssignment {
    std::string name;
    std::string value;  // as it is written, with its quotes
    std::uint32_t line = 0;
    bool is_exported = false;
    bool is_certain = true;  // false: under a condition, or computed by a command or from arguments
};

// Of the lines up to that of the command which starts the program, this one included: `export A=1`, `A=1`, then `export A`,
// `A=1 torchrun train.py`. Assignments that are not exported are there where an exported value reads them.
std::vector<ScriptAssignment> script_exports(std::string_view text, std::uint32_t last_line);

}  // namespace migrator
