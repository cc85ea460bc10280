// Entries of a checkpoint of torch.distributed.checkpoint by the keys that lead to them in the nested dict.
#pragma once

#include <string>
#include <vector>

#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"
#include "ckpt_convert/plan/conversion_plan.h"

namespace ckpt {

// The key that the state of the optimizer is saved under.
inline constexpr const char* kOptimizer = "optimizer";

// "optimizer.param_groups.0.lr"
std::string joined_path(const DistPath& path);

// A whole tensor as one chunk.
TorchDistItem item_at(DistPath path, const TargetTensor& target, SharedPool<Shape>& shapes);

void add_object(TorchDistContent& content, DistPath path,
                std::function<Result<pickle::Value*>(TorchFilePlan& file)> value);
void add_value(TorchDistContent& content, DistPath path, pickle::Ref value);

}  // namespace ckpt
