#include "ckpt_convert/launch/launch_set.h"

#include <algorithm>

#include "base/cann.h"
#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/launch/benchmarks.h"
#include "ckpt_convert/launch/device_memory.h"
#include "ckpt_convert/launch/launch_choices.h"
#include "ckpt_convert/launch/launch_template.h"
#include "ckpt_convert/launch/layout_options.h"
#include "ckpt_convert/launch/written_text.h"
#include "ckpt_convert/memory/budget.h"
#include "ckpt_convert/open/language_part.h"
#include "ckpt_convert/open/wanted_values.h"

namespace ckpt {
namespace {

constexpr std::string_view kTemplates = "templates/launch/";
constexpr std::string_view kForAll = "common";
constexpr std::string_view kIndent = "    ";

// What a converted checkpoint has beside it is the model's own.
std::string with_config_of_model(std::string text) {
    const std::string beside = base::format("{}{}/", kCheckpointDir, kHfConfigDir);
    if (const std::size_t at = text.find(beside); at != text.npos) text.replace(at, beside.size(), "$HF_DIR/");
    return text;
}

std::string model_arguments(const LaunchJob& job, const LaunchTarget& target) {
    std::vector<std::string> lines;
    for (const TrainingFlag& flag : job.flags) {
        if (flag.use != TrainingFlag::Use::given || base::contains(target.left_out, flag.name)) continue;
        lines.push_back(std::string(kIndent) + with_config_of_model(flag_text(flag)));
    }
    return base::joined(lines, "\n");
}

std::string choice_arguments(const LaunchJob& job) {
    std::vector<std::string> lines;
    for (const std::string& line : job.choice_lines) lines.push_back(std::string(kIndent) + line);
    return base::joined(lines, "\n");
}

// What the conversion's script asks for, as the command line makes it of the same options.
ConvertOptions asked_of_conversion(const LaunchJob& job, const LaunchTarget& target) {
    ConvertOptions out = job.conversion;
    out.to = Side::megatron;
    out.torch_dist = target.torch_dist;
    if (target.torch_dist) out.topology = {};
    out.source.mtp_layers = static_cast<std::uint32_t>(value_or_zero(job.numbers, "mtp"));
    out.source.noop_layers = static_cast<std::uint32_t>(out.topology.noop_layers.size());
    return out;
}

// What a training script of the set asks of its devices.
TrainingJob training_of(const LaunchJob& job, const LaunchTarget& target, TrainingMode mode) {
    const auto number = [&](const char* name) { return static_cast<int>(value_or_zero(job.numbers, name)); };
    TrainingJob out;
    out.engine = engine_of(target);
    out.mode = mode;
    static_cast<Topology&>(out.ranks) = job.conversion.topology;
    out.ranks.devices = number("world");
    out.ranks.per_node = number("per_node");
    out.ranks.cp = number("cp");
    out.ranks.sequence_parallel = out.ranks.tp > 1;
    out.batch = {number("mbs"), number("gbs"), number("seq")};
    if (job.parallel) out.rows.given = static_cast<std::int64_t>(job.parallel->padded_vocab);
    for (const Chosen& one : job.chosen) apply_choice(*one.choice, one.number, out);
    // As its templates have it where nobody chooses.
    if (out.engine == Engine::fsdp2 && value_or_zero(job.numbers, "with_choices") == 0)
        out.memory.recompute = Recompute::uniform;
    return out;
}

TrainingMode mode_of(const LaunchTraining& training) {
    return static_cast<TrainingMode>(std::find(kTrainingModes.begin(), kTrainingModes.end(), training.mode) -
                                     kTrainingModes.begin());
}

// Whether one of the trainings fits with smaller buffers of communication, and not without.
bool needs_smaller_buffer(const base::DataStore& store, const LaunchFacts& facts, const DeviceMemory& memory,
                          const LaunchJob& job, const LaunchTarget& target) {
    return std::any_of(facts.trainings.begin(), facts.trainings.end(), [&](const LaunchTraining& training) {
        const TrainingJob asked = training_of(job, target, mode_of(training));
        return store.find(base::format("{}{}/{}", kTemplates, target.name, training.script)) &&
               memory.shortage(asked, std::nullopt) && memory.smaller_buffer(asked, std::nullopt, job.numbers);
    });
}

// Of each kind of training, whether it fits.
void add_memory_notes(const LaunchFacts& facts, const DeviceMemory& memory, const LaunchJob& job,
                      const LaunchTarget& target, LaunchSet& set) {
    const bool is_smaller = value_or_zero(job.numbers, "short_memory") != 0;
    const bool is_larger = engine_of(target) != Engine::fsdp2 && value_or_zero(job.numbers, "larger_payload") != 0;
    std::optional<std::int64_t> buffer;
    if (is_smaller || is_larger) buffer = value_or_zero(job.numbers, "hccl_payload");
    for (const LaunchTraining& training : facts.trainings) {
        const bool is_there = std::any_of(set.files.begin(), set.files.end(),
                                          [&](const SideFile& file) { return file.path == training.script; });
        if (!is_there) continue;
        const TrainingJob asked = training_of(job, target, mode_of(training));
        const auto shortage = memory.shortage(asked, buffer);
        const auto before = is_smaller && !shortage ? memory.shortage(asked, std::nullopt) : std::nullopt;
        if (before)
            set.notes.push_back(base::format(
                "{} needs {:.1f} GiB of each device by estimate, and {:.1f} can be had; it fits with {}={}, which "
                "environment.sh sets: each communicator takes it twice, and no message is larger",
                training.script, before->needed / kGiB, before->usable / kGiB, memory.buffer_variable(), *buffer));
        if (!shortage) continue;
        const std::string right = shortage->remedy != nullptr
                                      ? base::format("with --with {} it fits", shortage->remedy->word)
                                      : std::string("ckpt_convert plan lists what fits");
        set.notes.push_back(base::format(
            "{} does not fit by estimate: stage {} needs {:.1f} GiB of each device, and {:.1f} can be had; {}",
            training.script, shortage->stage, shortage->needed / kGiB, shortage->usable / kGiB, right));
    }
}

Result<std::map<std::string, std::string>> texts_of(base::FileSystem& fs, const Knowledge& knowledge,
                                                    const base::DataStore& store, const LaunchFacts& facts,
                                                    const LaunchJob& job, const LaunchTarget& target,
                                                    const LaunchSet& set) {
    const bool is_converted = job.source.side == Side::megatron;
    const auto prompt = facts.prompts.find(job.source.model.mapping().family);
    std::map<std::string, std::string> out;
    TRY_ASSIGN(out["cann"], base::cann_lines(store));
    out["title"] = set.title;
    out["family"] = job.source.model.mapping().family;
    out["layout_title"] = set.layout;
    TRY_ASSIGN(const Path config, fs.real_path(job.source.companions));
    TRY_ASSIGN(const Path checkpoint, fs.real_path(job.source.directory));
    out["hf_dir"] = in_default(config);
    const bool has_yaml = !store.list(base::format("templates/launch/{}/", target.name), ".yaml").empty();
    if (has_yaml) {
        TRY_ASSIGN(out["hf_dir_yaml"], yaml_scalar(config));
    }
    out["mcore_dir"] = is_converted ? in_default(checkpoint) : "$HERE/mcore";
    out["prompt_type"] = prompt == facts.prompts.end() ? "default" : prompt->second.front();
    out["model_args"] = model_arguments(job, target);
    out["choice_args"] = choice_arguments(job);
    if (job.conversion.source.language_part && !is_converted) {
        TRY_ASSIGN(const JsonDocument whole, read_hf_config(fs, job.source.directory));
        const Container* container = container_of(knowledge.containers, whole.root);
        if (container == nullptr)
            return base::fail(ErrorKind::usage, "--language-part: this is not a multimodal model",
                              job.source.directory);
        out["other_parts"] = other_parts(*container);
    }
    out["convert_options"] = base::joined(conversion_options(job.conversion, target, job.numbers), " \\\n    ");
    return out;
}

}  // namespace

Result<LaunchSet> launch_set(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                             const LaunchRequest& given) {
    TRY_ASSIGN(const LaunchFacts facts, LaunchFacts::load(store));
    LaunchRequest request = given;
    TRY_ASSIGN(const LaunchTarget* target, facts.target(request.target));
    TRY_ASSIGN(const Choices choices, load_choices(store));
    TRY_ASSIGN(const DeviceTable devices, load_devices(store));
    const Device* device = nullptr;
    if (!request.machine.empty()) {
        TRY_ASSIGN(device, find_device(devices, request.machine));
    }
    constexpr std::int64_t kUsualNode = 8;
    if (request.per_node == 0) request.per_node = device != nullptr ? device->per_node : kUsualNode;
    TRY_ASSIGN(LaunchJob job, launch_job(fs, knowledge, store, facts, choices, *target, request));
    LaunchSet out;
    out.notes = job.not_known;
    const ModelMapping& mapping = job.source.model.mapping();
    out.title = base::format("{}, {} layers", mapping.family, job.source.model.layers());
    out.target = target->title;
    out.layout = job.parallel ? parallel_sizes(*job.parallel) : base::format("FSDP {}", request.devices);
    if (job.parallel && job.parallel->placement.virtual_stages)
        out.layout += base::format(" x VPP {}", job.parallel->placement.chunks());
    for (const LaunchTarget& known : facts.targets) {
        std::string name = known.name;
        std::replace(name.begin(), name.end(), '-', '_');
        job.numbers[name] = &known == target;
    }
    const auto model_id = facts.model_ids.find(mapping.family);
    job.numbers["has_model_id"] = model_id != facts.model_ids.end();
    std::optional<DeviceMemory> memory;
    if (device != nullptr) {
        TRY_ASSIGN(memory, DeviceMemory::make(store, job.source, *device, devices.reserve, choices));
    }
    job.numbers["short_memory"] = memory && needs_smaller_buffer(store, facts, *memory, job, *target);
    TRY_ASSIGN(auto texts, texts_of(fs, knowledge, store, facts, job, *target, out));
    TRY_ASSIGN(const Benchmarks benchmarks, Benchmarks::load(store));
    texts["benchmarks"] = base::joined(benchmarks.names(), ", ");
    texts["benchmark_table"] = benchmark_table(benchmarks);
    if (model_id != facts.model_ids.end()) texts["model_id"] = model_id->second;
    if (!facts.prompts.contains(mapping.family) && target->name != "megatron")
        out.notes.push_back(
            base::format("no prompt type is known for {}: set PROMPT_TYPE in settings.sh", mapping.family));
    if (is_hf_checkpoint(fs, request.model) && !facts.has_tokenizer(fs, request.model))
        out.notes.push_back(base::format(
            "there is no tokenizer in {}: data, training and answers read it from there; download it with the model",
            request.model));
    for (const std::string& folder : {std::string(kForAll), target->name}) {
        const std::string prefix = base::format("{}{}/", kTemplates, folder);
        for (const std::string& path : store.list(prefix)) {
            TRY_ASSIGN(std::string text, fill_lines(*store.find(path), job.numbers, texts, path));
            // None of its lines is for this job.
            if (text.find_first_not_of('\n') == text.npos) continue;
            out.files.push_back({path.substr(prefix.size()), std::move(text)});
        }
    }
    if (job.source.side == Side::huggingface && !target->dialect.empty())
        out.conversion = asked_of_conversion(job, *target);
    if (memory) add_memory_notes(facts, *memory, job, *target, out);
    return out;
}

}  // namespace ckpt
