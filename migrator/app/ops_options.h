// The command line of ops.
#pragma once

#include "migrator/app/options.h"

namespace CLI {
class App;
}

namespace migrator {

void add_ops(CLI::App& app, Options& options);

// Adds `operators` to the command `rules`.
void add_operator_list(CLI::App& rules, Options& options);

}  // namespace migrator
