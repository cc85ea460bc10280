#include "ckpt_convert/execute/megatron_output.h"

#include <map>
#include <memory>
#include <set>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/training_output.h"

namespace ckpt {
namespace {

using pickle::Value;

// Megatron's layout of grouped query/key/value rows and of the gated MLP, which the mapping files describe.
constexpr double kCheckpointVersion = 3.0;

Value* from_json(TorchFilePlan& file, const Json& json) {
    if (const auto* flag = json.boolean()) return file.boolean(*flag);
    if (const auto* integer = json.integer()) return file.integer(*integer);
    if (const auto* real = json.real()) return file.real(*real);
    if (const auto* text = json.string()) return file.string(*text);
    if (const auto* items = json.array()) {
        Value* list = file.list();
        for (const Json& item : *items) list->as<pickle::List>()->items.push_back(from_json(file, item));
        return list;
    }
    if (const auto* members = json.object()) {
        Value* dict = file.dict();
        for (const auto& [key, value] : *members) TorchFilePlan::set(dict, file.string(key), from_json(file, value));
        return dict;
    }
    return file.none();
}

Value* arguments(TorchFilePlan& file, const CheckpointState& state) {
    Value* dict = file.dict();
    for (const auto& [name, value] : *state.args.object()) {
        if (name != "params_dtype") TorchFilePlan::set(dict, file.string(name), from_json(file, value));
    }
    TorchFilePlan::set(dict, file.string("params_dtype"), file.dtype(state.params_dtype));
    return file.namespace_of(dict);
}

// "self_attention.linear_qkv.weight" -> "self_attention.linear_qkv._extra_state".
std::string extra_state_name(std::string_view weight) {
    return std::string(weight.substr(0, weight.rfind('.'))) + "._extra_state";
}

// The model dicts of a rank file, in chunk order; also empty ones, which Megatron asks for.
Status add_models(TorchFilePlan& file, Value* root, const ConversionPlan& plan, const Placement& placement,
                  const CheckpointState& state, const OutputFile& out) {
    std::map<std::string, Value*, std::less<>> models;
    for (std::uint32_t chunk = 0; chunk < placement.chunks(); ++chunk) {
        std::string key = chunk_key(placement.virtual_stages, chunk);
        models[key] = file.dict();
        TorchFilePlan::set(root, file.string(key), models[key]);
    }
    std::set<std::string> extras;
    for (std::uint32_t target : out.targets) {
        const TargetTensor& tensor = plan.targets[target];
        TensorKey key = split_key(tensor.name.get());
        Value* model = models.find(key.chunk)->second;
        std::string name(key.name);
        TRY_ASSIGN(Value * value, file.tensor(tensor.dtype, tensor.shape_in_file()));
        TorchFilePlan::set(model, file.string(name), value);
        // The weights of grouped experts share one.
        std::string extra = std::string(key.chunk) + extra_state_name(name);
        if (tensor.extra_state && state.extra_states && extras.insert(extra).second)
            TorchFilePlan::set(model, file.string(extra_state_name(name)), file.none());
    }
    return {};
}

}  // namespace

DType main_dtype(const ConversionPlan& plan) {
    std::map<DType, std::uint64_t> bytes;
    for (const auto& target : plan.targets)
        bytes[target.dtype] += checked_bytes(target.shape, target.dtype).value_or(0);
    DType best = DType::bf16;
    for (const auto& [dtype, count] : bytes) {
        if (!bytes.contains(best) || count > bytes[best]) best = dtype;
    }
    return best;
}

Value* common_state(TorchFilePlan& file, const CheckpointState& state) {
    Value* root = file.dict();
    TorchFilePlan::set(root, file.string("args"), arguments(file, state));
    TorchFilePlan::set(root, file.string("checkpoint_version"), file.real(kCheckpointVersion));
    TorchFilePlan::set(root, file.string("iteration"), file.integer(static_cast<std::int64_t>(state.iteration)));
    return root;
}

Result<OutputPlan> megatron_output(const ConversionPlan& plan, const ParallelLayout& layout,
                                   const CheckpointState& state) {
    const Placement& placement = layout.placement;
    OutputPlan output;
    TRY_ASSIGN(auto ranks, stage_ranks(layout.tp, layout.experts));
    for (int pp = 0; pp < placement.pp(); ++pp) {
        for (const StageRank& rank : ranks) {
            OutputFile file;
            auto pp_number = placement.pp() > 1 ? std::optional(pp) : std::nullopt;
            auto ep_number = layout.experts.ep > 1 ? std::optional(rank.ep) : std::nullopt;
            file.path =
                base::format("{}/{}/{}", state.directory, rank_directory(rank.tp, pp_number, ep_number), kRankFile);
            output.files.push_back(std::move(file));
        }
    }
    for (std::uint32_t i = 0; i < plan.targets.size(); ++i) {
        if (plan.targets[i].of_model) output.files[plan.targets[i].file].targets.push_back(i);
    }
    for (std::size_t rank = 0; rank < output.files.size(); ++rank) {
        OutputFile& file = output.files[rank];
        auto torch_file = std::make_shared<TorchFilePlan>();
        Value* root = common_state(*torch_file, state);
        if (state.training != nullptr) TRY(add_training_state(*torch_file, root, *state.training, rank, false));
        TRY(add_models(*torch_file, root, plan, placement, state, file));
        TRY(torch_file->finish(root));
        file.bytes = torch_file->file_bytes();
        for (std::size_t i = 0; i < file.targets.size(); ++i) file.offsets.push_back(torch_file->tensor_offset(i));
        file.chunks = [torch_file](const std::vector<std::uint32_t>& crc32) { return torch_file->chunks(crc32); };
    }
    if (state.training != nullptr) TRY(add_state_files(output, plan, *state.training));
    return output;
}

}  // namespace ckpt
