// What a Megatron checkpoint tells about its own layout: nothing of it is asked again.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/mapping/model_mapping.h"
#include "ckpt_convert/mapping/target.h"
#include "ckpt_convert/plan/layout.h"

namespace ckpt {

struct FoundLayout {
    ParallelLayout parallel;
    std::uint32_t layers = 0;  // without noop layers
    std::uint32_t mtp_layers = 0;
    // All dialects with these names, that of `parallel` first: what differs between them shows in shapes.
    std::vector<Dialect> dialects;
};

// The dialect whose names fit best; which layers each stage holds, by the layer numbers in the tensor names (gaps are
// noop layers); the padded vocabulary, by the shape of the embedding. Fails with bad_input when ranks disagree, or when
// the saved arguments contradict what was found.
Result<FoundLayout> find_layout(const MegatronCheckpoint& checkpoint, const ModelMapping& mapping,
                                const TargetRegistry& targets);

// The families whose mcore names are those of the checkpoint: no name unexplained, none missing. Several families
// may store the same tensors.
std::vector<const ModelMapping*> fitting_families(const MegatronCheckpoint& checkpoint, const MappingRegistry& registry,
                                                  const TargetRegistry& targets);

}  // namespace ckpt
