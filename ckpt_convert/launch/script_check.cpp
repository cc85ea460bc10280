#include "ckpt_convert/launch/script_check.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/cann.h"
#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/launch/option_list.h"
#include "ckpt_convert/launch/script_checks.h"
#include "ckpt_convert/launch/yaml_settings.h"
#include "ckpt_convert/open/described_source.h"

namespace ckpt {
namespace {

bool is_yaml(std::string_view path) { return path.ends_with(".yaml") || path.ends_with(".yml"); }

// Options of the script's programs that a target has, as far as it has the programs.
Result<std::size_t> known_options(const base::DataStore& store, const LaunchTarget& target,
                                  const ScriptReading& script) {
    TRY_ASSIGN(const OptionList list, OptionList::load(store, target.options, target.release));
    std::size_t out = 0;
    for (const ScriptProgram& program : script.programs) {
        if (!base::contains(target.programs, program.name)) continue;
        out += static_cast<std::size_t>(
            std::count_if(program.options.begin(), program.options.end(),
                          [&](const ScriptOption& option) { return list.find(option.name, program.name) != nullptr; }));
    }
    return out;
}

// The one whose words the script has; when it has none, the one that knows most of its options.
Result<const LaunchTarget*> target_of(const base::DataStore& store, const LaunchFacts& facts,
                                      const ScriptReading& script) {
    const LaunchTarget* best = &facts.targets.front();
    std::size_t most = 0;
    for (const LaunchTarget& target : facts.targets) {
        if (is_yaml(script.files.front().path) && base::contains(target.programs, facts.yaml_program)) return &target;
    }
    for (const LaunchTarget& target : facts.targets) {
        std::size_t found = 0;
        for (const std::string& word : target.own_words) {
            found += std::any_of(script.files.begin(), script.files.end(),
                                 [&](const ScriptFile& file) { return file.text.find(word) != std::string::npos; });
        }
        if (found > most) best = &target;
        most = std::max(most, found);
    }
    if (most > 0) return best;
    for (const LaunchTarget& target : facts.targets) {
        TRY_ASSIGN(const std::size_t known, known_options(store, target, script));
        if (known > most) best = &target;
        most = std::max(most, known);
    }
    return best;
}

ScriptNames names_of(const LaunchFacts& facts, std::vector<std::string> not_read) {
    not_read.insert(not_read.end(), facts.not_read.begin(), facts.not_read.end());
    ScriptNames out{{}, std::move(not_read), facts.shown_by, facts.given, facts.batch.comment, facts.batch.options};
    for (const LaunchTarget& target : facts.targets)
        out.programs.insert(out.programs.end(), target.programs.begin(), target.programs.end());
    return out;
}

// The model and the checkpoint that the script is compared with.
struct Compared {
    std::optional<Source> model;
    std::optional<Source> checkpoint;
};

Result<Compared> open_compared(base::FileSystem& fs, const Knowledge& knowledge, const LaunchFacts& facts,
                               const CheckRequest& request, const std::vector<ScriptJob>& jobs) {
    Compared out;
    Path checkpoint = request.checkpoint;
    for (const ScriptJob& job : jobs) {
        for (const std::string& option : facts.loads) {
            const ScriptWord* load = job.value(option);
            if (checkpoint.empty() && load != nullptr && is_megatron_checkpoint(fs, load->text))
                checkpoint = load->text;
        }
    }
    SourceOptions options;
    if (!checkpoint.empty()) {
        options.directory = checkpoint;
        options.hf_config_dir = request.model;
        TRY_ASSIGN(out.checkpoint, described_source(fs, knowledge, options));
        if (out.checkpoint->config) out.model = out.checkpoint;
    }
    if (!request.model.empty() && !out.model) {
        options = {};
        options.directory = request.model;
        TRY_ASSIGN(out.model, described_source(fs, knowledge, options));
    }
    return out;
}

// A variable that is nothing does no harm behind an option without a value.
bool is_harmless(const ScriptSlip& slip, const std::vector<ScriptJob>& jobs) {
    bool is_used = false;
    for (const ScriptJob& job : jobs) {
        for (const ScriptOption& option : job.program->options) {
            for (const ScriptWord& value : option.values) {
                if (value.place.file != slip.place.file || value.place.begin != slip.place.begin) continue;
                const OptionRow* row = job.list->find(option.name, job.program->name);
                is_used = true;
                if (!value.may_be_none || row == nullptr || !row->takes_nothing()) return false;
            }
        }
    }
    return is_used;
}

void add_slips(const ScriptReading& script, const std::vector<ScriptJob>& jobs, std::vector<ScriptFinding>& findings) {
    for (const ScriptSlip& slip : script.not_read)
        findings.push_back({"not_read", "warning", slip.place, slip.what, slip.right, {}});
    for (const ScriptSlip& slip : script.slips) {
        if (is_harmless(slip, jobs)) continue;
        std::vector<ScriptEdit> edits;
        if (slip.can_fix) edits.push_back({slip.place, slip.fixed});
        for (const ScriptPlace& place : slip.also) edits.push_back({place, slip.fixed});
        findings.push_back(
            {"shell", slip.is_error ? "error" : "warning", slip.place, slip.what, slip.right, std::move(edits)});
    }
}

// What a command prints, or is put together from variables, has no one place where another value could be written.
void keep_literal_edits(const ScriptReading& script, std::vector<ScriptFinding>& findings) {
    const auto is_literal = [&](const ScriptEdit& edit) {
        const std::string_view old = std::string_view(script.files[edit.place.file].text)
                                         .substr(edit.place.begin, edit.place.end - edit.place.begin);
        return edit.text.empty() || old.find_first_of("$`\n") == old.npos;
    };
    for (ScriptFinding& finding : findings) {
        if (!std::all_of(finding.edits.begin(), finding.edits.end(), is_literal)) finding.edits.clear();
    }
}

void sort_findings(std::vector<ScriptFinding>& findings) {
    const auto key = [](const ScriptFinding& finding) {
        return std::tuple(finding.place.file, finding.place.begin, finding.id, finding.what);
    };
    std::stable_sort(findings.begin(), findings.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
    findings.erase(
        std::unique(findings.begin(), findings.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); }),
        findings.end());
}

// Of findings that are sorted by place.
void number_lines(const std::vector<ScriptFile>& files, std::vector<ScriptFinding>& findings) {
    ScriptPlace before;
    std::uint32_t line = 1;
    for (ScriptFinding& finding : findings) {
        const ScriptPlace& place = finding.place;
        if (place.file != before.file) {
            before = {place.file, 0, 0};
            line = 1;
        }
        const std::string_view between =
            std::string_view(files[place.file].text).substr(before.begin, place.begin - before.begin);
        line += static_cast<std::uint32_t>(std::count(between.begin(), between.end(), '\n'));
        finding.line = line;
        before = place;
    }
}

// What a program's YAML file says comes before its command line. The file is the first argument.
Status add_yaml(base::FileSystem& fs, const Path& path, ScriptReading& script, ScriptProgram& program) {
    TRY_ASSIGN(std::string text, base::read_file(fs, path));
    const auto number = static_cast<std::uint32_t>(script.files.size());
    script.files.push_back({path, std::move(text)});
    std::vector<ScriptOption> options = yaml_settings(script.files.back().text, number);
    program.options.insert(program.options.begin(), std::make_move_iterator(options.begin()),
                           std::make_move_iterator(options.end()));
    return {};
}

// A script, or the YAML file of a program alone.
Result<ScriptReading> read_given(base::FileSystem& fs, const base::DataStore& store, const LaunchFacts& facts,
                                 const base::VariableTable& variables, const Path& path) {
    if (!is_yaml(path)) {
        TRY_ASSIGN(std::vector<std::string> of_cann, base::cann_scripts(store));
        ScriptNames names = names_of(facts, std::move(of_cann));
        for (const auto& [name, row] : variables.rows) names.held.insert(name);
        return read_script(fs, path, names);
    }
    ScriptReading out;
    out.programs.push_back({facts.yaml_program, {}, {}, {}, {}, {}});
    TRY(add_yaml(fs, path, out, out.programs.front()));
    return out;
}

Status add_yaml_files(base::FileSystem& fs, ScriptReading& script) {
    for (ScriptProgram& program : script.programs) {
        for (const ScriptWord& word : program.arguments) {
            if (word.is_known && is_yaml(word.text) && fs.exists(word.text))
                TRY(add_yaml(fs, word.text, script, program));
        }
    }
    return {};
}

void add_model_numbers(const Source& model, ModelValues& numbers) {
    for (const auto& [name, value] : model.model.values()) numbers["model_" + name] = value;
    numbers["model_attends"] = model.model.values().contains("heads");
    const Json* positions = model.config->root.find_path("max_position_embeddings");
    if (positions != nullptr && positions->integer() != nullptr) numbers["model_positions"] = *positions->integer();
}

// Where edits have been accepted: by file and beginning, the end.
class TakenPlaces {
public:
    bool takes(const ScriptPlace& place) const {
        const auto next = taken_.upper_bound({place.file, place.begin});
        const bool before_next =
            next == taken_.end() || next->first.first != place.file || next->first.second >= place.end;
        if (!before_next || next == taken_.begin()) return before_next;
        const auto before = std::prev(next);
        return before->first.first != place.file || before->second <= place.begin;
    }
    void take(const ScriptPlace& place) {
        std::uint64_t& end = taken_[{place.file, place.begin}];
        end = std::max(end, place.end);
    }

private:
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint64_t> taken_;
};

// All edits of a finding, or none: one whose place another finding has changed waits for the next run.
std::vector<ScriptEdit> edits_that_fit(const std::vector<ScriptFinding>& findings) {
    TakenPlaces taken;
    std::vector<ScriptEdit> out;
    for (const ScriptFinding& finding : findings) {
        const bool fits = std::all_of(finding.edits.begin(), finding.edits.end(),
                                      [&](const ScriptEdit& edit) { return taken.takes(edit.place); });
        if (!fits) continue;
        for (const ScriptEdit& edit : finding.edits) {
            if (!taken.takes(edit.place)) continue;
            taken.take(edit.place);
            out.push_back(edit);
        }
    }
    return out;
}

}  // namespace

