// The command line of `migrator compare`.
#pragma once

#include "migrator/app/options.h"

namespace CLI {
class App;
}

namespace migrator {

void add_compare(CLI::App& app, Options& options);

}  // namespace migrator
