// The state of the optimizer, on its way with the weights from one checkpoint of shards to torch.distributed.checkpoint.
#pragma once

#include "ckpt_convert/execute/dcp_output.h"
#include "ckpt_convert/open/sharded_training.h"
#include "ckpt_convert/open/source.h"
#include "ckpt_convert/plan/conversion_plan.h"
#include "ckpt_convert/target/convert_options.h"

namespace ckpt {

// Adds the moments to the plan of the weights, and their files to the index of `source`; gives what else is saved of the
// optimizer. Fails with usage when an option makes weights that the state does not belong to.
Result<DcpTraining> carry_dcp_training(const ShardedTraining& training, Source& source, const ConvertOptions& options,
                                       ConversionPlan& plan);

}  // namespace ckpt
