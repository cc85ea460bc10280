#include "ckpt_convert/app/options.h"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "base/nearest_word.h"
#include "base/text.h"
#include "ckpt_convert/app/command_options.h"
#include "ckpt_convert/app/config_file.h"
#include "ckpt_convert/app/help_texts.h"
#include "ckpt_convert/app/launch_options.h"
#include "ckpt_convert/app/peer_options.h"
#include "ckpt_convert/app/raw_options.h"
#include "ckpt_convert/app/training_plan_options.h"
#include "ckpt_convert/mapping/target.h"
#include "ckpt_convert/open/option_values.h"
#include "command_line/command_line.h"
#include "command_line/command_page.h"
#include "command_line/missing_values.h"
#include "command_line/one_of.h"

namespace ckpt {
namespace {

constexpr std::uint32_t kMaxRanks = 65536;

std::string at_least_one(const std::string& text) { return is_count(text, UINT32_MAX); }
std::string rank_count(const std::string& text) { return is_count(text, kMaxRanks); }

void add_places(CLI::App& app, const PeerOptions& peers, ConvertOptions& options, RawOptions& raw) {
    auto* group = app.add_option_group("Input and output");
    group
        ->add_option("INPUT,--load-dir", options.source.directory,
                     "Checkpoint to read: a Hugging Face directory, a Megatron one, or one that ranks wrote in shards")
        ->option_text("DIR");
    group->add_option("OUTPUT,--save-dir", options.save_dir, "Directory to write; must be empty or not exist")
        ->option_text("DIR");
    group
        ->add_option(
            "--to", raw.to,
            "What to write: hf (Hugging Face), mcore (Megatron), dcp (torch.distributed.checkpoint, as "
            "programs with FSDP2 load it), dtensor (a file of DTensors for each rank, as verl loads it), "
            "universal or zero (DeepSpeed's, with its optimizer: for any run, or for one of a known number of "
            "ranks), megatron-fsdp (Megatron's fsdp_dtensor), mindspore (safetensors of MindSpore) or vllm (its "
            "sharded state, for the ranks of --tp); the other side when left out")
        ->check(command_line::OneOf(
            {"hf", "mcore", "dcp", "dtensor", "universal", "zero", "megatron-fsdp", "mindspore", "vllm"}));
    group->add_option("--world", options.world, "Of a dtensor or zero output: how many ranks load a file each")
        ->check(rank_count);
    group->add_option("--stage", options.zero_stage, "Of a zero output: the run's stage of ZeRO, 1, 2 or 3")
        ->check(CLI::Range(1, 3));
    group
        ->add_option("--sub-group-size", options.sub_group,
                     "Of a zero output of stage 3: the run's sub_group_size (default 1000000000)")
        ->check(at_least_one);
    group
        ->add_option("--mesh-device", options.device,
                     "Of a dtensor output: what its ranks run on: npu (default), cuda or cpu")
        ->check(command_line::OneOf({"npu", "cuda", "cpu"}));
    group->add_option("--load-model-type", raw.load_type, "hf or mg; found from the input when left out");
    group->add_option("--save-model-type", raw.save_type,
                      "mg or hf; the other side when left out. mg from a Megatron input: another Megatron layout");
    group->add_option(
        "--model-type-hf", options.source.family,
        "Model family; found from config.json or the tensor names when left out (ckpt_convert models list)");
    group
        ->add_option("--hf-cfg-dir", options.source.hf_config_dir,
                     "For a Megatron input: where config.json and the tokenizer are")
        ->option_text("DIR");
    group->add_flag("--language-part", options.source.language_part,
                    "Of a multimodal model take the language model alone, and leave vision and other parts out");
    group->add_option("--leave-out", options.source.leave_out,
                      "Leave out tensors of a Hugging Face checkpoint that have no place in the model, by a pattern "
                      "with *; may be repeated");
    command_line::allow_empty(
        *group->add_option("--weights-key", options.weights_key,
                           "Of a dcp output: the key that the weights are saved under (default model); \"\" for none"));
    group->add_option("--names", options.names,
                      "Of a dcp output: whose names the tensors get instead of Hugging Face's: torchtitan");
    group->add_option("--experts-as", options.experts_as,
                      "Of an output with Hugging Face's names: how the experts of a layer are stored, where their "
                      "family has several ways: separate, fused, columns or flattened");
    group->add_option("--num-layers", raw.layers, "Take only the first N layers")->check(at_least_one);
    group->add_option("--mtp-num-layers", options.source.mtp_layers,
                      "Take the first N layers for multi-token prediction of a Hugging Face checkpoint (default 0)");
    group->add_option("--true-vocab-size", raw.true_vocab, "Take only the first N rows of the vocabulary")
        ->check(at_least_one);
    group
        ->add_option("--params-dtype", options.params_dtype,
                     "Cast to bf16, fp16 or fp32; the element types stay as they are when left out")
        ->check(command_line::OneOf({"bf16", "fp16", "fp32"}));
    group->add_option(peers.names("--lora-load"), options.source.adapter,
                      "LoRA adapter to merge into the weights: a PEFT directory, or what a Megatron run saved in any "
                      "layout");
    group->add_flag(peers.names("--save-lora"), options.adapter_alone,
                    "Convert the LoRA adapter in --lora-load or --load-dir alone, without merging it: from a Megatron "
                    "run to a PEFT directory, to a Megatron layout, or into shards");
    group->add_option("--lora-alpha", options.source.adapter_alpha,
                      "The adapter is scaled with alpha / rank (default: what its configuration or arguments say)");
    group->add_option("--lora-r", options.source.adapter_rank, "What the rank of the adapter must be");
    group
        ->add_option("--dequantize", raw.dequantize,
                     "Dequantise FP8, INT8, INT4 and MXFP4 weights with scales to bf16 or fp32")
        ->check(command_line::OneOf({"bf16", "fp32"}));
}

// "none, mindspeed, megatron"
template <class Item>
std::string names_of(const std::vector<Item>& items) {
    std::vector<std::string> out;
    for (const Item& item : items) out.push_back(item.name);
    return base::joined(out, ", ");
}

// "local for mindspeed, transformer_engine for mcore"
std::string layers_by_target(const TargetRegistry& targets) {
    std::vector<std::string> out;
    for (const Target& target : targets.targets())
        out.push_back(
            base::format("{} for {}", target.layers == "te" ? "transformer_engine" : target.layers, target.name));
    return base::joined(out, ", ");
}

void add_layout(CLI::App& app, const PeerOptions& peers, const TargetRegistry& targets, ConvertOptions& options,
                RawOptions& raw) {
    Topology& topology = options.topology;
    auto* group = app.add_option_group("Megatron layout to write");
    group->add_option("--target", options.target,
                      base::format("Who reads it: {}; with @VERSION of megatron-core (default {})",
                                   names_of(targets.targets()), targets.default_target().name));
    group->add_option("--ckpt-format", raw.format, "torch: one file per rank; torch_dist: loads at any TP and PP");
    group->add_option("--transformer-impl", raw.transformer_impl,
                      base::format("local or transformer_engine (default: {})", layers_by_target(targets)));
    group->add_option(peers.names("--tp"), topology.tp, "Tensor parallel size")->check(rank_count);
    group->add_option(peers.names("--pp"), topology.pp, "Pipeline parallel size")->check(rank_count);
    group->add_option(peers.names("--ep"), topology.experts.ep, "Expert parallel size")->check(rank_count);
    group->add_option(peers.names("--etp"), topology.experts.etp, "Ranks that share an expert (default: as many as TP)")
        ->check(rank_count);
    group->add_flag("--moe-tp-extend-ep", topology.experts.tp_extends_ep,
                    "Spread whole experts over TP x EP groups of ranks, as MindSpeed does");
    group->add_flag("--moe-grouped-gemm", options.grouped_experts,
                    "The experts of a rank as one module, for runs with the same option");
    group->add_flag("--mla-mm-split", options.mla_split,
                    "The up projections of latent attention in parts, for MindSpeed runs with the same option");
    group->add_option("--num-layers-per-virtual-pipeline-stage", topology.layers_per_virtual_stage,
                      "Layers of each virtual pipeline stage");
    group
        ->add_option("--num-virtual-stages-per-pipeline-rank", topology.virtual_stages,
                     "Virtual pipeline stages of each rank")
        ->check(rank_count);
    group->add_option("--num-layer-list", raw.layer_list, "Layers of each pipeline rank, for example 16,16");
    group->add_option(peers.names("--decoder-first-pipeline-num-layers"), topology.first_stage_layers,
                      "Layers of the first pipeline rank");
    group->add_option(peers.names("--decoder-last-pipeline-num-layers"), topology.last_stage_layers,
                      "Layers of the last pipeline rank");
    group->add_flag("--account-for-embedding-in-pipeline-split", topology.count_embedding,
                    "The embedding counts as a layer of the first stage");
    group->add_flag("--account-for-loss-in-pipeline-split", topology.count_loss,
                    "The loss counts as a layer of the last stage");
    group->add_option("--pipeline-model-parallel-layout", topology.pipeline_layout,
                      "Stages in Megatron's notation, for example \"Et*3|(tt|)*14,t|L\"");
    group->add_option("--noop-layers", raw.noop_layers,
                      "Slots of the padded layer sequence that hold no layer, for example 0,33");
    group->add_option("--schedules-method", raw.schedule, "dualpipev: two chunks per rank, forwards and backwards")
        ->check(command_line::OneOf({"dualpipev"}));
    group
        ->add_option("--tp-beyond-kv-groups", raw.kv_sharing,
                     "When TP exceeds the KV groups: repeat copies key and value heads, split gives each rank a part "
                     "of a group (megatron-core 0.16 and later)")
        ->check(command_line::OneOf({"repeat", "split"}));
    group->add_option("--iteration", options.iteration,
                      "Iteration of the checkpoint, or release (default: what the target's users expect)");
    group
        ->add_option(
            "--optimizer", raw.optimizer,
            "keep: with the state of the optimizer, so that training goes on, from Megatron, FSDP2 and DeepSpeed "
            "ZeRO to all but hf; drop (default): the weights alone")
        ->check(command_line::OneOf({"keep", "drop"}));
    group
        ->add_option("--optimizer-step", options.optimizer_step,
                     "max: where parameters have gone different numbers of steps, all go on with the largest; they are "
                     "refused when left out")
        ->check(command_line::OneOf({"max"}));
}

void add_vocabulary(CLI::App& app, const TargetRegistry& targets, ConvertOptions& options, RawOptions& raw) {
    auto* group = app.add_option_group("Vocabulary of a Megatron output");
    group
        ->add_option("--make-vocab-size-divisible-by", raw.divisor,
                     "Pad the vocabulary to a multiple of N times TP, as the training run does")
        ->check(at_least_one);
    group->add_option("--padded-vocab-size", raw.padded_vocab, "Pad the vocabulary to N rows")->check(at_least_one);
    group->add_option("--vocab-padding", options.vocab.rule,
                      base::format("Pad as another tool does: {}", names_of(targets.paddings())));
    group->add_option("--vocab-fill", options.vocab.fill, "What the rows of padding hold: zero, last-row or mean")
        ->check(command_line::OneOf({"zero", "last-row", "mean"}));
}

void add_run(CLI::App& app, ConvertOptions& options, RawOptions& raw) {
    auto* group = app.add_option_group("Run");
    group->add_option("--max-shard-size", raw.max_shard_size,
                      "Largest safetensors or .distcp file to write (default 5GB)");
    group->add_option("-j,--threads", options.threads, "Threads (default: one per core)")->check(rank_count);
    group->add_option(
        "--shard", options.shard,
        "Do part I/N of the work, for example 3/16: N runs, each with its own I, on any machines that see "
        "both directories; auto: from the variables of Slurm, MPI, torchrun or Ray");
    group->add_flag("--resume", options.resume,
                    "Continue where the same command was interrupted, and keep finished files when interrupted");
    group->add_flag("--dry-run", options.dry_run, "Check everything and print sizes and files, write nothing");
    group->add_flag("--show-plan", options.show_plan, "As --dry-run, and print what every tensor is made of");
    group
        ->add_option(
            "--plan-html", options.plan_html,
            "Also write a page for the browser: stages and ranks, layers, bytes, and what every tensor is made "
            "of")
        ->option_text("FILE");
}

// Calls `given` with the option's values.
void add_peer_option(CLI::App& app, const PeerOption& peer, const std::string& about,
                     const std::function<void(const std::vector<std::string>&)>& given) {
    if (peer.values == Values::none) {
        app.add_flag_callback(
            peer.name, [given] { given({}); }, about);
        return;
    }
    auto* option = app.add_option_function<std::vector<std::string>>(peer.name, given, about);
    if (!peer.no_effect.empty()) command_line::allow_empty(*option);
    if (peer.values == Values::one) option->expected(1);
    else option->expected(1, 1 << 10);
}

void add_peer_options(CLI::App& app, const PeerOptions& peers, GivenPeers& given) {
    auto* idle = app.add_option_group("Accepted for existing scripts, without effect", command_line::kRare);
    auto* compared = app.add_option_group("Accepted for existing scripts, and compared with the input");
    auto* setting = app.add_option_group("Accepted for existing scripts, where config.json does not say it");
    for (const PeerOption& peer : peers.options()) {
        if (!peer.no_effect.empty()) {
            add_peer_option(*idle, peer, peer.no_effect, [&given, &peer](const auto&) {
                given.notes.push_back(base::format("{} has no effect: {}", peer.name, peer.no_effect));
            });
        } else if (!peer.must_be.empty()) {
            add_peer_option(*compared, peer, base::format("Must be the input's {}", peer.must_be),
                            [&given, &peer](const auto& values) {
                                given.claims.push_back({peer.name, peer.must_be, values.front()});
                            });
        } else if (!peer.sets.empty()) {
            add_peer_option(*setting, peer, base::format("The model has {}", peer.sets), [&given, &peer](const auto&) {
                given.settings.push_back({peer.sets, 1});
            });
        } else if (!peer.unsupported.empty()) {
            // Not shown in the help: they would only teach what cannot be done.
            add_peer_option(app, peer, "", [&given, &peer](const auto& values) {
                given.refused.push_back(base::format("{}{}{}: {}", peer.name, values.empty() ? "" : " ",
                                                     base::joined(values, " "), peer.unsupported));
            });
            app.get_option(peer.name)->group("");
        }
    }
}

// What options say by being there without others.
std::vector<std::string> notes_without(const CLI::App& app, const PeerOptions& peers) {
    std::vector<std::string> out;
    for (const PeerOption& peer : peers.options()) {
        for (const auto& [other, note] : peer.without) {
            if (app.count(peer.name) > 0 && app.count(other) == 0) out.push_back(note);
        }
    }
    return out;
}

// A conversion is what is done without a command, so the help of its commands is that of the program; plans of trainings
// have options of their own.
std::vector<std::string> with_help_of_program(std::vector<std::string> words) {
    const bool converts = !words.empty() && base::contains(kConversions, words.front()) && words.front() != kPlan;
    const bool asks = std::any_of(words.begin(), words.end(), [](const std::string& word) {
        return word == "-h" || word == "--help" || word == "--help-all";
    });
    if (converts && asks) words.erase(words.begin());
    return words;
}

// A command that was mistyped is read as the input of a conversion, and a word too many as the output.
Status check_words(const CLI::App& app, const Options& options, base::FileSystem& fs) {
    const Path& input = options.convert.source.directory;
    if (input.empty()) return {};
    if (options.command != Options::Command::convert && options.command != Options::Command::plan_training)
        return base::fail(ErrorKind::usage, base::format("unexpected argument: {}; see ckpt_convert {} --help", input,
                                                         app.get_subcommands().front()->get_name()));
    const std::string meant = base::did_you_mean(input, command_line::command_names(app));
    if (meant.empty() || fs.exists(input)) return {};
    return base::fail(ErrorKind::usage, base::format("there is no command and no checkpoint \"{}\"{}", input, meant));
}

}  // namespace

Result<ParsedLine> parse_options(int argc, const char* const* argv, base::FileSystem& fs,
                                 const base::Language& language) {
    const base::DataStore store;
    TRY_ASSIGN(const PeerOptions peers, PeerOptions::load(store));
    TRY_ASSIGN(const TargetRegistry targets, TargetRegistry::load(store));
    TRY_ASSIGN(std::vector<std::string> words, peers.spelled_out({argv + 1, argv + argc}));
    Options options;
    options.language = language;
    RawOptions raw;
    GivenPeers given;
    CLI::App app(kDescription, "ckpt_convert");
    command_line::begin(app);
    app.footer(kFooter);
    add_places(app, peers, options.convert, raw);
    add_layout(app, peers, targets, options.convert, raw);
    add_vocabulary(app, targets, options.convert, raw);
    add_run(app, options.convert, raw);
    add_config_file(app, fs);
    app.get_config_ptr()->option_text("FILE");
    add_run_options(app, options, raw.run);
    add_peer_options(app, peers, given);
    add_commands(app, options, raw.run);
    command_line::add_common(app);
    TRY_ASSIGN(auto text,
               command_line::parse(app, with_help_of_program(command_line::spelled_out(std::move(words))), language));
    if (text) return ParsedLine{std::nullopt, std::move(*text)};
    raw.layout_named = app.get_option("--tp")->count() + app.get_option("--pp")->count() > 0;
    TRY(check_words(app, options, fs));
    if (options.convert.show_plan) options.convert.dry_run = true;
    options.progress = !raw.run.no_progress && !options.quiet;
    options.convert.notes = given.notes;
    options.convert.megatron_notes = notes_without(app, peers);
    TRY_ASSIGN(options.convert.claims, claims_of(given.claims));
    options.convert.source.settings = options.verify.checkpoint.settings = given.settings;
    if (!raw.run.memory.empty()) {
        TRY_ASSIGN(options.convert.memory_bytes, byte_count("--memory", raw.run.memory));
    }
    options.verify.memory_bytes = options.convert.memory_bytes;
    options.verify.checkpoint.adapter_alpha = options.convert.source.adapter_alpha;
    options.verify.checkpoint.family = options.convert.source.family;
    options.verify.checkpoint.mtp_layers = options.convert.source.mtp_layers;
    options.verify.checkpoint.hf_config_dir = options.convert.source.hf_config_dir;
    // Compared in what the other checkpoint has, so the type with the most bits loses nothing.
    options.verify.checkpoint.dequantize = DType::f32;
    options.verify.checkpoint.language_part = options.verify.checkpoint.plain_names = true;
    options.verify.threads = options.convert.threads;
    if (!options.training.device.empty() && options.command == Options::Command::convert)
        return base::fail(ErrorKind::usage, "--devices is needed: how many devices train, such as 8");
    if (options.command == Options::Command::convert) TRY(check_conversion(options.convert, raw));
    if (options.command == Options::Command::launch) TRY(take_launch(options, raw));
    if (options.command == Options::Command::plan_training) TRY(take_training_plan(options, raw));
    if (!given.refused.empty()) return base::fail(ErrorKind::unsupported, given.refused.front());
    return ParsedLine{std::move(options), {}};
}

}  // namespace ckpt
