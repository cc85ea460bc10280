// script_exports: what a script of a project gives the programs that it starts, by the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

// An assignment, in the order of the script.
struct ScriptAssignment {
    std::string name;
    std::string value;  // as it is written, with its quotes
    std::string place;  // for people: "line 3", "line 2 of env.sh"
    bool is_exported = false;
    bool is_certain = true;  // false: under a condition, or computed by a command or from arguments
};

// The text of a file that a script sources; nullopt: the project has no such file. Empty: no file is looked for.
using ReadSourced = std::function<std::optional<std::string>(std::string_view path)>;

// Of the lines up to that of the command which starts the program, this one included: `export A=1`, `A=1`, then `export A`,
// `A=1 torchrun train.py`, and what the files that it sources export. Assignments that are not exported are there where an
// exported value reads them.
std::vector<ScriptAssignment> script_exports(std::string_view text, std::uint32_t last_line,
                                             const ReadSourced& read_sourced = {});

// Of a makefile, to a recipe of which the line belongs: what it exports to all of them or to this target, and what the
// recipe sets in front of the command.
std::vector<ScriptAssignment> make_exports(std::string_view text, std::uint32_t line);

}  // namespace migrator
