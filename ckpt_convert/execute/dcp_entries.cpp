#include "ckpt_convert/execute/dcp_entries.h"

#include <utility>

#include "ckpt_convert/checkpoint/megatron_checkpoint.h"

namespace ckpt {

DcpTargetNames::DcpTargetNames(Form form) : form_(std::move(form)), state_(DistKeys{kOptimizer, kOptimizerState}) {
    if (!form_.weights_key.empty()) weights_ = DistKeys{form_.weights_key};
}

DistName DcpTargetNames::of(const TargetTensor& target) {
    if (target.of_model) {
        if (form_.prefix.empty()) return {weights_, target.name};
        return {weights_, form_.prefix + target.name.get()};
    }
    const TensorKey state = split_key(target.name.get());
    DistName out(state_, texts_(form_.state_prefix + std::string(state.name)),
                 moments_(DistKeys{std::string(state.chunk)}));
    out.flat = form_.flat;
    return out;
}

TorchDistItem item_at(DistName name, const TargetTensor& target, SharedPool<Shape>& shapes) {
    const Shape& shape = target.shape_in_file();
    const SharedShape shared = shapes(shape);
    return {std::move(name), target.dtype, shared, shapes(Shape(shape.size(), 0)), shared};
}

DistValue dist_value(TorchDistObject::Value value) {
    return std::make_shared<const TorchDistObject::Value>(std::move(value));
}

DistValue dist_value(pickle::Ref value) {
    return dist_value(
        [value](TorchFilePlan& file) -> Result<pickle::Value*> { return file.arena().make(value->variant); });
}

}  // namespace ckpt
