// started_programs: the commands in scripts and workflows that start a Python program, and how they do it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/start/start_facts.h"

namespace migrator {

struct StartedProgram {
    const Launcher* launcher = nullptr;
    std::string program;    // as the command has it, without variables in front: "tools/train.py"; the file of a module
    std::string processes;  // on a machine, a number; empty: the command does not say, or computes it
    std::string command;    // on one line
    std::uint32_t line = 0;
    std::vector<std::string> headers;  // lines for the top of the script
    bool is_module = false;            // it is started with -m
};

// In the order of the text. Comments start nothing.
std::vector<StartedProgram> started_programs(std::string_view text, const StartFacts& facts);

// Whether a word of a command is this one of a launcher's, as Launcher::words has it.
bool fits_launcher(std::string_view word, std::string_view pattern);

}  // namespace migrator
