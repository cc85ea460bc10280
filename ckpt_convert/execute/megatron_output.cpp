#include "ckpt_convert/execute/megatron_output.h"

#include <memory>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"

namespace ckpt {
namespace {

using base::Json;
using base::Result;
using base::Status;
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

const Json& config_value(const ArgumentRule& rule, const base::JsonDocument& config) {
    for (const std::string& path : rule.config) {
        const Json* found = config.root.find_path(path);
        if (found != nullptr && !found->is_null()) return *found;
    }
    return rule.literal;
}

Result<Value*> argument(TorchFilePlan& file, const ArgumentRule& rule, const base::JsonDocument& config,
                        const Expression::Lookup& lookup) {
    switch (rule.kind) {
        case ArgumentRule::Kind::literal: return from_json(file, rule.literal);
        case ArgumentRule::Kind::from_config: return from_json(file, config_value(rule, config));
        case ArgumentRule::Kind::integer:
        case ArgumentRule::Kind::boolean: break;
    }
    TRY_ASSIGN(std::int64_t value, rule.expression->evaluate(lookup));
    return rule.kind == ArgumentRule::Kind::integer ? file.integer(value) : file.boolean(value != 0);
}

// The element type of most of the weights.
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

Result<Value*> arguments(TorchFilePlan& file, const ConversionPlan& plan, const Model& model,
                         const Placement& placement, const base::JsonDocument& config,
                         const MegatronOutputOptions& options) {
    DType dtype = main_dtype(plan);
    ModelValues facts{{"tp", options.tp},         {"pp", placement.pp()},         {"vpp", placement.chunks()},
                      {"slots", placement.slots}, {"bf16", dtype == DType::bf16}, {"fp16", dtype == DType::f16}};
    Expression::Lookup lookup = lookup_in(model.values(), facts);
    Value* dict = file.dict();
    for (const ArgumentRule& rule : model.mapping().args) {
        TRY_ASSIGN(bool present, holds(rule.when, lookup));
        if (!present) continue;
        TRY_ASSIGN(Value * value, argument(file, rule, config, lookup));
        TorchFilePlan::set(dict, file.string(rule.name), value);
    }
    TorchFilePlan::set(dict, file.string("params_dtype"), file.dtype(dtype));
    TorchFilePlan::set(dict, file.string("transformer_impl"),
                       file.string(options.dialect == "te" ? "transformer_engine" : "local"));
    TorchFilePlan::set(dict, file.string("iteration"), file.integer(static_cast<std::int64_t>(options.iteration)));
    return file.namespace_of(dict);
}

// The model dicts of a rank file, in chunk order; also empty ones, which Megatron asks for.
Status add_models(TorchFilePlan& file, Value* root, const ConversionPlan& plan, const Placement& placement,
                  OutputFile& out) {
    std::map<std::string, Value*, std::less<>> models;
    for (std::uint32_t chunk = 0; chunk < placement.chunks(); ++chunk) {
        std::string key = chunk_key(placement.virtual_stages, chunk);
        models[key] = file.dict();
        TorchFilePlan::set(root, file.string(key), models[key]);
    }
    for (std::uint32_t target : out.targets) {
        const TargetTensor& tensor = plan.targets[target];
        std::size_t slash = tensor.name.find('/');
        TRY_ASSIGN(Value * value, file.tensor(tensor.dtype, tensor.shape));
        TorchFilePlan::set(models[tensor.name.substr(0, slash)], file.string(tensor.name.substr(slash + 1)), value);
    }
    return {};
}

}  // namespace

std::string iteration_directory(std::uint64_t iteration) { return base::format("iter_{:07}", iteration); }

Result<OutputPlan> megatron_output(const ConversionPlan& plan, const Model& model, const Placement& placement,
                                   const base::JsonDocument& config, const MegatronOutputOptions& options) {
    OutputPlan output;
    for (int pp = 0; pp < placement.pp(); ++pp) {
        for (int tp = 0; tp < options.tp; ++tp) {
            OutputFile file;
            file.path = base::format("{}/{}/{}", iteration_directory(options.iteration),
                                     rank_directory(tp, pp, placement.pp() > 1), kRankFile);
            file.needs_crc = true;
            output.files.push_back(std::move(file));
        }
    }
    for (std::uint32_t i = 0; i < plan.targets.size(); ++i) output.files[plan.targets[i].file].targets.push_back(i);

    for (OutputFile& file : output.files) {
        auto torch_file = std::make_shared<TorchFilePlan>();
        Value* root = torch_file->dict();
        TRY_ASSIGN(Value * args, arguments(*torch_file, plan, model, placement, config, options));
        TorchFilePlan::set(root, torch_file->string("args"), args);
        TorchFilePlan::set(root, torch_file->string("checkpoint_version"), torch_file->real(kCheckpointVersion));
        TorchFilePlan::set(root, torch_file->string("iteration"),
                           torch_file->integer(static_cast<std::int64_t>(options.iteration)));
        TRY(add_models(*torch_file, root, plan, placement, file));
        TRY(torch_file->finish(root));
        file.bytes = torch_file->file_bytes();
        for (std::size_t i = 0; i < file.targets.size(); ++i) file.offsets.push_back(torch_file->tensor_offset(i));
        file.chunks = [torch_file](const std::vector<std::uint32_t>& crc32) { return torch_file->chunks(crc32); };
    }
    return output;
}

}  // namespace ckpt
