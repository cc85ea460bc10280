#include "base/format.h"
#include "base/number_text.h"
#include "base/text.h"
#include "ckpt_convert/launch/launch_choices.h"
#include "ckpt_convert/launch/launch_set.h"
#include "ckpt_convert/launch/layout_options.h"
#include "ckpt_convert/launch/option_list.h"
#include "ckpt_convert/open/described_source.h"
#include "ckpt_convert/target/fitting_sizes.h"
#include "ckpt_convert/target/megatron_target.h"

namespace ckpt {
namespace {

// What must be so of the numbers of a job that is to be made: the rules whose numbers are all known.
Status check_rules(const LaunchFacts& facts, const ModelValues& numbers) {
    for (const LaunchRule& rule : facts.rules) {
        if (rule.severity != "error" || !rule.that) continue;
        const auto lookup = lookup_in(numbers);
        const auto holds = rule.when ? rule.when->evaluate(lookup) : Result<std::int64_t>(1);
        if (!holds || *holds == 0) continue;
        const auto that = rule.that->evaluate(lookup);
        if (!that || *that != 0) continue;
        return base::fail(ErrorKind::usage, base::format("{}; right would be: {}", with_numbers(rule.message, numbers),
                                                         with_numbers(rule.right, numbers)));
    }
    return {};
}

Status lay_out(const Knowledge& knowledge, const LaunchTarget& target, LaunchJob& job) {
    ConvertOptions& options = job.conversion;
    options.target = target.dialect;
    if (target.torch_dist) options.target += "@" + target.release;
    const auto found = megatron_target(knowledge, job.source.model, options);
    if (!found) return tl::unexpected(with_fitting_sizes(found.error(), knowledge, job.source.model, options));
    MegatronTarget megatron = *found;
    if (job.source.parallel) megatron.parallel.padded_vocab = job.source.parallel->padded_vocab;
    TRY(check_runs(job.source.model));
    TRY_ASSIGN(const auto wrong, misfits(job.source.model, megatron.parallel));
    if (!wrong.empty()) return base::fail(ErrorKind::usage, base::joined(wrong, "; "));
    TRY_ASSIGN(job.flags, megatron_flags(knowledge, megatron, job.source, DType::bf16, options));
    job.parallel = megatron.parallel;
    job.numbers.merge(layout_facts(job.source.model, megatron.parallel));
    return {};
}

// Every parameter over all devices, experts besides by EP.
Status share_out(const LaunchTarget& target, const LaunchRequest& request, LaunchJob& job) {
    const Topology& topology = request.topology;
    if (!vocabulary_options(request.vocab).empty())
        return base::fail(
            ErrorKind::usage,
            base::format("{} reads Hugging Face's files, whose vocabulary has as many rows as it has", target.title),
            request.model);
    if (topology.tp > 1 || topology.pp > 1 || job.source.parallel)
        return base::fail(ErrorKind::usage,
                          base::format("{} has neither TP nor PP and reads Hugging Face's files: parameters are shared "
                                       "out over all devices",
                                       target.title),
                          request.model);
    for (const char* one : {"tp", "pp", "etp"}) job.numbers[one] = 1;
    job.numbers["ep"] = topology.experts.ep;
    return {};
}

bool says(const std::vector<TrainingFlag>& flags, std::string_view name, std::string_view value) {
    return std::any_of(flags.begin(), flags.end(), [&](const TrainingFlag& flag) {
        return flag.name == name && flag.use == TrainingFlag::Use::given &&
               (value.empty() || base::contains(flag.values, value));
    });
}

// A flag that the target's release has no option for would end the program.
Status leave_out_unknown(const OptionList& list, const LaunchTarget& target, LaunchJob& job) {
    for (const TrainingFlag& flag : job.flags) {
        if (flag.use != TrainingFlag::Use::given) continue;
        const OptionRow* row = list.find(flag.name, {});
        for (const std::string& value : flag.values) {
            if (row == nullptr || row->words.empty() || base::contains(row->words, value)) continue;
            return base::fail(ErrorKind::unsupported,
                              base::format("the model needs {} {}, which {} does not know; there are {}", flag.name,
                                           value, target.title, base::joined(row->words, ", ")));
        }
        if (row != nullptr) continue;
        const std::string elsewhere = list.elsewhere(flag.name);
        job.not_known.push_back(
            base::format("{} is left out: {} does not know it{}; the model may be another without it", flag.name,
                         target.title, elsewhere.empty() ? "" : base::format(" (release {} does)", elsewhere)));
    }
    std::erase_if(job.flags, [&](const TrainingFlag& flag) { return list.find(flag.name, {}) == nullptr; });
    return {};
}

// The positions of the model, as its config or the flags of its family say; nullopt: it has no such number.
Result<std::optional<std::int64_t>> positions_of(const LaunchJob& job) {
    for (const TrainingFlag& flag : job.flags) {
        if (flag.name != "--max-position-embeddings" || flag.use != TrainingFlag::Use::given) continue;
        const std::string said = base::joined(flag.values, " ");
        if (const auto number = base::number_in<std::int64_t>(said)) return number;
        return base::fail(ErrorKind::bad_input, base::format("{}: \"{}\" is not a whole number", flag.name, said),
                          job.source.config->name);
    }
    const Json* found = job.source.config->root.find_path("max_position_embeddings");
    return found != nullptr ? whole_number(*found) : std::nullopt;
}

Status add_job_numbers(const LaunchRequest& request, LaunchJob& job) {
    ModelValues& numbers = job.numbers;
    const Topology& topology = job.conversion.topology;
    numbers["world"] = request.devices;
    numbers["per_node"] = std::min(request.devices, request.per_node);
    numbers["nproc"] = numbers["per_node"];
    numbers["nodes"] = (request.devices + request.per_node - 1) / request.per_node;
    numbers["cp"] = request.cp;
    numbers["half"] = 1;
    constexpr std::int64_t kUsualSequence = 4096;
    TRY_ASSIGN(const auto positions, positions_of(job));
    if (positions) numbers["max_positions"] = *positions;
    numbers["seq"] =
        request.sequence > 0 ? request.sequence : std::min(kUsualSequence, positions.value_or(kUsualSequence));
    numbers["mbs"] = request.micro_batch;
    numbers["parameters_g"] = static_cast<std::int64_t>(job.source.model.parameters() / 1'000'000'000);
    numbers["dualpipev"] = topology.dualpipev;
    numbers["converts"] = job.source.side == Side::huggingface;
    numbers["language_part"] = job.conversion.source.language_part;
    numbers["dequantizes"] = job.conversion.source.dequantize.has_value();
    numbers["listed"] = static_cast<std::int64_t>(topology.layers_per_stage.size());
    numbers["rms_norm"] = says(job.flags, "--normalization", "RMSNorm");
    numbers["swiglu"] = says(job.flags, "--swiglu", "");
    numbers["rope"] = says(job.flags, "--position-embedding-type", "rope");
    return {};
}

}  // namespace

Result<LaunchJob> launch_job(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                             const LaunchFacts& facts, const Choices& choices, const LaunchTarget& target,
                             const LaunchRequest& request) {
    LaunchJob job;
    job.conversion.source = request.source;
    job.conversion.source.directory = request.model;
    TRY_ASSIGN(job.source, described_source(fs, knowledge, job.conversion.source));
    if (job.source.legacy)
        return base::fail(ErrorKind::usage,
                          "this is a legacy checkpoint, from before megatron-core, which the scripts' programs do not "
                          "load; convert it with --to mcore first, and name what that writes",
                          request.model);
    if (!job.source.config)
        return base::fail(ErrorKind::usage, "the checkpoint has no config.json with it; scripts need its sizes",
                          request.model);
    job.conversion.topology = request.topology;
    job.conversion.vocab = request.vocab;
    if (job.source.parallel) {
        if (request.topology_given || !vocabulary_options(request.vocab).empty())
            return base::fail(ErrorKind::usage,
                              "the layout and the vocabulary are those of the checkpoint; leave --tp, --pp and the "
                              "like out, or name the Hugging Face model",
                              request.model);
        TRY_ASSIGN(job.conversion.topology, topology_of(*job.source.parallel));
    }
    job.numbers = job.source.model.values();
    if (target.dialect.empty()) TRY(share_out(target, request, job));
    else TRY(lay_out(knowledge, target, job));
    TRY_ASSIGN(const OptionList list, OptionList::load(store, target.options, target.release));
    if (!target.dialect.empty()) TRY(leave_out_unknown(list, target, job));
    TRY(add_choices(choices, target, list, request.choices, job));
    TRY(add_job_numbers(request, job));
    facts.add_numbers(job.numbers);
    if (!job.numbers.contains("dp"))
        return base::fail(
            ErrorKind::usage,
            with_numbers("{world} processes do not divide into TP {tp} x PP {pp} x CP {cp}", job.numbers));
    const std::int64_t batches = std::max<std::int64_t>(8, 4 * job.numbers["pp"]);
    job.numbers["gbs"] = request.global_batch > 0 ? request.global_batch : job.numbers["batch_unit"] * batches;
    facts.add_numbers(job.numbers);
    TRY(check_rules(facts, job.numbers));
    return job;
}

}  // namespace ckpt
