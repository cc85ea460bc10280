// What the arguments saved in a Megatron checkpoint say about its layout, and whether the files agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/plan/topology.h"

namespace ckpt {

// "te" or "local" by transformer_impl; "local" when the arguments do not say.
std::string saved_layers(const Json& args);

// The number of noop layers in the arguments: a text "4,5" from converters, a list from training; 0 without.
std::uint32_t saved_noop_layers(const Json& args);

// num_layers of the arguments, as far as it is plausible.
std::optional<std::uint32_t> saved_slots(const Json& args);

// The number of slots: num_layers of the arguments, or the layers found when they do not say. Fails with bad_input when
// the arguments contradict the files: virtual stages, or layers that are neither there nor noop layers.
Result<std::uint32_t> check_saved_layout(const MegatronCheckpoint& checkpoint, const Placement& placement,
                                         std::uint32_t layers);

}  // namespace ckpt
