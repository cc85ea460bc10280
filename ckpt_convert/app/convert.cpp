#include "ckpt_convert/app/convert.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/format.h"
#include "base/parallel.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/executor.h"
#include "ckpt_convert/execute/hf_output.h"
#include "ckpt_convert/execute/megatron_output.h"
#include "ckpt_convert/plan/source_layout.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Path;
using base::Result;
using base::Status;

Result<Side> find_side(base::FileSystem& fs, const ConvertOptions& options) {
    TRY_ASSIGN(auto info, fs.info(options.load_dir));
    if (info.kind != base::FileKind::directory) {
        return base::fail(ErrorKind::usage, "--load-dir must be a directory", options.load_dir);
    }
    if (options.from != Side::unknown) return options.from;
    // With neither kind recognised, the Hugging Face reader says best what is missing.
    return is_megatron_checkpoint(fs, options.load_dir) ? Side::megatron : Side::huggingface;
}

Result<const ModelMapping*> find_family(const MappingRegistry& registry, const ConvertOptions& options,
                                        const base::JsonDocument& config) {
    return options.family.empty() ? registry.for_config(config) : registry.for_name(options.family);
}

Status refuse_overlap(const ConvertOptions& options) {
    // Checked by name: the output does not exist yet, so it cannot be the input under another name.
    auto inside = [](const Path& inner, const Path& outer) {
        return inner == outer || inner.starts_with(outer.ends_with('/') ? outer : outer + "/");
    };
    if (!inside(options.save_dir, options.load_dir)) return {};
    return base::fail(ErrorKind::usage, "--save-dir must not be inside --load-dir", options.save_dir);
}

std::string dtype_list(const ConversionPlan& plan) {
    std::set<std::string> names;
    for (const auto& target : plan.targets) names.emplace(name(target.dtype));
    return base::joined(names, ", ");
}

// --params-dtype in existing scripts mostly says what the weights are anyway.
Status check_params_dtype(const ConversionPlan& plan, const std::string& wanted) {
    if (wanted.empty()) return {};
    std::string_view expected = wanted == "fp16" ? "f16" : wanted == "fp32" ? "f32" : wanted;
    for (const auto& target : plan.targets) {
        if (name(target.dtype) == expected) continue;
        return base::fail(ErrorKind::unsupported, base::format("--params-dtype {}: {} is {}, and changing the element "
                                                               "type is not supported; leave the option out to keep it",
                                                               wanted, target.name, name(target.dtype)));
    }
    return {};
}

ConvertSummary summarise(const Model& model, const ConversionPlan& plan, const OutputPlan& output,
                         const ConvertOptions& options) {
    ConvertSummary summary;
    summary.family = model.mapping().family;
    summary.layers = model.layers();
    summary.parameters = model.parameters();
    summary.dtypes = dtype_list(plan);
    summary.tensors = plan.targets.size();
    summary.read_bytes = plan.source_bytes();
    summary.written_bytes = output.total_bytes();
    for (const auto& file : output.files) summary.files.emplace_back(file.path, file.bytes);
    summary.notes = options.notes;
    summary.notes.insert(summary.notes.end(), plan.notes.begin(), plan.notes.end());
    summary.dry_run = options.dry_run;
    return summary;
}

ExecuteOptions execute_options(const ConvertOptions& options, bool progress) {
    ExecuteOptions out;
    out.threads = options.threads > 0 ? options.threads : base::default_thread_count();
    // A thread holds a tile and, for column ranges, a packed copy of it.
    std::uint64_t per_thread = options.memory_bytes / static_cast<std::uint64_t>(out.threads) / 2;
    out.tile_bytes = std::clamp<std::uint64_t>(per_thread, 64 << 10, 8 << 20);
    out.progress = progress;
    return out;
}

Status copy_companions(base::FileSystem& fs, const Path& from, StagedOutput& staging, const std::string& into) {
    TRY_ASSIGN(auto names, companion_files(fs, from));
    for (const auto& file : names) {
        TRY_ASSIGN(std::string content, base::read_file(fs, base::join(from, file)));
        TRY_ASSIGN(Path path, staging.path_for(base::join(into, file)));
        TRY(base::write_file_atomically(fs, path, content));
    }
    return {};
}

Status write_text(base::FileSystem& fs, StagedOutput& staging, const std::string& name, const std::string& content) {
    TRY_ASSIGN(Path path, staging.path_for(name));
    return base::write_file_atomically(fs, path, content);
}

Result<ConvertSummary> hf_to_megatron(base::FileSystem& fs, const MappingRegistry& registry,
                                      const ConvertOptions& options, bool progress) {
    TRY_ASSIGN(HfCheckpoint source, open_hf_checkpoint(fs, options.load_dir));
    TRY_ASSIGN(const ModelMapping* mapping, find_family(registry, options, source.config));
    TRY_ASSIGN(ModelValues values, values_from_config(*mapping, source.config));
    TRY_ASSIGN(Model model, Model::make(*mapping, std::move(values)));
    TRY_ASSIGN(Placement placement, place_layers(options.topology, model.layers()));
    TRY_ASSIGN(Layout from, hf_layout(model));
    TRY_ASSIGN(Layout to, mcore_layout(model, placement, options.topology.tp, options.topology.dialect));
    TRY_ASSIGN(ConversionPlan plan, make_plan(model, source.index, from, to,
                                              [&](std::string_view tensor) { return mapping->ignores(tensor); }));
    TRY(check_params_dtype(plan, options.params_dtype));
    // From here on every tensor of the source is used once, and every tensor of the target is made once.

    MegatronOutputOptions output_options;
    output_options.tp = options.topology.tp;
    output_options.dialect = options.topology.dialect;
    TRY_ASSIGN(OutputPlan output, megatron_output(plan, model, placement, source.config, output_options));
    ConvertSummary summary = summarise(model, plan, output, options);
    summary.from = "Hugging Face";
    summary.to = base::format("Megatron TP {} x PP {}", options.topology.tp, options.topology.pp);
    if (options.dry_run) return summary;

    TRY_ASSIGN(StagedOutput staging, StagedOutput::begin(fs, options.save_dir));
    TRY(execute(plan, source.index, output, staging, fs, execute_options(options, progress)));
    TRY(copy_companions(fs, options.load_dir, staging, kHfConfigDir));
    TRY(write_text(fs, staging, kTrackerFile, std::to_string(output_options.iteration)));
    TRY(staging.commit({iteration_directory(output_options.iteration), kTrackerFile}));
    return summary;
}

