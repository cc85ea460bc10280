// What a DeepSpeed engine saves with its module besides tensors.
#pragma once

#include <cstdint>

#include "ckpt_convert/execute/named_training.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"

namespace ckpt {

// What DeepSpeed asks for before it reads on: of ZeRO 1 any version behind 0.3.17.
inline constexpr const char* kDeepSpeedVersion = "0.19.8";

// Adds counts of steps, and that there is no schedule.
void set_engine_state(TorchFilePlan& file, pickle::Value* root, const NamedTraining& training, std::uint32_t ranks);

}  // namespace ckpt
