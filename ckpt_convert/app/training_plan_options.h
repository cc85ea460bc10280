// The options of `plan` that plan a training.
#pragma once

#include "ckpt_convert/app/options.h"
#include "ckpt_convert/app/raw_options.h"

namespace CLI {
class App;
}

namespace ckpt {

// Adds them to the command `plan`, which plans a training when --devices is given.
void add_training_plan(CLI::App& plan, Options& options);

// Takes the layout from the options of conversions. Fails with usage.
Status take_training_plan(Options& options, const RawOptions& raw);

}  // namespace ckpt
