#include "ckpt_convert/app/options.h"

#include <cstdio>

#include <CLI/CLI.hpp>

#include "base/format.h"
#include "ckpt_convert/app/peer_options.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

constexpr const char* kVersion = "0.1.0";

constexpr const char* kDescription =
    "ckpt_convert - moves weights between Hugging Face and Megatron mcore checkpoints\n"
    "\n"
    "The direction and the model family are found from the input. Every source byte is read once, every target byte\n"
    "is written once, and nothing is written before the whole conversion is proven to lose nothing.";

constexpr const char* kFooter =
    "Examples:\n"
    "  ckpt_convert --load-dir Qwen3-8B --save-dir qwen3-mcore --tp 2 --pp 2\n"
    "      Hugging Face to Megatron, tensor parallel 2, pipeline parallel 2\n"
    "  ckpt_convert --load-dir qwen3-mcore --save-dir Qwen3-8B-tuned\n"
    "      Megatron to Hugging Face; config and tokenizer come from the first conversion, or from --hf-cfg-dir\n"
    "  ckpt_convert inspect qwen3-mcore\n"
    "      what is in a checkpoint of either kind, or in a single weight file\n"
    "\n"
    "The options of MindSpeed-LLM's convert_ckpt.py and convert_ckpt_v2.py are understood under their own names.\n"
    "Exit codes: 0 done, 2 usage, 3 mapping file, 4 unreadable or corrupt input, 5 unsupported, 6 write failed.";

// What the parser fills, before it is checked.
struct Raw {
    std::string load_type;
    std::string save_type;
    std::string layer_list;
    std::string noop_layers;
    std::string transformer_impl = "local";
    std::string max_shard_size;
    std::string memory;
};

Result<std::vector<std::uint32_t>> number_list(const std::string& option, const std::string& text) {
    std::vector<std::uint32_t> out;
    if (text.empty()) return out;
    for (const std::string& part : CLI::detail::split(text, ',')) {
        std::uint32_t value = 0;
        std::string trimmed = part;
        CLI::detail::trim(trimmed);
        if (trimmed.empty() || !CLI::detail::lexical_cast(trimmed, value)) {
            return base::fail(ErrorKind::usage,
                              base::format("{}: \"{}\" is not a list of numbers such as 16,16", option, text));
        }
        out.push_back(value);
    }
    return out;
}

// "5GB", "512MB", "1000000".
Result<std::uint64_t> byte_count(const std::string& option, const std::string& text) {
    std::size_t digits = text.find_first_not_of("0123456789");
    std::string unit = digits == std::string::npos ? "" : text.substr(digits);
    std::uint64_t scale = unit.empty() || unit == "B" ? 1
                          : unit == "KB"              ? 1'000
                          : unit == "MB"              ? 1'000'000
                          : unit == "GB"              ? 1'000'000'000
                                                      : 0;
    std::uint64_t value = 0;
    if (digits == 0 || scale == 0 || !CLI::detail::lexical_cast(text.substr(0, digits), value) || value == 0 ||
        value > UINT64_MAX / scale) {
        return base::fail(ErrorKind::usage,
                          base::format("{}: \"{}\" is not a size such as 5GB or 512MB", option, text));
    }
    return value * scale;
}

Result<Side> side(const std::string& option, const std::string& text) {
    if (text.empty()) return Side::unknown;
    if (text == "hf") return Side::huggingface;
    if (text == "mg") return Side::megatron;
    if (text == "optim")
        return base::fail(ErrorKind::unsupported, option + " optim: optimizer states cannot be converted");
    return base::fail(ErrorKind::usage, base::format("{}: \"{}\" is neither hf nor mg", option, text));
}

// CLI11's own positive-number check prints the largest double in its message.
std::string at_least_one(const std::string& text) {
    int value = 0;
    return CLI::detail::lexical_cast(text, value) && value >= 1
               ? ""
               : base::format("\"{}\" is not a whole number of at least 1", text);
}

void add_conversion_options(CLI::App& app, ConvertOptions& options, Raw& raw) {
    auto* where = app.add_option_group("Input and output");
    where->add_option("--load-dir", options.load_dir, "Checkpoint to read: a Hugging Face directory or a Megatron one");
    where->add_option("--save-dir", options.save_dir, "Directory to write; must be empty or not exist");
    where->add_option("--load-model-type", raw.load_type, "hf or mg; found from the input when left out");
    where->add_option("--save-model-type", raw.save_type, "mg or hf; the other side when left out");
    where->add_option("--model-type-hf", options.family,
                      "Model family; found from config.json when left out (see: ckpt_convert models)");
    where
        ->add_option("--params-dtype", options.params_dtype,
                     "Element type that the weights must have: bf16, fp16 or fp32 (nothing is cast)")
        ->check(CLI::IsMember({"bf16", "fp16", "fp32"}));
    where->add_option("--hf-cfg-dir", options.hf_config_dir,
                      "Megatron to Hugging Face: where config.json and the tokenizer are copied from");

    auto* layout = app.add_option_group("Megatron layout to write");
    layout->add_option("--tp,--target-tensor-parallel-size", options.topology.tp, "Tensor parallel size")
        ->check(at_least_one);
    layout->add_option("--pp,--target-pipeline-parallel-size", options.topology.pp, "Pipeline parallel size")
        ->check(at_least_one);
    layout->add_option("--num-layer-list", raw.layer_list, "Layers of each pipeline rank, for example 16,16");
    layout->add_option("--num-layers-per-virtual-pipeline-stage", options.topology.layers_per_virtual_stage,
                       "Layers of each virtual pipeline stage");
    layout->add_option("--noop-layers", raw.noop_layers,
                       "Slots of the padded layer sequence that hold no layer, for example 0,33");
    layout->add_option("--transformer-impl", raw.transformer_impl, "Names of the norms: local or transformer_engine");

    auto* run = app.add_option_group("Run");
    run->add_option("--max-shard-size", raw.max_shard_size, "Largest safetensors file to write (default 5GB)");
    run->add_option("-j,--threads", options.threads, "Threads (default: one per core)")->check(at_least_one);
    run->add_option("--memory", raw.memory, "Memory for buffers (default 64MB)");
    run->add_flag("--dry-run", options.dry_run, "Check everything and print the plan, write nothing");
}