// Where config.json for the Hugging Face side comes from.
Result<Path> find_hf_config_dir(base::FileSystem& fs, const ConvertOptions& options) {
    if (!options.hf_config_dir.empty()) return options.hf_config_dir;
    for (const Path& candidate :
         {base::join(options.load_dir, kHfConfigDir), base::join(base::parent(options.load_dir), kHfConfigDir)}) {
        if (fs.exists(base::join(candidate, "config.json"))) return candidate;
    }
    return base::fail(ErrorKind::usage,
                      base::format("a Hugging Face checkpoint needs a config.json, and there is no {} directory beside "
                                   "this one; name the directory of the original model with --hf-cfg-dir",
                                   kHfConfigDir),
                      options.load_dir);
}

// The sizes from config.json, which must not contradict the arguments that were saved with the weights.
Result<ModelValues> agreed_values(const ModelMapping& mapping, const base::JsonDocument& config,
                                  const MegatronCheckpoint& source) {
    TRY_ASSIGN(ModelValues values, values_from_config(mapping, config));
    // Noop layers are counted in the saved number of layers, not in the config.
    for (const ValueRule& rule : mapping.values) {
        if (rule.name == "layers") continue;
        for (const std::string& argument : rule.arguments) {
            const base::Json* saved = source.args.find(argument);
            if (saved == nullptr || (saved->integer() == nullptr && saved->boolean() == nullptr)) continue;
            std::int64_t value = saved->integer() != nullptr ? *saved->integer() : *saved->boolean();
            if (rule.argument_negated) value = value == 0;
            if (value == values[rule.name]) break;
            return base::fail(
                ErrorKind::bad_input,
                base::format("{} is {} in {}, but {} in the arguments saved with the weights; is this the "
                             "config of the same model?",
                             rule.name, values[rule.name], config.name, value),
                source.directory);
        }
    }
    return values;
}

Result<ConvertSummary> megatron_to_hf(base::FileSystem& fs, const MappingRegistry& registry,
                                      const ConvertOptions& options, bool progress) {
    if (options.topology_given) {
        return base::fail(ErrorKind::usage,
                          "the parallel sizes describe a Megatron output; for a Megatron input they are read from the "
                          "checkpoint, leave them out");
    }
    TRY_ASSIGN(MegatronCheckpoint source, open_megatron_checkpoint(fs, options.load_dir));
    TRY_ASSIGN(Path config_dir, find_hf_config_dir(fs, options));
    TRY_ASSIGN(base::JsonDocument config, read_hf_config(fs, config_dir));
    TRY_ASSIGN(const ModelMapping* mapping, find_family(registry, options, config));
    TRY_ASSIGN(ModelValues values, agreed_values(*mapping, config, source));
    TRY_ASSIGN(Model model, Model::make(*mapping, std::move(values)));
    TRY_ASSIGN(FoundLayout found, find_layout(source, *mapping, model.layers()));
    TRY_ASSIGN(Layout from, mcore_layout(model, found.placement, source.tp, found.dialect));
    TRY_ASSIGN(Layout to, hf_layout(model));
    TRY_ASSIGN(ConversionPlan plan, make_plan(model, source.index, from, to, [](std::string_view) { return false; }));
    TRY(check_params_dtype(plan, options.params_dtype));
    // From here on every tensor of the source is used or a copy of one that is, and every tensor of the target is made once.

    TRY_ASSIGN(HfOutput output, hf_output(plan, options.max_shard_bytes));
    ConvertSummary summary = summarise(model, plan, output.files, options);
    summary.from = base::format("Megatron TP {} x PP {}", source.tp, source.pp);
    summary.to = "Hugging Face";
    if (options.dry_run) return summary;

    TRY_ASSIGN(StagedOutput staging, StagedOutput::begin(fs, options.save_dir));
    TRY(execute(plan, source.index, output.files, staging, fs, execute_options(options, progress)));
    TRY(copy_companions(fs, config_dir, staging, ""));
    if (!output.index_json.empty()) TRY(write_text(fs, staging, kHfIndexFile, output.index_json));
    TRY(staging.commit({"config.json", kHfIndexFile}));
    return summary;
}

}  // namespace

Result<ConvertSummary> convert(base::FileSystem& fs, const MappingRegistry& registry, const ConvertOptions& options,
                               bool progress) {
    auto start = std::chrono::steady_clock::now();
    TRY_ASSIGN(Side from, find_side(fs, options));
    if (options.to == from) {
        return base::fail(ErrorKind::unsupported,
                          "input and output are of the same kind; only Hugging Face to Megatron and Megatron to "
                          "Hugging Face are supported");
    }
    TRY(refuse_overlap(options));
    TRY(require_empty_directory(fs, options.save_dir));
    auto run = from == Side::huggingface ? hf_to_megatron : megatron_to_hf;
    TRY_ASSIGN(ConvertSummary summary, run(fs, registry, options, progress));
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return summary;
}

}  // namespace ckpt
