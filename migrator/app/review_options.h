// The command lines of the commands that work with a report.
#pragma once

#include <optional>

#include "migrator/app/options.h"

namespace CLI {
class App;
}

namespace migrator {

void add_review_commands(CLI::App& app, Options& options);

// Which of them was named; nullopt when another command was.
std::optional<Command> review_command_of(const CLI::App& app);

base::Status check_review(const Options& options);

}  // namespace migrator
