#include "ckpt_convert/app/launch.h"

#include <algorithm>
#include <memory>

#include "base/console.h"
#include "base/file_set.h"
#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/random.h"
#include "base/text.h"
#include "base/write_file.h"
#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/app/script_views.h"
#include "ckpt_convert/launch/launch_choices.h"
#include "ckpt_convert/launch/launch_set.h"
#include "ckpt_convert/open/described_source.h"
#include "ckpt_convert/open/sharded_source.h"

namespace ckpt {
namespace {

constexpr std::string_view kScript = ".sh";
constexpr std::uint32_t kExecutable = 0777;  // less the umask, as all that follows
constexpr std::uint32_t kReadable = 0666;

// All of them, or none.
Status write_set(base::FileSystem& fs, const LaunchSet& set, const Path& out) {
    TRY_ASSIGN(auto files, base::FileSet::begin(fs, out, base::FileSet::Place::empty));
    for (const SideFile& file : set.files)
        TRY(files.add(file.path, file.content, file.path.ends_with(kScript) ? kExecutable : kReadable));
    return files.commit();
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

// Where --fix may write: the folder of the script that was named, and what is below it, whatever links lead there.
struct FixPlaces {
    std::unique_ptr<base::FileSystem> tree;
    std::vector<Path> paths;    // in it, of each file that was read; empty: elsewhere
    std::vector<Path> outside;  // files that have something to correct, and are elsewhere

    static Result<FixPlaces> of(base::FileSystem& fs, const Path& script, const std::vector<ScriptFile>& files) {
        FixPlaces out;
        TRY_ASSIGN(const Path folder, fs.real_path(base::parent(script)));
        TRY_ASSIGN(out.tree, fs.beneath(folder));
        const Path below = base::join(folder, "");
        for (const ScriptFile& file : files) {
            TRY_ASSIGN(const Path real, fs.real_path(file.path));
            out.paths.push_back(real.starts_with(below) ? real.substr(below.size()) : Path());
        }
        return out;
    }

    // A finding with something to correct elsewhere stays a finding.
    void leave_outside(ScriptCheck& check) {
        for (ScriptFinding& finding : check.findings) {
            const auto is_outside = [&](const ScriptEdit& edit) { return paths[edit.place.file].empty(); };
            const auto edit = std::ranges::find_if(finding.edits, is_outside);
            if (edit == finding.edits.end()) continue;
            const Path& path = check.files[edit->place.file].path;
            if (!base::contains(outside, path)) outside.push_back(path);
            finding.edits.clear();
        }
    }
};

Status write_fixed_file(base::FileSystem& tree, const Path& path, const std::string& before, const std::string& after,
                        const std::string& token) {
    TRY_ASSIGN(const auto info, tree.info(path));
    const auto check_as_read = [&]() -> Status {
        TRY_ASSIGN(const std::string now, base::read_file(tree, path));
        if (now == before) return {};
        return base::fail(ErrorKind::bad_input,
                          "the file has changed since it was read. Nothing was written; run the command again", path);
    };
    return base::write_file_of(tree, path, after, {info.mode & base::kPermissionBits, true}, token, check_as_read);
}

// A set whose first script cannot run is none: its conversion is planned where there are weights, and what their config says
// is looked at where there are none.
Status refuse_as_conversion(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                            const LaunchSet& set, const Path& out) {
    if (!set.conversion) return {};
    ConvertOptions options = *set.conversion;
    const Path& model = options.source.directory;
    TRY_ASSIGN(const auto shards, find_sharded(fs, knowledge.distributed, model));
    if (!shards && !is_hf_checkpoint(fs, model)) {
        TRY(refuse_foreign(fs, knowledge, model));
        TRY_ASSIGN(const JsonDocument config, read_hf_config(fs, model));
        return check_described(knowledge, config, options.source);
    }
    options.save_dir = base::join(out, "mcore");
    options.dry_run = true;
    ConvertObserver observer;
    const auto planned = convert(fs, knowledge, store, options, observer);
    if (!planned) return tl::unexpected(planned.error());
    return {};
}

// New texts of all files that change, or of none.
Status write_fixed(const FixPlaces& places, const ScriptCheck& check,
                   const std::vector<std::optional<std::string>>& fixed) {
    TRY_ASSIGN(const std::string token, base::random_digits());
    for (std::size_t i = 0; i < fixed.size(); ++i)
        if (fixed[i]) TRY(base::remove_unfinished(*places.tree, places.paths[i]));
    for (std::size_t i = 0; i < fixed.size(); ++i) {
        if (!fixed[i]) continue;
        const Status done = write_fixed_file(*places.tree, places.paths[i], check.files[i].text, *fixed[i], token);
        if (done) continue;
        for (std::size_t before = 0; before < i; ++before) {
            if (fixed[before])
                (void)write_fixed_file(*places.tree, places.paths[before], *fixed[before], check.files[before].text,
                                       token);
        }
        return done;
    }
    return {};
}

Result<int> check(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                  const Options& options) {
    const CheckRequest& request = options.launch.check;
    TRY_ASSIGN(ScriptCheck found, check_script(fs, knowledge, store, request));
    CheckedFix fix;
    if (request.fix) {
        TRY_ASSIGN(FixPlaces places, FixPlaces::of(fs, request.script, found.files));
        places.leave_outside(found);
        fix = {found.fixed(), std::move(places.outside)};
        TRY(write_fixed(places, found, fix.texts));
    }
    if (options.json) base::print(stdout, check_json(found, fix));
    else if (!options.quiet) base::print(stdout, check_text(found, fix, options.language));
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
    TRY(refuse_as_conversion(fs, knowledge, store, set, options.launch.out));
    TRY(write_set(fs, set, options.launch.out));
    if (options.json) base::print(stdout, set_json(set, options.launch.out));
    else if (!options.quiet) base::print(stdout, set_text(set, options.launch.out, options.language));
    return 0;
}

}  // namespace ckpt
