#include "migrator/app/common_options.h"

#include <CLI/CLI.hpp>

namespace migrator {

void add_rules_option(CLI::App& command, Options& options) {
    command.add_option("--rules", options.rules, "Directory whose rule files add to the built-in ones or replace them")
        ->option_text("DIR");
}

void add_json_option(CLI::App& command, Options& options) {
    command.add_flag("--json", options.json, "Print the result as JSON")->configurable(false);
}

void add_chip_option(CLI::App& command, Options& options) {
    command.add_option("--chip", options.chip, "The chip: A2 (default), A3, 950, 910A, 310P or 310B; 910b is A2")
        ->option_text("CHIP");
}

}  // namespace migrator
