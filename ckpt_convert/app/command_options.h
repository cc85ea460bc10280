// The commands besides a conversion, for the parser of options.
#pragma once

#include <array>
#include <string>

#include "ckpt_convert/app/options.h"

namespace CLI {
class App;
}

namespace ckpt {

// The commands that convert, or check a conversion: their options are those of the program.
inline constexpr const char* kPlan = "plan";
inline constexpr std::array kConversions{"convert", kPlan, "plan-conversion"};

// What other options of a run are as text, or the other way round.
struct RunWords {
    std::string memory;
    bool no_progress = false;
};

// The options of every command.
void add_run_options(CLI::App& app, Options& options, RunWords& words);

void add_commands(CLI::App& app, Options& options, RunWords& words);

}  // namespace ckpt
