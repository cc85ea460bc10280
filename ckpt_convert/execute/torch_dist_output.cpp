#include "ckpt_convert/execute/torch_dist_output.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/training_output.h"

namespace ckpt {
namespace {

// "decoder.layers.3.mlp.x" -> "decoder.layers.mlp.x" and 3.
struct LayerName {
    std::string shared;
    std::uint64_t layer = 0;
    std::uint64_t layers = 0;  // in the tensor
};

std::optional<LayerName> split_layer(std::string_view name) {
    if (!name.starts_with(kLayersPrefix)) return std::nullopt;
    std::string_view rest = name.substr(kLayersPrefix.size());
    LayerName out;
    auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), out.layer);
    if (code != std::errc() || end == rest.data() + rest.size() || *end != '.') return std::nullopt;
    out.shared = std::string(kLayersPrefix) + std::string(end + 1, rest.data() + rest.size());
    return out;
}

// The linear layer of a weight, or of a part of it: "in_proj.weight.query" -> "in_proj".
std::string module_of(const std::string& name) { return name.substr(0, name.rfind(".weight")); }

// The shape with one axis more in front.
Shape with_axis(std::uint64_t extent, Shape shape) {
    shape.insert(shape.begin(), extent);
    return shape;
}

class ContentMaker {
public:
    ContentMaker(const ConversionPlan& plan, std::uint64_t slots, bool layers_apart) : plan_(plan), slots_(slots) {
        std::map<std::string, std::uint64_t> layers_with;
        for (const TargetTensor& target : plan.targets) {
            auto layer =
                target.of_model && target.alike == 0 ? split_layer(split_key(target.name.get()).name) : std::nullopt;
            if (layer) ++layers_with[layer->shared];
        }
        alike_ = !layers_apart && std::all_of(layers_with.begin(), layers_with.end(),
                                              [&](auto& entry) { return entry.second == slots; });
    }

    TorchDistContent make() {
        for (const TargetTensor& target : plan_.targets) add(target);
        return std::move(out_);
    }

private:
    void add(const TargetTensor& target) {
        std::string name(split_key(target.name.get()).name);
        const Shape& shape = target.shape_in_file();
        const Shape no_offsets(shape.size(), 0);
        TorchDistItem item{{}, target.dtype, shapes_(shape), shapes_(no_offsets), shapes_(shape)};
        std::optional<LayerName> layer = layer_in(target, name);
        if (layer) {
            name = layer->shared;
            item.global_shape = shapes_(with_axis(layer->layers, shape));
            item.chunk_offsets = shapes_(with_axis(layer->layer, no_offsets));
            item.chunk_sizes = shapes_(with_axis(1, shape));
        }
        // "optimizer.state.exp_avg/decoder..." is a state of "decoder...".
        if (!target.of_model) name = base::format("{}.{}", split_key(target.name.get()).chunk, name);
        if (target.extra_state) add_extra_states(module_of(name), layer, target);
        item.name = names_(name);
        out_.items.push_back(std::move(item));
    }

    // Where the target is one layer of a tensor of several.
    std::optional<LayerName> layer_in(const TargetTensor& target, std::string_view name) const {
        if (target.alike == 0 && !alike_) return std::nullopt;
        std::optional<LayerName> out = split_layer(name);
        if (out) out->layers = target.alike > 0 ? target.alike : slots_;
        return out;
    }

    // One for each place along the axes of layers and experts.
    void add_extra_states(const std::string& module, const std::optional<LayerName>& layer,
                          const TargetTensor& target) {
        constexpr std::size_t kMatrixAxes = 2;
        const Shape& shape = target.shape_in_file();
        std::uint64_t experts = shape.size() > kMatrixAxes ? shape[0] : 0;
        for (std::uint64_t expert = 0; expert < std::max<std::uint64_t>(experts, 1); ++expert) {
            std::vector<std::uint64_t> at, of;
            if (layer) at.push_back(layer->layer), of.push_back(layer->layers);
            if (experts > 0) at.push_back(expert), of.push_back(experts);
            if (at.empty()) at.push_back(0), of.push_back(1);
            out_.extra_states.push_back(
                base::format("{}._extra_state/shard_{}_{}", module, base::joined(at, "."), base::joined(of, ".")));
        }
    }

    const ConversionPlan& plan_;
    std::uint64_t slots_;
    bool alike_ = true;  // all layers have the same tensors, so that Megatron asks for one tensor of all of them
    SharedPool<Shape> shapes_;
    SharedPool<std::string> names_;
    TorchDistContent out_;
};

}  // namespace

Result<OutputPlan> torch_dist_output(const ConversionPlan& plan, const ParallelLayout& layout,
                                     const CheckpointState& state, std::uint64_t max_file_bytes) {
    TorchDistContent content = ContentMaker(plan, layout.placement.slots, state.layers_apart).make();
    content.max_file_bytes = max_file_bytes;
    content.common_state = [&](TorchFilePlan& file) -> Result<pickle::Value*> {
        pickle::Value* root = common_state(file, state);
        if (state.training != nullptr) TRY(add_training_state(file, root, *state.training, 0, true));
        return root;
    };
    TRY_ASSIGN(auto files, plan_torch_dist(std::move(content)));
    return output_of(std::move(files), state.directory);
}

OutputPlan output_of(std::vector<TorchDistFile> files, const std::string& directory) {
    OutputPlan output;
    for (TorchDistFile& planned : files) {
        OutputFile file;
        file.path = directory.empty() ? planned.path : base::join(directory, planned.path);
        file.bytes = planned.bytes;
        file.targets = std::move(planned.items);
        file.offsets = std::move(planned.offsets);
        file.chunks = std::move(planned.chunks);
        output.files.push_back(std::move(file));
    }
    return output;
}

}  // namespace ckpt
