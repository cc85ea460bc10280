// Options that several commands have.
#pragma once

#include "migrator/app/options.h"

namespace CLI {
class App;
}

namespace migrator {

void add_rules_option(CLI::App& command, Options& options);
void add_json_option(CLI::App& command, Options& options);
void add_chip_option(CLI::App& command, Options& options);

}  // namespace migrator
