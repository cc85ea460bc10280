// The command line of `migrator profile`.
#pragma once

#include "migrator/app/options.h"

namespace CLI {
class App;
}

namespace migrator {

void add_profile(CLI::App& app, Options& options);

}  // namespace migrator
