#include "ckpt_convert/target/named_output.h"

#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/mindspore_checkpoint.h"
#include "ckpt_convert/execute/dcp_output.h"
#include "ckpt_convert/execute/hf_output.h"
#include "ckpt_convert/execute/rank_safetensors.h"
#include "ckpt_convert/execute/universal_output.h"
#include "ckpt_convert/execute/zero_output.h"
#include "ckpt_convert/open/option_values.h"
#include "ckpt_convert/plan/rank_parts.h"
#include "ckpt_convert/target/hf_config.h"
#include "ckpt_convert/target/named_training.h"

namespace ckpt {
namespace {

constexpr const char* kConfig = "config.json";
constexpr const char* kMindSporeNames = "mindformers";  // of rules/names/
constexpr const char* kVllmNames = "vllm";
constexpr const char* kUsualKey = "model";  // that programs with FSDP2 save weights under
// https://github.com/volcengine/verl: fsdp_checkpoint_manager.py
constexpr const char* kRanksConfig = "fsdp_config.json";
constexpr const char* kRanksModelDir = "huggingface";

// nullptr: those of Hugging Face. Fails with usage when the output has no place for others.
Result<const Naming*> names_of(const Knowledge& knowledge, const ConvertOptions& options) {
    if (options.format == NamedFormat::mindspore) return knowledge.namings.find(kMindSporeNames);
    if (options.format == NamedFormat::vllm) return knowledge.namings.find(kVllmNames);
    if (options.names.empty()) return nullptr;
    const Naming* names = knowledge.namings.find(options.names);
    if (names == nullptr || !names->dcp)
        return base::fail(ErrorKind::usage, base::format("--names: \"{}\" is none of {}", options.names,
                                                         base::joined(knowledge.namings.names(), ", ")));
    if (options.format != NamedFormat::dcp)
        return base::fail(ErrorKind::usage, "--names is for --to dcp; other outputs have the names of Hugging Face");
    return names;
}

const char* title_of(NamedFormat format) {
    switch (format) {
        case NamedFormat::safetensors: return "Hugging Face";
        case NamedFormat::dcp: return "torch.distributed.checkpoint";
        case NamedFormat::dtensor: return "a file of DTensors for each rank";
        case NamedFormat::universal: return "universal checkpoint of DeepSpeed";
        case NamedFormat::zero: return "files of DeepSpeed's ZeRO";
        case NamedFormat::mindspore: return "safetensors of MindSpore";
        case NamedFormat::vllm: return "sharded state";
        case NamedFormat::megatron_fsdp: break;
    }
    return "";
}

// Programs that load such a checkpoint ask for every name of their model, also for one that is another's copy.
void write_copies(const Model& model, Layout& layout) {
    for (LayoutTensor& tensor : layout.tensors) tensor.optional &= is_unused(model, tensor);
}

Status check_config(const Source& source, const ConvertOptions& options) {
    if (source.config || source.plain != nullptr) return {};
    return base::fail(ErrorKind::usage,
                      base::format("a Hugging Face checkpoint needs a config.json, and there is no {} directory "
                                   "next to this one; name the directory of the original model with --hf-cfg-dir",
                                   kHfConfigDir),
                      options.source.directory);
}

// Which targets no run trains, and ranks have whole: buffers.
std::vector<bool> buffers_in(const Model& model, const ConversionPlan& plan) {
    std::vector<bool> out(plan.targets.size(), false);
    for (const LogicalMove& move : plan.moves) {
        for (const StoredPiece& piece : move.targets)
            if (model.tensors()[move.logical].buffer) out[piece.tensor] = true;
    }
    return out;
}

using Aliases = std::vector<std::pair<std::string, std::string>>;

// Names that stand for the weights of others, and these.
Aliases aliases_in(const Model& model, const Layout& layout) {
    std::unordered_map<std::uint32_t, const std::string*> owners;  // by logical tensor
    for (const LayoutTensor& tensor : layout.tensors) {
        if (!tensor.optional && !tensor.pieces.empty()) owners.emplace(tensor.pieces.front().logical, &tensor.name);
    }
    Aliases out;
    for (const LayoutTensor& tensor : layout.tensors) {
        if (!tensor.optional || is_unused(model, tensor) || tensor.pieces.empty()) continue;
        const auto owner = owners.find(tensor.pieces.front().logical);
        if (owner != owners.end()) out.emplace_back(tensor.name, *owner->second);
    }
    return out;
}

// Files of torch.save have the bytes of two names once, and with ZeRO 3 no tensor of the module has values.
bool has_bytes_twice(const ConvertOptions& options) {
    return options.format == NamedFormat::dcp || options.format == NamedFormat::mindspore ||
           (options.format == NamedFormat::zero && options.zero_stage < 3);
}

class NamedOutput {
public:
    NamedOutput(const Knowledge& knowledge, Source& source, const ConvertOptions& options, const KeptState* kept,
                Aliases aliases, const Naming* names)
        : knowledge_(knowledge),
          source_(source),
          options_(options),
          kept_(kept),
          aliases_(std::move(aliases)),
          names_(names) {}

