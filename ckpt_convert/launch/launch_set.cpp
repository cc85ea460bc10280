#include "ckpt_convert/launch/launch_set.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/launch/launch_template.h"
#include "ckpt_convert/launch/layout_options.h"
#include "ckpt_convert/open/wanted_values.h"

namespace ckpt {
namespace {

constexpr std::string_view kTemplates = "templates/launch/";
constexpr std::string_view kForAll = "common";
constexpr std::string_view kIndent = "    ";

// A text inside "${NAME:-...}".
std::string in_default(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '$' || c == '`' || c == '\\' || c == '}') out += '\\';
        out += c;
    }
    return out;
}

// A text inside the double quotes of YAML.
std::string in_yaml(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

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

Result<std::map<std::string, std::string>> texts_of(base::FileSystem& fs, const LaunchFacts& facts,
                                                    const LaunchJob& job, const LaunchTarget& target,
                                                    const LaunchSet& set) {
    const bool is_converted = job.source.side == Side::megatron;
    const auto prompt = facts.prompts.find(job.source.model.mapping().family);
    std::map<std::string, std::string> out;
    out["title"] = set.title;
    out["family"] = job.source.model.mapping().family;
    out["layout_title"] = set.layout;
    TRY_ASSIGN(const Path config, fs.real_path(job.source.companions));
    TRY_ASSIGN(const Path checkpoint, fs.real_path(job.source.directory));
    out["hf_dir"] = in_default(config);
    out["hf_dir_yaml"] = in_yaml(config);
    out["mcore_dir"] = is_converted ? in_default(checkpoint) : "$HERE/mcore";
    out["prompt_type"] = prompt == facts.prompts.end() ? "default" : prompt->second.front();
    out["model_args"] = model_arguments(job, target);
    out["convert_options"] = base::joined(
        conversion_options(job.conversion.topology, target, value_or_zero(job.numbers, "mtp")), " \\\n    ");
    return out;
}

}  // namespace

Result<LaunchSet> launch_set(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                             const LaunchRequest& request) {
    TRY_ASSIGN(const LaunchFacts facts, LaunchFacts::load(store));
    TRY_ASSIGN(const LaunchTarget* target, facts.target(request.target));
    TRY_ASSIGN(LaunchJob job, launch_job(fs, knowledge, store, facts, *target, request));
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
    TRY_ASSIGN(auto texts, texts_of(fs, facts, job, *target, out));
    if (model_id != facts.model_ids.end()) texts["model_id"] = model_id->second;
    if (!facts.prompts.contains(mapping.family) && target->name != "megatron")
        out.notes.push_back(
            base::format("no prompt type is known for {}: set PROMPT_TYPE in settings.sh", mapping.family));
    for (const std::string& folder : {std::string(kForAll), target->name}) {
        const std::string prefix = base::format("{}{}/", kTemplates, folder);
        for (const std::string& path : store.list(prefix)) {
            TRY_ASSIGN(std::string text, fill_lines(*store.find(path), job.numbers, texts, path));
            out.files.push_back({path.substr(prefix.size()), std::move(text)});
        }
    }
    return out;
}

}  // namespace ckpt
