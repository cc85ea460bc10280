#include "ckpt_convert/target/megatron_fsdp.h"

#include <map>
#include <memory>
#include <unordered_map>

#include "base/check.h"
#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/megatron_fsdp_output.h"
#include "ckpt_convert/open/option_values.h"
#include "ckpt_convert/target/adam_values.h"
#include "ckpt_convert/target/megatron_files.h"
#include "ckpt_convert/target/named_training.h"

namespace ckpt {
namespace {

constexpr const char* kNames = "megatron-fsdp";  // of rules/names/

Status check_sizes(const ConvertOptions& options) {
    Topology whole;
    whole.experts.ep = options.topology.experts.ep;
    if (options.topology == whole && !options.torch_dist) return {};
    return base::fail(ErrorKind::usage,
                      "--to megatron-fsdp: its tensors are whole, and every run cuts them for its own ranks: leave out "
                      "the sizes of the layout, but for --ep with --optimizer keep, and --ckpt-format");
}

// As its own program is, and for the iteration that the state is of.
ConvertOptions options_for(const ConvertOptions& given, const Naming& names, const KeptState* kept) {
    ConvertOptions out = given;
    if (out.target.empty()) out.target = names.target;
    if (kept != nullptr && out.iteration.empty()) out.iteration = std::to_string(kept->megatron->files.iteration);
    return out;
}

// The groups of the weights, as Megatron has them: one for matrices and one for vectors, and those of experts.
Result<MegatronFsdpTraining> groups_of(const NamedTraining& training, const ConversionPlan& plan,
                                       const AdamSettings& adam, bool own_experts, const Path& path) {
    std::unordered_map<std::string_view, const TargetTensor*> targets;
    for (const TargetTensor& target : plan.targets) {
        if (target.of_model) targets.emplace(target.name.get(), &target);
    }
    MegatronFsdpTraining out;
    auto arena = std::make_shared<pickle::Arena>();
    for (const auto& group : training.groups) {
        std::map<GroupKind, std::vector<std::string>> kinds;
        for (const std::string& name : group.names) {
            const TargetTensor& target = *targets.at(name);
            kinds[{target.shape.size() > 1, own_experts && target.of_experts}].push_back(name);
        }
        for (auto& [kind, names] : kinds) {
            TRY_ASSIGN(pickle::Value * values, megatron_group(adam, *arena, group.values, kind.decay,
                                                              static_cast<std::int64_t>(training.step), path));
            values->as<pickle::Dict>()->items.emplace_back(arena->make(std::string("is_expert_parallel")),
                                                           arena->make(kind.expert));
            out.groups.push_back({values, std::move(names)});
        }
    }
    out.made = std::move(arena);
    return out;
}

}  // namespace

Result<PlannedOutput> plan_megatron_fsdp(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                         Source& source, const ConvertOptions& given, const KeptState* kept) {
    TRY(check_sizes(given));
    const Naming* names = knowledge.namings.find(kNames);
    CHECK(names != nullptr);
    if (source.plain != nullptr) return names->lacks(*source.plain, source.model.tensors().front().name);
    const ConvertOptions options = options_for(given, *names, kept);
    TRY_ASSIGN(MegatronTarget target, megatron_target(knowledge, source.model, options));
    if (kept != nullptr && !kept->named) take_masters(source, kept->megatron->states);
    HfVariant variant;
    variant.names = names;
    variant.dialect = names->core.front().dialect(names->target);
    variant.vocab_rows = target.parallel.padded_vocab;
    TRY_ASSIGN(const Layout layout, hf_layout(source.model, variant));
    PlannedOutput out;
    out.title = base::format("{} (fsdp_dtensor)", names->title);
    // The weights of a run that goes on are the copies in full precision.
    PlanOptions how = plan_options(options, target.fill);
    if (kept != nullptr) how.dtype.reset();
    TRY_ASSIGN(out.plan, make_plan(source.model, source.index, source.binding, layout, how));
    const DType dtype = weight_dtype(options.params_dtype).value_or(main_dtype(out.plan));
    TRY_ASSIGN(const MegatronTexts texts, megatron_texts(knowledge, target, source, dtype, options));
    std::optional<NamedTraining> training;
    std::optional<MegatronFsdpTraining> groups;
    if (kept != nullptr) {
        TRY_ASSIGN(training, carry_named_training(*kept, knowledge.adam, source, out.plan));
        TRY_ASSIGN(groups,
                   groups_of(*training, out.plan, knowledge.adam, options.topology.experts.ep > 1, source.directory));
        groups->scheduler = kept->megatron->files.scheduler;
        if (!kept->megatron->schedule_title.empty()) std::erase(source.beside, kept->megatron->schedule_title);
    }
    TRY_ASSIGN(out.output, megatron_fsdp_output(out.plan, *names, texts.state, groups ? &*groups : nullptr,
                                                options.max_shard_bytes));
    out.plan.notes.push_back(names->loaded_by);
    TRY(add_training_files(fs, store, source, options, target, texts.flags, out));
    return out;
}

}  // namespace ckpt