    Status lay_out(PlannedOutput& out) const {
        switch (options_.format) {
            case NamedFormat::safetensors: return add_safetensors(out);
            case NamedFormat::dcp: return add_dcp(out);
            case NamedFormat::dtensor: return add_dtensors(out);
            case NamedFormat::universal: return add_universal(out);
            case NamedFormat::zero: return add_zero(out);
            case NamedFormat::mindspore: return add_mindspore(out);
            case NamedFormat::vllm: return add_vllm(out);
            case NamedFormat::megatron_fsdp: break;
        }
        return {};
    }

private:
    Status add_safetensors(PlannedOutput& out) const {
        TRY_ASSIGN(HfOutput output, hf_output(out.plan, options_.max_shard_bytes));
        out.output = std::move(output.files);
        if (!output.index_json.empty()) out.texts.push_back({kHfIndexFile, std::move(output.index_json)});
        out.last = {kHfIndexFile, kConfig};
        return {};
    }

    Status add_mindspore(PlannedOutput& out) const {
        TRY_ASSIGN(HfOutput output, hf_output(out.plan, options_.max_shard_bytes));
        out.output = std::move(output.files);
        out.texts.push_back({kNameMapFile, name_map_text(out.plan, out.output)});
        out.plan.notes.push_back(names_->loaded_by);
        out.last = {kConfig, kNameMapFile};
        return {};
    }

    Status add_vllm(PlannedOutput& out) const {
        std::vector<FileNumber> numbers;
        for (const NamedNumber& one : names_->numbers) {
            if (!one.families.empty() && !base::contains(one.families, source_.model.mapping().family)) continue;
            for (std::uint32_t layer = 0; layer < source_.model.layers(); ++layer)
                numbers.push_back({one.name_with(std::to_string(layer)), static_cast<float>(one.value)});
        }
        const auto ranks = static_cast<std::uint32_t>(options_.topology.tp);
        TRY_ASSIGN(out.output, rank_safetensors(out.plan, ranks, options_.max_shard_bytes, numbers));
        out.plan.notes.push_back(names_->loaded_by);
        out.last = {kConfig};
        return {};
    }

    Status add_dcp(PlannedOutput& out) const {
        std::optional<NamedTraining> state;
        if (kept_ != nullptr) {
            TRY_ASSIGN(state, carry_named_training(*kept_, knowledge_.adam, source_, out.plan));
        }
        if (state && !state->schedule.empty()) std::erase(source_.beside, kept_->named->schedule_title);
        if (state && names_ != nullptr) state->by_name |= names_->by_name;
        const std::string key = options_.weights_key.value_or(names_ != nullptr ? names_->weights_key : kUsualKey);
        TRY_ASSIGN(out.output, dcp_output(out.plan, key, options_.max_shard_bytes, state ? &*state : nullptr));
        if (names_ != nullptr) out.plan.notes.push_back(names_->loaded_by);
        out.last = {kConfig, ".metadata"};
        return {};
    }

    // Of an optimizer that numbers its parameters. Loading by number a state in another order would go unnoticed.
    Result<NamedTraining> carry_in_order(ConversionPlan& plan) const {
        TRY_ASSIGN(NamedTraining state, carry_named_training(*kept_, knowledge_.adam, source_, plan));
        if (state.ordered) return state;
        return base::fail(
            ErrorKind::unsupported,
            "files for ranks have the state of the optimizer in the order in which the run has its parameters, and "
            "nothing in this input says which that is; --to universal and dcp are loaded by name, by any number of "
            "ranks",
            source_.directory);
    }

    Status add_dtensors(PlannedOutput& out) const {
        std::vector<bool> whole = buffers_in(source_.model, out.plan);
        std::optional<NamedTraining> state;
        if (kept_ != nullptr) {
            TRY_ASSIGN(state, carry_in_order(out.plan));
            whole.resize(out.plan.targets.size(), false);
        }
        TRY_ASSIGN(const auto parts, cut_for_ranks(out.plan, source_.index, options_.world, whole));
        return add_rank_files(out, parts, {options_.world, options_.device, aliases_}, state ? &*state : nullptr);
    }

