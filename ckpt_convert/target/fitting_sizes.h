// fitting_sizes: all that keeps the asked sizes from fitting a model, with the sizes that do.
#pragma once

#include "ckpt_convert/target/megatron_target.h"

namespace ckpt {

// The error of megatron_target() or mcore_layout(), made whole where it is about TP, EP or PP; else as it is.
base::Error with_fitting_sizes(base::Error error, const Knowledge& knowledge, const Model& model,
                               const ConvertOptions& options);

}  // namespace ckpt
