#include "ckpt_convert/target/megatron_target.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/json_writer.h"
#include "base/number_text.h"

namespace ckpt {
namespace {

// "mcore@0.14" or "mindspeed".
Status find_dialect(const Knowledge& knowledge, const ConvertOptions& options, MegatronTarget& out) {
    std::size_t at = options.target.find('@');
    TRY_ASSIGN(out.target, knowledge.targets.target(options.target.substr(0, at)));
    CoreVersion core = out.target->core;
    if (at != std::string::npos) {
        TRY_ASSIGN(core, CoreVersion::parse(options.target.substr(at + 1), ErrorKind::usage, "--target"));
    }
    out.layers = options.layers.empty() ? out.target->layers : options.layers;
    // In torch_dist both kinds of layers have the names of Transformer Engine's.
    out.parallel.dialect = {out.target->name,
                            core,
                            options.torch_dist ? "te" : out.layers,
                            options.torch_dist,
                            options.grouped_experts && !options.torch_dist,
                            options.mla_split};
    return {};
}

Status find_iteration(const ConvertOptions& options, MegatronTarget& out) {
    out.iteration = options.iteration.empty() ? out.target->iteration : options.iteration;
    out.directory = out.iteration;
    if (out.iteration == "release") return {};
    std::uint64_t number = 0;
    const char* end = out.iteration.data() + out.iteration.size();
    auto [stop, code] = std::from_chars(out.iteration.data(), end, number);
    if (code != std::errc() || stop != end || number == 0) {
        return base::fail(ErrorKind::usage, base::format("--iteration: \"{}\" is neither a number of at least 1 nor "
                                                         "\"release\"",
                                                         out.iteration));
    }
    out.directory = base::format("iter_{:07}", number);
    return {};
}

// The rows of the embedding and the head over all TP ranks.
Status pad_vocabulary(const Knowledge& knowledge, const Model& model, const VocabOptions& options,
                      MegatronTarget& out) {
    auto vocab = static_cast<std::uint64_t>(model.values().at("vocab"));
    TRY_ASSIGN(const VocabPadding* found, knowledge.targets.padding(options.rule, options.divisor.has_value()));
    VocabPadding padding = *found;
    if (options.divisor) padding.divisor = *options.divisor;
    out.fill = padding.fill;
    if (!options.fill.empty()) {
        TRY_ASSIGN(out.fill, vocab_fill(options.fill, ErrorKind::usage, "--vocab-fill"));
    }
    // torch_dist has the vocabulary as it is: every run pads it as it needs while loading.
    std::optional<std::uint64_t> rows =
        out.parallel.dialect.torch_dist ? vocab : padding.padded(vocab, out.parallel.tp);
    if (options.rows) rows = options.rows;
    constexpr std::uint64_t kMaxVocab = 1ull << 32;
    if (!rows || *rows > kMaxVocab) {
        return base::fail(ErrorKind::usage, base::format("a vocabulary of {} rows cannot be padded to multiples of {}",
                                                         vocab, padding.divisor));
    }
    if (*rows < vocab) {
        return base::fail(ErrorKind::usage,
                          base::format("--padded-vocab-size {} is less than the {} rows of the vocabulary; "
                                       "--true-vocab-size leaves rows out",
                                       *rows, vocab));
    }
    out.parallel.padded_vocab = *rows;
    return {};
}

std::string title_of(const MegatronTarget& target) {
    if (target.parallel.dialect.torch_dist) return base::format("Megatron torch_dist for {}", target.target->title);
    const Placement& placement = target.parallel.placement;
    return base::format("Megatron {}{} for {}", parallel_sizes(target.parallel),
                        placement.virtual_stages ? base::format(" x VPP {}", placement.chunks()) : "",
                        target.target->title);
}

// A list of stages in Megatron's notation, which knows no list: "Et*3|t*5L".
std::string as_pipeline_layout(const std::vector<std::uint32_t>& layers_per_stage, std::uint32_t modules) {
    std::vector<std::string> stages;
    for (std::uint32_t layers : layers_per_stage) stages.push_back(base::format("t*{}", layers));
    return base::format("E{}{}L", base::joined(stages, "|"), std::string(modules, 'm'));
}

// Values of the layers for all slots, 0 for noop layers.
std::vector<std::int64_t> by_slot(const std::vector<std::int64_t>& by_layer, const std::vector<std::uint32_t>& noops) {
    std::vector<std::int64_t> out = by_layer;
    std::vector<std::uint32_t> sorted = noops;
    std::sort(sorted.begin(), sorted.end());
    for (std::uint32_t slot : sorted) out.insert(out.begin() + slot, 0);
    return out;
}

ArgumentFacts facts_of(const Knowledge& knowledge, const MegatronTarget& target, const Source& source, DType dtype,
                       const ConvertOptions& options) {
    const Topology& topology = options.topology;
    ArgumentFacts facts;
    facts.numbers = layout_facts(source.model, target.parallel);
    for (const Target& known : knowledge.targets.targets()) facts.numbers[known.name] = &known == target.target;
    facts.numbers["te"] = target.layers == "te";
    facts.numbers["grouped"] = options.grouped_experts;
    const bool fsdp = options.format == NamedFormat::megatron_fsdp;
    facts.numbers["torch_dist"] = target.parallel.dialect.torch_dist;
    facts.numbers["fsdp_dtensor"] = fsdp;
    facts.texts["ckpt_format"] = fsdp ? "fsdp_dtensor" : target.parallel.dialect.torch_dist ? "torch_dist" : "torch";
    facts.numbers["optimizer"] = options.keep_optimizer;
    facts.numbers["release"] = target.iteration == "release";
    facts.numbers["bf16"] = dtype == DType::bf16;
    facts.numbers["fp16"] = dtype == DType::f16;
    facts.numbers["noops"] = static_cast<std::int64_t>(topology.noop_layers.size());
    facts.numbers["dualpipev"] = topology.dualpipev;
    facts.numbers["count_embedding"] = topology.count_embedding;
    facts.numbers["count_loss"] = topology.count_loss;
    facts.numbers["listed_stages"] = !topology.layers_per_stage.empty();
    facts.numbers["has_first_stage"] = topology.first_stage_layers.has_value();
    facts.numbers["has_last_stage"] = topology.last_stage_layers.has_value();
    facts.numbers["first_stage_layers"] = topology.first_stage_layers.value_or(0);
    facts.numbers["last_stage_layers"] = topology.last_stage_layers.value_or(0);
    facts.numbers["has_pipeline_layout"] = !topology.pipeline_layout.empty();
    facts.numbers["even_virtual_stages"] =
        target.parallel.placement.virtual_stages && !topology.dualpipev && topology.pipeline_layout.empty();
    facts.numbers["uneven_stages"] =
        topology.count_embedding || topology.count_loss || topology.first_stage_layers || topology.last_stage_layers;
    facts.texts["noop_layers"] = base::joined(topology.noop_layers, ",");
    facts.texts["layer_list"] = base::joined(topology.layers_per_stage, ",");
    facts.texts["pipeline_layout"] = topology.pipeline_layout.empty()
                                         ? as_pipeline_layout(topology.layers_per_stage, source.model.mtp_layers())
                                         : topology.pipeline_layout;
    for (const auto& [name, values] : source.model.by_layer()) {
        // A run's lists are of its decoder's layers; those for multi-token prediction are like the last.
        std::vector<std::int64_t> by_layer(values.begin(), values.begin() + source.model.layers());
        facts.lists[name] = by_slot(by_layer, topology.noop_layers);
        facts.texts[name] = "[" + base::joined(facts.lists[name], ",") + "]";
        facts.numbers[name + "_layers"] =
            static_cast<std::int64_t>(by_layer.size()) - std::count(by_layer.begin(), by_layer.end(), 0);
    }
    if (source.config) {
        facts.config = &source.config->root;
        facts.texts["config"] = std::move(base::JsonWriter(0).value(source.config->root)).take();
        facts.texts["config_path"] = base::format("{}{}/config.json", kCheckpointDir, kHfConfigDir);
    }
    facts.saved = source.side == Side::megatron ? &source.args : nullptr;
    return facts;
}

// The modules for multi-token prediction, where a pipeline layout says where they are.
Status check_modules(const Model& model, const MegatronTarget& target) {
    const Placement& placement = target.parallel.placement;
    if (placement.module_count && *placement.module_count != model.mtp_layers())
        return base::fail(
            ErrorKind::usage,
            base::format("--pipeline-model-parallel-layout has {} modules for multi-token prediction (m), "
                         "and the model {}: write as many m before L",
                         *placement.module_count, model.mtp_layers()));
    constexpr CoreVersion kFirst{0, 16};
    if (placement.modules == placement.head || target.parallel.dialect.core >= kFirst) return {};
    return base::fail(
        ErrorKind::usage,
        base::format("--pipeline-model-parallel-layout: {} has modules for multi-token prediction (m) in the "
                     "stage of the loss (L): leave no | between them, or give --target mcore@{}",
                     target.target->title, kFirst.text()));
}

}  // namespace

Result<MegatronTarget> megatron_target(const Knowledge& knowledge, const Model& model, const ConvertOptions& options) {
    MegatronTarget out;
    TRY(find_dialect(knowledge, options, out));
    TRY(find_iteration(options, out));
    out.parallel.tp = options.torch_dist ? 1 : options.topology.tp;
    if (!options.torch_dist) out.parallel.experts = options.topology.experts;
    out.parallel.kv_sharing = options.torch_dist ? KvSharing::refuse : options.topology.kv_sharing;
    if (options.torch_dist && !options.topology.noop_layers.empty()) {
        return base::fail(
            ErrorKind::unsupported,
            "--noop-layers: torch_dist stores all layers in one tensor, which has no place for noop layers");
    }
    // torch_dist holds whole tensors, which every run splits as it needs.
    TRY_ASSIGN(out.parallel.placement,
               place_layers(options.torch_dist ? Topology() : options.topology, model.layers()));
    TRY(check_modules(model, out));
    TRY(pad_vocabulary(knowledge, model, options.vocab, out));
    out.title = title_of(out);
    return out;
}

Result<std::vector<TrainingFlag>> megatron_flags(const Knowledge& knowledge, const MegatronTarget& target,
                                                 const Source& source, DType dtype, const ConvertOptions& options) {
    return all_training_flags(source.model, facts_of(knowledge, target, source, dtype, options));
}

Result<MegatronTexts> megatron_texts(const Knowledge& knowledge, const MegatronTarget& target, const Source& source,
                                     DType dtype, const ConvertOptions& options) {
    MegatronTexts out;
    out.state.params_dtype = dtype;
    ArgumentFacts facts = facts_of(knowledge, target, source, out.state.params_dtype, options);
    out.state.iteration =
        target.iteration == "release" ? 0 : base::number_in<std::uint64_t>(target.iteration).value_or(0);
    facts.numbers["iteration"] = static_cast<std::int64_t>(out.state.iteration);
    TRY_ASSIGN(out.state.args, checkpoint_arguments(source.model, facts));
    TRY_ASSIGN(out.flags, training_flags(source.model, facts));
    out.state.directory = target.directory;
    out.state.layers_apart = source.model.layers_apart();
    out.state.extra_states = target.target->extra_state && target.layers == "te";
    return out;
}

}  // namespace ckpt
