#include "ckpt_convert/execute/dcp_output.h"

#include <utility>

#include "ckpt_convert/execute/torch_dist_output.h"

namespace ckpt {

Result<OutputPlan> dcp_output(const ConversionPlan& plan, const std::string& key, std::uint64_t max_file_bytes) {
    TorchDistContent content;
    content.max_file_bytes = max_file_bytes;
    for (const TargetTensor& target : plan.targets) {
        const Shape& shape = target.shape_in_file();
        TorchDistItem item{target.name, target.dtype, shape, Shape(shape.size(), 0), shape, {target.name}};
        if (!key.empty()) {
            item.fqn = key + "." + target.name;
            item.path = {key, target.name};
        }
        content.items.push_back(std::move(item));
    }
    TRY_ASSIGN(auto files, plan_torch_dist(content));
    return output_of(std::move(files), "");
}

}  // namespace ckpt
