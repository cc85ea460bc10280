#include "ckpt_convert/app/convert.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/data_store.h"
#include "base/format.h"
#include "base/human.h"
#include "base/parallel.h"
#include "base/shell_word.h"
#include "base/text.h"
#include "base/write_file.h"
#include "ckpt_convert/app/launcher.h"
#include "ckpt_convert/app/output_manifest.h"
#include "ckpt_convert/app/plan_page.h"
#include "ckpt_convert/app/write_output.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/checkpoint/source_guard.h"
#include "ckpt_convert/execute/executor.h"
#include "ckpt_convert/execute/hf_output.h"
#include "ckpt_convert/execute/plan_text.h"
#include "ckpt_convert/execute/shard_set.h"
#include "ckpt_convert/execute/tile_reader.h"
#include "ckpt_convert/execute/torch_dist_output.h"
#include "ckpt_convert/open/option_values.h"
#include "ckpt_convert/target/adapter_output.h"
#include "ckpt_convert/target/fitting_sizes.h"
#include "ckpt_convert/target/kept_state.h"
#include "ckpt_convert/target/megatron_files.h"
#include "ckpt_convert/target/megatron_fsdp.h"
#include "ckpt_convert/target/megatron_target.h"
#include "ckpt_convert/target/named_output.h"
#include "ckpt_convert/target/planned_output.h"
#include "ckpt_convert/target/repeated_options.h"
#include "ckpt_convert/target/training.h"