// Options of other converters: what was given of the first kind is noted, of the second kind refused.
void add_peer_options(CLI::App& app, std::vector<std::string>& retired, std::vector<std::string>& refused) {
    auto* group = app.add_option_group("Accepted for existing scripts, without effect");
    for (const RetiredOption& option : kRetiredOptions) {
        auto note = [&retired, option] {
            retired.push_back(base::format("{} has no effect: {}", option.name, option.reason));
        };
        if (option.takes_value)
            group->add_option_function<std::string>(
                option.name, [note](const std::string&) { note(); }, option.reason);
        else group->add_flag_callback(option.name, note, option.reason);
    }
    // Not shown in the help: they would only teach what cannot be done.
    for (const FixedOption& option : kFixedOptions) {
        bool is_flag = option.only_value != nullptr && *option.only_value == '\0';
        auto refuse = [&refused, option](const std::string& value) {
            if (option.only_value != nullptr && value == option.only_value && !value.empty()) return;
            refused.push_back(base::format("{}: {} is not supported",
                                           value.empty() ? option.name : base::format("{} {}", option.name, value),
                                           option.meaning));
        };
        if (is_flag) app.add_flag_callback(option.name, [refuse] { refuse(""); })->group("");
        else app.add_option_function<std::string>(option.name, refuse)->group("");
    }
}

Status check_conversion(ConvertOptions& options, const Raw& raw) {
    if (options.load_dir.empty() || options.save_dir.empty()) {
        return base::fail(ErrorKind::usage, base::format("{} is needed; see ckpt_convert --help",
                                                         options.load_dir.empty() ? "--load-dir" : "--save-dir"));
    }
    TRY_ASSIGN(options.from, side("--load-model-type", raw.load_type));
    TRY_ASSIGN(options.to, side("--save-model-type", raw.save_type));
    TRY_ASSIGN(options.topology.layers_per_stage, number_list("--num-layer-list", raw.layer_list));
    TRY_ASSIGN(options.topology.noop_layers, number_list("--noop-layers", raw.noop_layers));
    if (!raw.max_shard_size.empty()) {
        TRY_ASSIGN(options.max_shard_bytes, byte_count("--max-shard-size", raw.max_shard_size));
    }
    if (!raw.memory.empty()) {
        TRY_ASSIGN(options.memory_bytes, byte_count("--memory", raw.memory));
    }
    if (raw.transformer_impl != "local" && raw.transformer_impl != "transformer_engine") {
        return base::fail(
            ErrorKind::usage,
            base::format("--transformer-impl: \"{}\" is neither local nor transformer_engine", raw.transformer_impl));
    }
    options.topology.dialect = raw.transformer_impl == "local" ? "local" : "te";
    options.topology_given = options.topology.tp > 1 || options.topology.pp > 1 ||
                             !options.topology.layers_per_stage.empty() ||
                             options.topology.layers_per_virtual_stage > 0 || !options.topology.noop_layers.empty();
    return {};
}

}  // namespace

Result<std::optional<Options>> parse_options(int argc, const char* const* argv) {
    Options options;
    Raw raw;
    std::vector<std::string> retired, refused;
    bool no_progress = false;

    CLI::App app(kDescription, "ckpt_convert");
    app.footer(kFooter);
    app.set_version_flag("--version", kVersion);
    add_conversion_options(app, options.convert, raw);
    app.add_option("--rules", options.rules_dir,
                   "Directory whose files add to the built-in rules or replace them (models/NAME.json)");
    app.add_flag("--json", options.json, "Print the result as JSON");
    app.add_flag("-q,--quiet", options.quiet, "Print errors only");
    app.add_flag("--no-progress", no_progress, "No progress bar");
    add_peer_options(app, retired, refused);

    auto* inspect = app.add_subcommand("inspect", "List what is in a checkpoint or a weight file")->fallthrough();
    inspect->add_option("path", options.inspect.path, "A checkpoint directory, or a .safetensors, .bin or .pt file")
        ->required();
    auto* models = app.add_subcommand("models", "List the model families that can be converted")->fallthrough();

    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return std::optional<Options>();
    } catch (const CLI::CallForVersion&) {
        base::print(stdout, "ckpt_convert {}\n", kVersion);
        return std::optional<Options>();
    } catch (const CLI::ParseError& error) {
        return base::fail(ErrorKind::usage, base::format("{}; see ckpt_convert --help", error.what()));
    }
    options.progress = !no_progress && !options.quiet;
    options.convert.notes = retired;
    if (inspect->parsed()) options.command = Options::Command::inspect;
    else if (models->parsed()) options.command = Options::Command::list_models;
    else TRY(check_conversion(options.convert, raw));
    if (!refused.empty()) return base::fail(ErrorKind::unsupported, refused.front());
    return std::optional(std::move(options));
}

}  // namespace ckpt
