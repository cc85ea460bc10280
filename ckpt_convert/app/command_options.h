// The commands besides a conversion, for the parser of options.
#pragma once

#include "ckpt_convert/app/options.h"

namespace CLI {
class App;
}

namespace ckpt {

void add_commands(CLI::App& app, Options& options);

}  // namespace ckpt
