#include "ckpt_convert/checkpoint/torch_dist_checkpoint.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/python_args.h"
#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {
namespace {

// What a run saves besides the model.
constexpr std::string_view kNoWeights[] = {"optimizer.", "chained_", "opt_param_scheduler", "rng_state",
                                           "rerun_state_machine"};

bool is_optimizer_state(std::string_view name) {
    return name.starts_with("optimizer.") || name.starts_with("chained_");
}

// The names of a model that was saved in its wrapper, as NeMo saves it, without what that puts in front.
std::string_view unwrapped_name(std::string_view name) {
    constexpr std::string_view kWrapper = "module.";
    return name.starts_with(kWrapper) ? name.substr(kWrapper.size()) : name;
}

bool is_weight(std::string_view name) {
    return std::none_of(std::begin(kNoWeights), std::end(kNoWeights),
                        [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// "decoder.layers.mlp.linear_fc2.weight": all layers in one tensor.
bool has_layer_axis(std::string_view name) {
    return name.starts_with(kLayersPrefix) && name.size() > kLayersPrefix.size() &&
           std::isdigit(static_cast<unsigned char>(name[kLayersPrefix.size()])) == 0;
}

// `name`: of the weight that the tensor is, or is a state of.
IndexedTensor whole_chunk(const TorchDistTensor& tensor, std::string_view name, const TorchDistChunk& chunk) {
    IndexedTensor out{base::format("model/{}", name),
                      tensor.dtype,
                      chunk.sizes,
                      chunk.file,
                      chunk.file_offset,
                      chunk.strides,
                      chunk.contiguous};
    out.part_offset = chunk.offsets;
    out.whole_shape = tensor.shape;
    return out;
}

// The chunk's part of one layer, without the leading axis.
IndexedTensor layer_of_chunk(const TorchDistTensor& tensor, std::string_view name, const TorchDistChunk& chunk,
                             std::uint64_t at) {
    auto rest = [](const auto& values) { return std::vector<std::uint64_t>(values.begin() + 1, values.end()); };
    IndexedTensor out;
    out.name = base::format("model/{}{}.{}", kLayersPrefix, chunk.offsets[0] + at, name.substr(kLayersPrefix.size()));
    out.dtype = tensor.dtype;
    out.shape = rest(chunk.sizes);
    out.file = chunk.file;
    out.offset = chunk.file_offset + at * chunk.strides[0] * (bits(tensor.dtype) / 8);
    out.strides = rest(chunk.strides);
    out.contiguous = out.strides == row_major_strides(out.shape);
    out.part_offset = rest(chunk.offsets);
    out.whole_shape = rest(tensor.shape);
    return out;
}

void add_tensor(TensorIndex& index, const TorchDistTensor& tensor, std::string_view name) {
    bool layers = has_layer_axis(name) && tensor.shape.size() > 1;
    for (const TorchDistChunk& chunk : tensor.chunks) {
        if (!layers) index.tensors.push_back(whole_chunk(tensor, name, chunk));
        for (std::uint64_t i = 0; layers && i < chunk.sizes[0]; ++i)
            index.tensors.push_back(layer_of_chunk(tensor, name, chunk, i));
    }
}

// "optimizer.state.exp_avg.decoder..." is a state of "decoder...". With an optimizer for experts, "chained_0." may stand
// in front.
struct StateName {
    std::size_t state = 0;  // of kOptimizerStates
    std::string_view weight;
};

std::optional<StateName> parse_state_name(std::string_view name) {
    constexpr std::string_view kPrefix = "optimizer.state.", kChained = "chained_";
    if (name.starts_with(kChained)) name.remove_prefix(std::min(name.find('.'), name.size() - 1) + 1);
    if (!name.starts_with(kPrefix)) return std::nullopt;
    name.remove_prefix(kPrefix.size());
    std::string_view state = name.substr(0, name.find('.'));
    if (state.size() == name.size()) return std::nullopt;
    name.remove_prefix(state.size() + 1);
    if (state == "fp32_param") state = kOptimizerStates[0];  // what the other forms call it
    auto found = std::find(kOptimizerStates.begin(), kOptimizerStates.end(), state);
    if (found == kOptimizerStates.end()) return std::nullopt;
    return StateName{static_cast<std::size_t>(found - kOptimizerStates.begin()), unwrapped_name(name)};
}

// Which form of the state a run with a distributed optimizer wrote; empty without one.
std::string sharding_type(pickle::Ref root) {
    pickle::Ref optimizer = pickle::find(root, "optimizer");
    const auto* chained = optimizer == nullptr ? nullptr : pickle::mapping_items(optimizer);
    if (chained == nullptr || chained->empty()) return "";
    if (chained->front().first->as<std::int64_t>() != nullptr) optimizer = chained->front().second;
    pickle::Ref type = pickle::find(optimizer, "param_state_sharding_type");
    const auto* text = type == nullptr ? nullptr : type->as<std::string>();
    return text == nullptr ? "" : *text;
}

// States that are stored under the names of their weights, rather than in the order of a run's buffers.
Status check_sharding_type(const std::string& type, const Path& directory) {
    if (type.empty() || type == "fully_reshardable" || type == "fully_sharded_model_space") return {};
    return base::fail(
        ErrorKind::unsupported,
        base::format(
            "the state of the optimizer has the form {}, which only a run of the same TP, PP and EP can read. "
            "Resume with such a run, and save with --dist-ckpt-optim-fully-reshardable, in releases without "
            "that option with --ckpt-fully-parallel-save, or with --ckpt-format torch; --optimizer drop leaves "
            "it out",
            type),
        directory);
}

}  // namespace

Status read_torch_dist_weights(base::FileSystem& fs, MegatronCheckpoint& checkpoint) {
    TorchDistOptions options;
    options.wanted = is_weight;
    TRY_ASSIGN(TorchDistIndex found, read_torch_dist(fs, checkpoint.directory, options));
    TRY_ASSIGN(checkpoint.index.files, open_files(fs, checkpoint.directory, found));
    for (const TorchDistTensor& tensor : found.tensors)
        add_tensor(checkpoint.index, tensor, unwrapped_name(tensor.fqn));
    TRY_ASSIGN(TorchDistCommonState common, read_torch_dist_common_state(fs, checkpoint.directory, found));
    pickle::Ref args = pickle::find(common.root, "args");
    checkpoint.args = args == nullptr ? Json(Json::Object{}, 0) : args_to_json(args);
    checkpoint.torch_dist = true;
    checkpoint.has_optimizer = std::any_of(found.skipped.begin(), found.skipped.end(), is_optimizer_state);
    checkpoint.ranks = {MegatronRank{}};
    return {};
}

Result<TorchDistStates> read_torch_dist_states(base::FileSystem& fs, const Path& directory) {
    TorchDistOptions options;
    options.wanted = [](std::string_view name) { return parse_state_name(name).has_value(); };
    TRY_ASSIGN(TorchDistIndex found, read_torch_dist(fs, directory, options));
    TRY_ASSIGN(TorchDistCommonState common, read_torch_dist_common_state(fs, directory, found));
    TRY(check_sharding_type(sharding_type(common.root), directory));
    TorchDistStates out;
    TRY_ASSIGN(out.files, optimizer_of_common_state(std::make_shared<const TorchFile>(std::move(common.file)),
                                                    common.root, directory));
    TRY_ASSIGN(auto files, open_files(fs, directory, found));
    for (TensorIndex& index : out.tensors) index.files = files;
    for (const TorchDistTensor& tensor : found.tensors) {
        StateName name = *parse_state_name(tensor.fqn);
        add_tensor(out.tensors[name.state], tensor, name.weight);
    }
    return out;
}

}  // namespace ckpt
