// Memory of FSDP2: every rank has all layers, a share of each, and the layers at work whole.
#pragma once

#include "ckpt_convert/memory/stage_memory.h"

namespace ckpt {

// Sources: MindSpeed-LLM mindspeed_llm/fsdp2, MindSpeed mindspeed/fsdp, torch.distributed.fsdp.fully_shard. Weights are
// float32 shards unless the job says otherwise; units are layers, the experts of a layer, embedding and head.
StageMemory sharded_memory(const ModelShape& model, const TrainingJob& job, bool npu);

}  // namespace ckpt
