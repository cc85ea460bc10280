// What a Megatron checkpoint tells about its own layout: nothing of it is asked again.
#pragma once

#include <string>

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/plan/topology.h"

namespace ckpt {

struct FoundLayout {
    std::string dialect;
    Placement placement;
};

// The dialect whose names fit best, and which layers each stage holds, by the layer numbers in the tensor names (gaps
// are noop layers). Fails with bad_input when the ranks of a stage disagree or the layers do not add up to `layers`.
base::Result<FoundLayout> find_layout(const MegatronCheckpoint& checkpoint, const ModelMapping& mapping,
                                      std::uint32_t layers);

}  // namespace ckpt