std::size_t ScriptCheck::count(std::string_view severity) const {
    return static_cast<std::size_t>(std::count_if(
        findings.begin(), findings.end(), [&](const ScriptFinding& finding) { return finding.severity == severity; }));
}

std::vector<std::optional<std::string>> ScriptCheck::fixed() const {
    std::vector<std::optional<std::string>> out(files.size());
    const std::vector<ScriptEdit> all = edits_that_fit(findings);
    for (std::uint32_t file = 0; file < files.size(); ++file) {
        std::vector<ScriptEdit> edits;
        std::copy_if(all.begin(), all.end(), std::back_inserter(edits),
                     [&](const ScriptEdit& edit) { return edit.place.file == file; });
        if (edits.empty()) continue;
        std::stable_sort(edits.begin(), edits.end(),
                         [](const ScriptEdit& a, const ScriptEdit& b) { return a.place.begin < b.place.begin; });
        std::string text;
        std::uint64_t at = 0;
        for (const ScriptEdit& edit : edits) {
            text += files[file].text.substr(at, edit.place.begin - at) + edit.text;
            at = edit.place.end;
        }
        out[file] = text + files[file].text.substr(at);
    }
    return out;
}

Result<ScriptCheck> check_script(base::FileSystem& fs, const Knowledge& knowledge, const base::DataStore& store,
                                 const CheckRequest& request) {
    TRY_ASSIGN(const LaunchFacts facts, LaunchFacts::load(store));
    TRY_ASSIGN(const Benchmarks benchmarks, Benchmarks::load(store));
    DeviceTable devices;
    const Device* device = nullptr;
    if (!request.machine.empty()) {
        TRY_ASSIGN(devices, load_devices(store));
        TRY_ASSIGN(device, find_device(devices, request.machine));
    }
    TRY_ASSIGN(const base::VariableTable variables, base::VariableTable::load(store));
    TRY_ASSIGN(ScriptReading script, read_given(fs, store, facts, variables, request.script));
    TRY_ASSIGN(const LaunchTarget* target, target_of(store, facts, script));
    if (!request.target.empty()) {
        TRY_ASSIGN(target, facts.target(request.target));
    }
    std::erase_if(script.programs,
                  [&](const ScriptProgram& program) { return !base::contains(target->programs, program.name); });
    if (script.programs.empty() && !script.not_read.empty())
        return base::fail(ErrorKind::usage,
                          base::format("the script starts no program of {} that is known, as far as it can be read: {}",
                                       target->title, script.not_read.front().what),
                          request.script);
    if (script.programs.empty())
        return base::fail(ErrorKind::usage,
                          base::format("the script starts no program of {} that is known: {}", target->title,
                                       base::joined(target->programs, ", ")),
                          request.script);
    TRY(add_yaml_files(fs, script));
    TRY_ASSIGN(const OptionList list, OptionList::load(store, target->options, target->release));
    std::vector<OptionList> others;
    for (const LaunchTarget& other : facts.targets) {
        if (&other == target) continue;
        TRY_ASSIGN(OptionList known, OptionList::load(store, other.options, other.release));
        others.push_back(std::move(known));
    }
    ScriptCheck out;
    out.target = target->title;
    out.programs = script.programs.size();
    std::vector<ScriptJob> jobs;
    for (const ScriptProgram& program : script.programs)
        jobs.push_back(script_job(program, script, *target, list, others, facts, out.findings));
    TRY_ASSIGN(const Compared compared, open_compared(fs, knowledge, facts, request, jobs));
    std::optional<DeviceMemory> memory;
    if (device != nullptr && compared.model && compared.model->config) {
        TRY_ASSIGN(Choices choices, load_choices(store));
        TRY_ASSIGN(memory, DeviceMemory::make(store, *compared.model, *device, devices.reserve, std::move(choices)));
    }
    for (ScriptJob& job : jobs) {
        if (device != nullptr) {
            job.numbers["machine"] = device->per_node;
            job.numbers["machine_npu"] = device->npu;
            job.numbers["machine_fp8"] = device->fp8_tflops.has_value();
        }
        if (compared.model) {
            add_model_numbers(*compared.model, job.numbers);
            const bool is_megatron = !target->dialect.empty();
            if (is_megatron) TRY(check_model_options(knowledge, facts, *compared.model, job, out.findings));
            if (memory && !job.is_open) TRY(check_memory(*memory, job, out.findings));
        }
        if (compared.checkpoint) {
            job.numbers["legacy_checkpoint"] = compared.checkpoint->legacy;
            check_checkpoint_layout(*compared.checkpoint, job, out.findings);
        }
        check_numbers(facts, job, out.findings);
        check_paths(fs, facts, job, out.findings);
        if (!job.is_open) check_benchmarks(fs, benchmarks, job, out.findings);
    }
    check_conversions(jobs, out.findings);
    check_environment(facts, variables, script, jobs, out.findings);
    check_logs(fs, script, out.findings);
    keep_literal_edits(script, out.findings);
    add_slips(script, jobs, out.findings);
    out.files = std::move(script.files);
    sort_findings(out.findings);
    number_lines(out.files, out.findings);
    return out;
}

}  // namespace ckpt
