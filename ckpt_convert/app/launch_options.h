// The options of the command launch.
#pragma once

#include "ckpt_convert/app/options.h"
#include "ckpt_convert/app/raw_options.h"

namespace CLI {
class App;
}

namespace ckpt {

void add_launch(CLI::App& app, Options& options);

// What the options of the program say of the scripts: the target and the layout. Fails with usage.
Status take_launch(Options& options, const RawOptions& raw);

}  // namespace ckpt
