#include "ckpt_convert/app/launch.h"

#include "base/console.h"
#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/random.h"
#include "base/write_file.h"
#include "ckpt_convert/app/script_views.h"
#include "ckpt_convert/execute/staged_output.h"
#include "ckpt_convert/launch/launch_choices.h"
#include "ckpt_convert/launch/launch_set.h"
#include "ckpt_convert/open/described_source.h"

namespace ckpt {
namespace {

constexpr std::string_view kScript = ".sh";
constexpr std::uint32_t kExecutable = 0755;

// All of them, or none. The README comes last.
Status write_set(base::FileSystem& fs, const LaunchSet& set, const Path& out) {
    TRY_ASSIGN(StagedOutput staging, StagedOutput::begin(fs, out, "launch"));
    for (const SideFile& file : set.files) {
        TRY_ASSIGN(auto writing, staging.create(file.path));
        TRY(writing->write_at(0, base::as_bytes(file.content)));
        if (file.path.ends_with(kScript)) TRY(writing->set_mode(kExecutable));
        TRY(staging.finish(file.path, *writing));
    }
    return staging.commit({"README.md"}, {});
}

std::string set_json(const LaunchSet& set, const Path& out) {
    base::JsonWriter json(0);
    json.begin_object().key("model").string(set.title).key("target").string(set.target);
    json.key("layout").string(set.layout).key("directory").string(out).key("files").begin_array();
    for (const SideFile& file : set.files) json.string(file.path);
    json.end_array().key("notes").begin_array();
    for (const std::string& note : set.notes) json.string(note);
    json.end_array().end_object();
    return std::move(json).take() + "\n";
}

std::string set_text(const LaunchSet& set, const Path& out, const base::Language& say) {
    std::string text = say.show("wrote {} to {}: {} for {}, {}\n", say.plural(set.files.size(), "file"), out, set.title,
                                set.target, set.layout);
    for (const std::string& note : set.notes) text += say.show("note: {}\n", say.said(note));
    return text + say.show("README.md there says what comes in which order\n");
}

// New texts of all files that change, or of none.
Status write_fixed(base::FileSystem& fs, const ScriptCheck& check,
                   const std::vector<std::optional<std::string>>& fixed) {
    TRY_ASSIGN(const std::string token, base::random_digits());
    const auto write = [&](const ScriptFile& file, const std::string& text) -> Status {
        TRY_ASSIGN(const auto info, fs.info(file.path));
        return base::write_file_of(fs, file.path, text, {info.mode, true}, token);
    };
    // Of a run that died.
    for (std::size_t i = 0; i < fixed.size(); ++i)
        if (fixed[i]) TRY(base::remove_unfinished(fs, base::parent(check.files[i].path)));
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (!fixed[i]) continue;
        const Status done = write(check.files[i], *fixed[i]);
        if (done) continue;
        for (std::size_t before = 0; before < i; ++before) {
            if (fixed[before]) (void)write(check.files[before], check.files[before].text);
        }
        return done;
    }
    return {};
}

Result<int> check(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                  const Options& options) {
    const CheckRequest& request = options.launch.check;
    TRY_ASSIGN(const ScriptCheck found, check_script(fs, knowledge, store, request));
    std::vector<std::optional<std::string>> fixed;
    if (request.fix) {
        fixed = found.fixed();
        TRY(write_fixed(fs, found, fixed));
    }
    if (options.json) base::print(stdout, check_json(found, fixed));
    else if (!options.quiet) base::print(stdout, check_text(found, fixed, options.language));
    return found.count("error") + found.count("warning") > 0 ? 1 : 0;
}

// The layouts that a plan of the job ranks, the fastest first, as requests. Fails with usage where none fits.
Result<std::vector<LaunchRequest>> planned_requests(base::FileSystem& fs, const Knowledge& knowledge,
                                                    const base::DataStore& store, const SourceOptions& source,
                                                    const LaunchRequest& given, Engine engine) {
    TrainingPlanOptions asked;
    asked.device = given.machine;
    asked.engine = std::string(name(engine));
    asked.choices = given.choices;
    asked.job.ranks.devices = static_cast<int>(given.devices);
    asked.job.ranks.cp = static_cast<int>(given.cp);
    asked.job.batch.micro = given.micro_batch;
    asked.job.batch.global = given.global_batch;
    asked.job.batch.sequence = given.sequence;
    if (given.per_node > 0) asked.per_node = given.per_node;
    SourceOptions described = source;
    described.directory = given.model;
    TRY_ASSIGN(const TrainingPlan plan, plan_training(fs, knowledge, store, described, asked));
    std::vector<LaunchRequest> out;
    for (const JobPlan& one : plan.plans) {
        if (!one.fits()) continue;
        LaunchRequest request = given;
        request.topology = one.job.ranks;
        request.topology_given = true;
        request.cp = one.job.ranks.cp;
        request.micro_batch = one.job.batch.micro;
        request.global_batch = one.job.batch.global;
        request.choices = chosen_words(plan.choices, one.job);
        out.push_back(std::move(request));
    }
    if (!out.empty()) return out;
    const std::string more = plan.least_devices
                                 ? base::format("it fits on {} devices", *plan.least_devices)
                                 : std::string("give a layout (--tp, --pp ...) if the scripts are wanted all the same");
    return base::fail(ErrorKind::usage, base::format("no layout of {} devices fits; {}", given.devices, more),
                      given.model);
}

// With a device and no layout, the scripts of the fastest layout that fits and that the target can have.
Result<LaunchSet> chosen_set(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                             const Options& options) {
    const LaunchRequest& given = options.launch.request;
    TRY_ASSIGN(const LaunchFacts facts, LaunchFacts::load(store));
    TRY_ASSIGN(const LaunchTarget* target, facts.target(given.target));
    const Engine engine = engine_of(*target);
    const bool is_open = !given.machine.empty() && !given.topology_given && engine != Engine::fsdp2;
    if (!is_open || is_megatron_checkpoint(fs, given.model)) return launch_set(fs, knowledge, store, given);
    TRY_ASSIGN(const auto requests, planned_requests(fs, knowledge, store, options.convert.source, given, engine));
    Result<LaunchSet> first = launch_set(fs, knowledge, store, requests.front());
    for (std::size_t i = 1; !first && i < requests.size(); ++i) {
        Result<LaunchSet> next = launch_set(fs, knowledge, store, requests[i]);
        if (next) return next;
    }
    return first;
}

}  // namespace

Result<int> launch(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                   const Options& options) {
    if (!options.launch.check.script.empty()) return check(fs, knowledge, store, options);
    TRY_ASSIGN(const LaunchSet set, chosen_set(fs, knowledge, store, options));
    TRY(write_set(fs, set, options.launch.out));
    if (options.json) base::print(stdout, set_json(set, options.launch.out));
    else if (!options.quiet) base::print(stdout, set_text(set, options.launch.out, options.language));
    return 0;
}

}  // namespace ckpt
