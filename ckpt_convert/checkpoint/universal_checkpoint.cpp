#include "ckpt_convert/checkpoint/universal_checkpoint.h"

#include "base/format.h"

namespace ckpt {
namespace {

constexpr const char* kSettings = "zero/optimizer_state.pt";
constexpr const char* kParameterStates[] = {"fp32", "exp_avg", "exp_avg_sq"};

// `is_slice`: the shape is that of a rank's slice.
Result<TorchDistTensor> parameter_state(ZeroFiles& files, const std::string& name, Shape shape, bool is_slice,
                                        const char* state) {
    TRY_ASSIGN(const OpenedFile file, files.open(base::format("zero/{}/{}.pt", name, state)));
    pickle::Ref root = file.content->root();
    if (const pickle::Ref param = pickle::find(root, "param")) root = param;
    TRY_ASSIGN(const auto stored, file.content->tensor(root));
    if (stored && is_slice && stored->shape.size() == shape.size()) shape = stored->shape;
    if (!stored || !stored->contiguous || checked_elements(stored->shape) != checked_elements(shape) ||
        (stored->shape.size() > 1 && stored->shape != shape))
        return files.bad(base::format("it holds no tensor of shape {}", to_string(shape)), file.name);
    TorchDistTensor out{name, stored->dtype, shape, {}};
    out.chunks.push_back(
        {Shape(shape.size(), 0), shape, files.number(file.name), stored->file_offset, row_major_strides(shape)});
    return out;
}

Status add_step(ZeroFiles& files, const std::string& name, UniversalContent& out) {
    const std::string path = base::format("zero/{}/step.pt", name);
    if (!files.exists(path)) return {};
    TRY_ASSIGN(const OpenedFile file, files.open(path));
    TRY_ASSIGN(const auto step, files.step(file, file.content->root()));
    if (!step) return files.bad("it holds no number of steps", path);
    out.steps.emplace(*step, name);
    return {};
}

Status add_settings(ZeroFiles& files, const std::vector<NamedShapes>& shapes, UniversalContent& out) {
    if (!files.exists(kSettings)) return {};
    TRY_ASSIGN(const OpenedFile file, files.open(kSettings));
    const pickle::Ref inner = pickle::find(file.content->root(), "optimizer_state_dict");
    const pickle::Ref base = inner != nullptr ? inner : file.content->root();
    const pickle::Ref state = zero_state(base, 0);
    if (state != nullptr && out.steps.empty()) {
        TRY_ASSIGN(const auto step, files.step(file, pickle::find(state, "step")));
        if (step) out.steps.emplace(*step, "the optimizer");
    }
    TRY_ASSIGN(out.groups.groups, zero_groups(base, shapes, files.path(kSettings)));
    out.groups.owners.push_back(file.content);
    return {};
}

}  // namespace

Result<UniversalContent> read_universal(ZeroFiles& files, const std::vector<NamedShapes>& shapes, bool of_slices) {
    UniversalContent out;
    for (const NamedShapes& group : shapes) {
        for (const auto& [name, shape] : group) {
            for (const char* state : kParameterStates) {
                const bool is_weight = state == kParameterStates[0];
                if (!is_weight && !files.exists(base::format("zero/{}/{}.pt", name, state))) continue;
                TRY_ASSIGN(TorchDistTensor tensor, parameter_state(files, name, shape, of_slices, state));
                if (is_weight) out.weights.push_back(std::move(tensor));
                else out.moments.push_back(state_of_weight(std::move(tensor), state));
            }
            TRY(add_step(files, name, out));
        }
    }
    TRY(add_settings(files, shapes, out));
    return out;
}

}  // namespace ckpt