    Status add_universal(PlannedOutput& out) const {
        TRY_ASSIGN(const NamedTraining state, carry_named_training(*kept_, knowledge_.adam, source_, out.plan));
        TRY_ASSIGN(out.output, universal_output(out.plan, state));
        out.texts.push_back({kUniversalTracker, universal_directory(state)});
        out.plan.notes.push_back(
            "a run loads it with \"load_universal\": true in the checkpoint part of its configuration of DeepSpeed, "
            "and "
            "load_lr_scheduler_states=False, as its schedule is not carried over");
        if (state.groups.size() > 1)
            out.plan.notes.push_back(
                "a run with ZeRO 3 gives all parameters the settings of the first group: so DeepSpeed loads such a "
                "checkpoint; ZeRO 1 and 2 give each group its own");
        out.last = {universal_directory(state), kUniversalTracker};
        return {};
    }

    Status add_zero(PlannedOutput& out) const {
        const DType parameters =
            options_.params_dtype.empty() ? DType::bf16 : weight_dtype(options_.params_dtype).value_or(DType::bf16);
        if (parameters == DType::f16 && options_.zero_stage == 3)
            return base::fail(
                ErrorKind::unsupported,
                "--to zero --stage 3: a run in fp16 needs the scale of its losses, which no other format has; "
                "--to universal is loaded without it");
        TRY_ASSIGN(const NamedTraining state, carry_in_order(out.plan));
        const ZeroRun run{options_.zero_stage, options_.world, parameters, options_.sub_group, aliases_};
        TRY_ASSIGN(out.output, zero_output(out.plan, source_.index, state, run));
        out.texts.push_back({kZeroTracker, zero_directory(state)});
        out.plan.notes.push_back(
            base::format("for a run of {} ranks with ZeRO {} that computes in {}, which loads it with "
                         "load_lr_scheduler_states=False, as its schedule is not carried over",
                         run.ranks, run.stage, name(parameters)));
        out.last = {zero_directory(state), kZeroTracker};
        return {};
    }

    const Knowledge& knowledge_;
    Source& source_;
    const ConvertOptions& options_;
    const KeptState* kept_;
    Aliases aliases_;
    const Naming* names_;  // nullptr: those of Hugging Face
};

}  // namespace

Status add_rank_files(PlannedOutput& out, const std::vector<RankParts>& parts, const RanksRun& run,
                      const NamedTraining* training) {
    TRY_ASSIGN(out.output, dtensor_output(parts, run, training));
    for (SideFile& text : out.texts) text.path = base::join(kRanksModelDir, text.path);
    out.companions_to = kRanksModelDir;
    out.texts.push_back({kRanksConfig, base::format("{{\"FSDP_version\": 2, \"world_size\": {}}}\n", run.ranks)});
    out.last = {kRanksConfig};
    return {};
}

Result<PlannedOutput> plan_named(base::FileSystem& fs, const Knowledge& knowledge, Source& source,
                                 const ConvertOptions& options, const KeptState* kept) {
    TRY(check_config(source, options));
    if (kept != nullptr && kept->megatron) take_masters(source, kept->megatron->states);
    TRY_ASSIGN(const Naming* names, names_of(knowledge, options));
    TRY_ASSIGN(Layout layout, written_hf_layout(source.model, options.experts_as, names,
                                                options.format == NamedFormat::vllm ? options.topology.tp : 1));
    const Aliases aliases = aliases_in(source.model, layout);
    if (has_bytes_twice(options)) write_copies(source.model, layout);
    PlannedOutput out;
    out.title = title_of(options.format);
    if (names != nullptr) out.title = base::format("{} with names of {}", out.title, names->title);
    PlanOptions how = plan_options(options, VocabFill::zero);
    if (needs_optimizer(options.format)) how.dtype = DType::f32;
    TRY_ASSIGN(out.plan, make_plan(source.model, source.index, source.binding, layout, how));
    layout = {};  // what follows needs room of its own
    for (const StoredRule& rule : source.model.mapping().hf) {
        if (rule.once() != nullptr && source.side == Side::megatron)
            out.plan.notes.push_back(
                base::format("{}: Hugging Face's files have one row for several of Megatron's, of which the first is "
                             "written; ckpt_convert verify tells whether training kept them the same",
                             rule.weights.front()));
    }
    if (source.config) {
        TRY_ASSIGN(std::string config, adapted_config(fs, source, options));
        out.texts.push_back({kConfig, std::move(config)});
        out.companions_from = source.companions;
    }
    TRY(NamedOutput(knowledge, source, options, kept, aliases, names).lay_out(out));
    return out;
}

}  // namespace ckpt