namespace ckpt {
namespace {

Status refuse_overlap(base::FileSystem& fs, const ConvertOptions& options) {
    const auto overlaps = [&](const Path& input) {
        return !input.empty() && base::is_inside(fs, options.save_dir, input);
    };
    if (overlaps(options.source.directory))
        return base::fail(ErrorKind::usage, "--save-dir must not be inside --load-dir", options.save_dir);
    if (overlaps(options.source.adapter))
        return base::fail(ErrorKind::usage, "--save-dir must not be inside --lora-load", options.save_dir);
    return {};
}

// Other converters take the original model as output, read its config there and write below it.
Status require_room(base::FileSystem& fs, const ConvertOptions& options, const Source& source, bool is_shard) {
    auto room = is_shard ? require_shards_only(fs, options.save_dir) : require_free_directory(fs, options.save_dir);
    const bool holds_model = source.side == Side::megatron && options.to != Side::megatron &&
                             fs.exists(base::join(options.save_dir, "config.json"));
    if (room || !holds_model) return room;
    return base::fail(
        ErrorKind::usage,
        base::format("the output directory holds a model, which stays as it is; if that is the original, "
                     "where convert_ckpt.py writes to mg2hf, say --hf-cfg-dir {} --save-dir {}, "
                     "else name a new directory",
                     base::shell_path(options.save_dir), base::shell_path(base::join(options.save_dir, "mg2hf"))),
        options.save_dir);
}

std::string dtype_list(const ConversionPlan& plan) {
    std::set<std::string> names;
    for (const auto& target : plan.targets) names.emplace(name(target.dtype));
    return base::joined(names, ", ");
}

// Said of a family whose layers the target does not have.
Result<std::optional<std::string>> wrong_target(const Knowledge& knowledge, const ModelMapping& mapping,
                                                const Target& target) {
    const std::vector<std::string>& trained_by = mapping.trained_by;
    if (trained_by.empty() || base::contains(trained_by, target.name)) return std::optional<std::string>{};
    TRY_ASSIGN(const Target* right, knowledge.targets.target(trained_by.front()));
    return std::optional(base::format("{} has no layers for {}; {} has: --target {}", target.title, mapping.title,
                                      right->title, right->name));
}

Result<PlannedOutput> plan_megatron(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                    Source& source, const ConvertOptions& options, const Training* training) {
    TRY_ASSIGN(MegatronTarget target, megatron_target(knowledge, source.model, options));
    const TensorsOf tensors = [&](const TensorSink& sink) {
        return each_mcore_tensor(source.model, target.parallel, sink);
    };
    PlannedOutput out;
    out.title = target.title;
    TRY_ASSIGN(out.plan,
               make_plan(source.model, source.index, source.binding, tensors, plan_options(options, target.fill)));
    out.plan.notes.insert(out.plan.notes.end(), options.megatron_notes.begin(), options.megatron_notes.end());
    TRY_ASSIGN(const auto note, wrong_target(knowledge, source.model.mapping(), *target.target));
    if (note) out.plan.notes.push_back(*note);
    TRY_ASSIGN(MegatronTexts texts, megatron_texts(knowledge, target, source, main_dtype(out.plan), options));
    std::optional<TrainingState> state;
    if (training != nullptr) {
        TRY_ASSIGN(state, carry_training(*training, source, target, options, out.plan));
        texts.state.training = &*state;
    } else if (source.has_optimizer) {
        out.plan.notes.push_back(source.reordered
                                     ? "the state of the optimizer is left out: that of a checkpoint so old is not read"
                                     : "the state of the optimizer is left out; --optimizer keep takes it along");
    }
    if (options.torch_dist) {
        TRY_ASSIGN(out.output, torch_dist_output(out.plan, target.parallel, texts.state, options.max_shard_bytes));
    } else {
        TRY_ASSIGN(out.output, megatron_output(out.plan, target.parallel, texts.state));
        TRY_ASSIGN(out.ranks, rank_matrix(out.plan, target.parallel, out.output));
    }
    TRY(add_training_files(fs, store, source, options, target, texts.flags, out));
    return out;
}

Result<PlannedOutput> plan_target(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                  Source& source, const ConvertOptions& options, const KeptState* kept) {
    if (target_side(source, options) == Side::megatron) {
        auto planned =
            plan_megatron(fs, knowledge, store, source, options, kept != nullptr ? &*kept->megatron : nullptr);
        if (planned) return planned;
        return tl::unexpected(with_fitting_sizes(std::move(planned).error(), knowledge, source.model, options));
    }
    if (options.format == NamedFormat::megatron_fsdp)
        return plan_megatron_fsdp(fs, knowledge, store, source, options, kept);
    TRY(check_repeated_layout(options, source));
    return plan_named(fs, knowledge, source, options, kept);
}

ExecuteOptions execute_options(const ConvertOptions& options, ConvertObserver& observer) {
    ExecuteOptions out;
    out.threads = options.threads > 0 ? options.threads : base::default_thread_count();
    out.tile_bytes = tile_bytes_within(options.memory_bytes, out.threads);
    out.progress = [&observer](std::uint64_t bytes) { observer.written(bytes); };
    return out;
}

ConvertSummary summarise(const Source& source, const PlannedOutput& target, const ConvertOptions& options,
                         const ExecuteOptions& execution) {
    ConvertSummary summary;
    summary.from = source.title;
    summary.to = target.title;
    summary.family = source.model.mapping().family;
    summary.layers = source.plain == nullptr ? source.model.layers() : 0;
    summary.parameters = source.model.parameters();
    summary.dtypes = dtype_list(target.plan);
    summary.tensors = target.plan.targets.size();
    summary.read_bytes = target.plan.source_bytes();
    summary.written_bytes = target.output.total_bytes();
    summary.buffer_bytes = execution.tile_bytes * 4 * static_cast<std::uint64_t>(execution.threads);
    for (const auto& file : target.output.files) summary.files.emplace_back(file.path, file.bytes);
    summary.notes = options.notes;
    summary.notes.insert(summary.notes.end(), source.notes.begin(), source.notes.end());
    summary.notes.insert(summary.notes.end(), target.plan.notes.begin(), target.plan.notes.end());
    summary.dry_run = options.dry_run;
    if (options.show_plan) summary.plan_text = plan_text(target.plan, target.output);
    if (options.dry_run && target.ranks) summary.ranks = matrix_text(*target.ranks);
    return summary;
}

// Written before the output is, so that the page can be looked at while the conversion runs.
Status write_plan_page(base::FileSystem& fs, const base::DataStore& store, const ConvertSummary& summary,
                       const PlannedOutput& target, const ConvertOptions& options) {
    if (base::lexically_inside(options.plan_html, options.save_dir))
        return base::fail(ErrorKind::usage, "--plan-html must not be inside --save-dir", options.plan_html);
    TRY_ASSIGN(const std::string page, plan_page(store, summary, target));
    return base::write_file(fs, options.plan_html, page);
}

// One note for each, so that each is a sentence in every language.
void note_left_out(const Source& source, bool keeps_optimizer, ConversionPlan& plan) {
    for (const std::string& what : source.beside)
        if (!keeps_optimizer || what != kOptimizerState)
            plan.notes.push_back(base::format("left out of what the ranks saved: {}", what));
}

// Which of the files beside the source's weights go with the output's.
Status find_companions(base::FileSystem& fs, PlannedOutput& target) {
    if (target.companions_from.empty()) return {};
    TRY_ASSIGN(Companions found, companion_files(fs, target.companions_from));
    target.companions = std::move(found.files);
    target.plan.notes.insert(target.plan.notes.end(), found.notes.begin(), found.notes.end());
    return {};
}

std::vector<std::string> cast_notes(const std::vector<CastReport>& reports, const std::string& dtype) {
    constexpr std::size_t kShown = 10;
    std::vector<std::string> out;
    for (std::size_t i = 0; i < reports.size() && i < kShown; ++i) {
        out.push_back(
            base::format("{}: {} values are too large for {} and became infinite, {} are too small and became 0",
                         reports[i].tensor, reports[i].losses.overflowed, dtype, reports[i].losses.underflowed));
    }
    if (reports.size() > kShown)
        out.push_back(base::format("{} more tensors lost values in the cast to {}", reports.size() - kShown, dtype));
    return out;
}

}  // namespace

Result<ConvertSummary> convert(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                               const ConvertOptions& given, ConvertObserver& observer) {
    ConvertOptions options = given;
    auto start = std::chrono::steady_clock::now();
    TRY(refuse_overlap(fs, options));
    TRY_ASSIGN(auto shard, shard_of(store, options.shard));
    Source source;
    std::optional<AdapterSource> adapter;
    if (options.adapter_alone) {
        TRY_ASSIGN(adapter, open_adapter(fs, knowledge, options.source));
    } else {
        TRY_ASSIGN(source, open_source(fs, knowledge, options.source));
    }
    TRY(require_room(fs, options, source, shard.has_value()));
    std::optional<KeptState> kept;
    if (options.keep_optimizer && !adapter) {
        TRY_ASSIGN(kept, open_kept_state(fs, knowledge, source, options));
    }
    PlannedOutput target;
    if (adapter) {
        TRY_ASSIGN(target, plan_adapter(fs, knowledge, *adapter, options));
        source = std::move(adapter->source);
    } else {
        TRY(check_claims(options, source));
        TRY_ASSIGN(target, plan_target(fs, knowledge, store, source, options, kept ? &*kept : nullptr));
        note_left_out(source, kept.has_value(), target.plan);
    }
    TRY(find_companions(fs, target));
    TRY_ASSIGN(SourceGuard guard, SourceGuard::of(fs, source.index));
    // From here on every tensor of the source is used once, and every tensor of the target is made once.

    const std::uint64_t conversion = fingerprint(target);
    std::optional<ShardSet> shards;
    if (shard) {
        TRY_ASSIGN(shards, ShardSet::open(fs, options.save_dir, *shard, conversion));
        take_shard(target.plan, target.output, *shard);
    }
    ExecuteOptions execution = execute_options(options, observer);
    ConvertSummary summary = summarise(source, target, options, execution);
    if (!options.plan_html.empty()) TRY(write_plan_page(fs, store, summary, target, options));
    observer.planned(summary);
    if (options.dry_run) return summary;

    Writing run{fs, target, source, guard, options, execution, begin_manifest(source, target, conversion), summary};
    if (shard) TRY(write_shard(std::move(run), *shard, *shards));
    else TRY(write_whole(std::move(run)));
    for (auto& note : cast_notes(summary.losses, options.params_dtype)) summary.notes.push_back(std::move(note));
    summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return summary;
}

}  // namespace ckpt
