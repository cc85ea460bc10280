#include "migrator/app/pipeline.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "base/console.h"
#include "base/format.h"
#include "base/interrupt.h"
#include "base/parallel.h"
#include "base/version.h"
#include "migrator/app/applied_files.h"
#include "migrator/app/chip_coverage.h"
#include "migrator/app/distributed_main.h"
#include "migrator/app/instrumentation.h"
#include "migrator/app/library_run.h"
#include "migrator/app/missing_code.h"
#include "migrator/app/named_projects.h"
#include "migrator/app/new_files.h"
#include "migrator/app/output_tree.h"
#include "migrator/app/path_checks.h"
#include "migrator/app/report_files.h"
#include "migrator/app/rule_rows.h"
#include "migrator/app/skeleton_files.h"
#include "migrator/app/start_files.h"
#include "migrator/app/versioned_rules.h"
#include "migrator/project/api_coverage.h"
#include "migrator/project/cuda_code.h"
#include "migrator/project/framework_version.h"
#include "migrator/project/helper_module.h"
#include "migrator/project/job.h"
#include "migrator/project/judgement.h"
#include "migrator/project/knowledge.h"
#include "migrator/project/operators.h"
#include "migrator/project/own_choice.h"
#include "migrator/project/problem_files.h"
#include "migrator/project/programs.h"
#include "migrator/project/project.h"
#include "migrator/project/project_conditions.h"
#include "migrator/project/project_values.h"
#include "migrator/project/training_reach.h"
#include "migrator/project/translations.h"
#include "migrator/project/unknown_packages.h"
#include "migrator/review/project_lock.h"
#include "migrator/rewrite/rewriter.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

class Run {
public:
    Run(const Options& options, base::FileSystem& fs, const Knowledge& knowledge, const HelperModule& helper,
        const VersionedRules& rules, const std::optional<DistributedMain>& distributed,
        const Instrumentation& instrumentation, std::vector<Project> projects, std::unique_ptr<OutputTree> output)
        : options_(options),
          fs_(fs),
          knowledge_(knowledge),
          helper_(helper),
          rules_(rules),
          distributed_(distributed),
          instrumentation_(instrumentation),
          projects_(std::move(projects)),
          output_(std::move(output)),
          conditions_(knowledge.rules),
          applies_(options.command == Command::migrate && options.apply != ApplyMode::none && options.writes()) {}

    base::Result<RunResult> execute() {
        jobs_ = jobs_of(projects_);
        if (options_.start_script) {
            TRY_ASSIGN(const StartFacts start, StartFacts::load(knowledge_.store));
            conditions_.watch(mentions_of(start));
        }
        TRY(analyse_all());
        keep_where_training_comes(jobs_, facts_, files_);
        conditions_.leave_out(files_, facts_);
        Judgement judgement(jobs_, facts_, knowledge_.rules, options_.is_whole, files_);
        conditions_.say_once(files_);
        judgement.name_findings(files_);
        const std::vector<ProjectOperator> operators = find_operators(knowledge_.rules, facts_, files_);
        TRY(add_new_files());
        // From here on every analysed file is in the output, rewritten or as it was.
        for (const Project& project : projects_) add_problem_files(project, output_ != nullptr, files_);
        if (output_) TRY(copy_other_files());
        const std::vector<FileChange> made =
            applies_ && (writes_in_place() || output_) ? written_.changes(files_) : std::vector<FileChange>{};
        std::vector<base::Message> said = notes();
        TRY_ASSIGN(auto skeletons, staged_skeletons(fs_, options_, knowledge_, operators, said));
        RunResult result;
        result.report =
            make_report(info(), std::move(files_), files_seen(), knowledge_.rules.packages.status(), std::move(said));
        result.text = std::move(text_);
        if (options_.known) compare_with(*options_.known, result.report);
        TRY_ASSIGN(result.report.unknown_packages, unknown_packages(fs_, projects_, knowledge_));
        result.report.operators = operator_rows(operators);
        judgement.fill(applies_, result.report);
        result.report.rules = rule_rows(knowledge_.rules, result.report);
        result.report.sources = source_rows(knowledge_.rules, result.report);
        if (options_.json || !options_.report_directory.empty()) {
            TRY_ASSIGN(result.report.chip_coverage, chip_coverage(knowledge_.store, facts_));
        }
        result.report.translations = translated(result.report, knowledge_.translations);
        result.report.language = with_report(options_.language, result.report.translations);
        result.report.api_coverage = api_coverage(knowledge_.rules, facts_, rules_.versions().whole.version);
        if (options_.destination == Destination::text && facts_.front().needs_helper)
            result.warning = base::format(
                "the result imports {0}, a module that a pipe has no place for. In a project, `migrator migrate "
                "--in-place --style {1} FILE` writes it where FILE finds it",
                knowledge_.rules.style.helper, name(options_.style));
        TRY_ASSIGN(auto report, staged_report(fs_, options_, result.report, knowledge_.store, result.trace.written));
        TRY(publish(made, skeletons, report, result.trace));
        return result;
    }

private:
    base::Status analyse_all() {
        // The largest first, so that no thread is left alone with a large file at the end.
        std::vector<std::size_t> order(jobs_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return jobs_[a].file->bytes > jobs_[b].file->bytes; });
        std::uint64_t bytes = 0;
        for (const Job& job : jobs_) bytes += job.file->bytes;
        base::ProgressBar progress(options_.language.text("Analysing"), bytes, base::ProgressBar::Unit::bytes,
                                   options_.progress, options_.language);
        files_.resize(jobs_.size());
        facts_.resize(jobs_.size());
        written_.expect(jobs_.size());
        return base::parallel_for(order.size(), options_.threads, [&](std::size_t i) -> base::Status {
            const Job& job = jobs_[order[i]];
            TRY_ASSIGN(files_[order[i]], analyse(job, order[i]));
            progress.add(job.file->bytes);
            return {};
        });
    }

    base::Result<ReportFile> analyse(const Job& job, std::size_t number) {
        const Path shown = job.project->shown(job.file->path);
        std::unique_ptr<ParsedFile> parsed = job.take_parsed();
        SourceFile read;
        if (!parsed) {
            auto bytes = job.project->read(fs_, job.file->path);
            if (!bytes)
                return problem_file(shown, job.file->type, "file.unreadable",
                                    unreadable_message(bytes.error(), output_ != nullptr));
            read = make_source_file(job.file->path, job.file->type, std::move(*bytes), job.file->mode);
        }
        const SourceFile& source = parsed ? parsed->source : read;
        ParsedText known;
        if (parsed && !source.problem) {
            parsed->unpack();
            known = {&parsed->tree, parsed->bindings ? &*parsed->bindings : nullptr};
        }
        FileOutcome outcome = rewrite(source, context(job), known);
        outcome.path = shown;
        conditions_.look_at(outcome.original);
        TRY(instrumentation_.apply(module_context(*job.project, job.file->path), outcome));
        JobFacts& facts = facts_[number];
        facts.interfaces = std::move(outcome.interfaces);
        facts.training = std::move(outcome.training);
        facts.operator_uses = std::move(outcome.operator_uses);
        facts.operators = std::move(outcome.operators);
        std::string written = bytes_after(source, outcome);
        facts.transfer = transfer_facts(outcome);
        facts.needs_helper = helper_.is_needed(outcome.original, outcome.rewritten);
        const bool was_distributed = distributed_ && distributed_->path == job.file->path;
        const std::string& original = was_distributed ? distributed_->original.bytes() : source.bytes();
        if (was_distributed) to_original_places(outcome, *distributed_);
        const bool rewritten = applies_ && written != original;
        if (output_)
            TRY(output_->write(job.file->path, rewritten ? written : original, source.mode,
                               rewritten ? std::nullopt : std::optional(job.file->modified)));
        if (options_.destination == Destination::text) text_ = applies_ ? written : original;
        if (!applies_) call_available(outcome);
        ReportFile file = make_report_file(std::move(outcome), original, written);
        if (rewritten) written_.add(number, original, std::move(written), source.mode, writes_in_place());
        return file;
    }

    base::Status add_new_files() {
        TRY_ASSIGN(std::vector<NewFile> made, helper_files(fs_, helper_, jobs_, files_, facts_));
        if (distributed_) made.push_back(launcher_file(*distributed_, projects_.front(), files_));
        TRY_ASSIGN(StartFiles starts, start_files(fs_, options_, knowledge_, conditions_, jobs_, facts_));
        start_notes_ = std::move(starts.notes);
        std::ranges::move(starts.files, std::back_inserter(made));
        TRY_ASSIGN(std::optional<NewFile> read, instrumentation_.file(fs_, projects_));
        if (read) made.push_back(std::move(*read));
        for (const NewFile& file : made) TRY(add_new_file(file));
        return {};
    }

    base::Status add_new_file(const NewFile& file) {
        if (applies_ && output_ && file.is_made) TRY(output_->write(file.path, file.content, file.mode));
        FileOutcome outcome;
        outcome.path = file.project->shown(file.path);
        outcome.type = file.type;
        outcome.parsed = true;
        outcome.rewritten = file.content;
        outcome.findings.push_back(file_finding(file.rule, Severity::info, outcome.path, file.message));
        // What no finding of another file wants is made for its own sake.
        if (file.is_made && file.wanted_by.empty())
            outcome.findings.back().state = applies_ ? FixState::applied : FixState::available;
        ReportFile& made =
            files_.emplace_back(make_report_file(std::move(outcome), {}, file.is_made ? file.content : ""));
        made.new_mode = file.mode;
        // The executable bit, as git writes it.
        if (file.mode == 0755)
            made.diff = base::format("diff --git a/{0} b/{0}\nnew file mode 100755\n{1}", made.path, made.diff);
        std::vector<std::string> wanted_by = file.wanted_by;
        // Its own finding comes first; of a file that only proposals need, it asks for nothing by itself.
        if (file.is_made) wanted_by.insert(wanted_by.begin(), made.findings.front().id);
        made.edits.push_back({{}, {}, {}, "", file.content, std::move(wanted_by)});
        return {};
    }

    bool writes_in_place() const { return applies_ && options_.destination == Destination::in_place; }

    RewriteContext context(const Job& job) const {
        RewriteContext out;
        const base::Path& path = job.file->path;
        out.match = match_context(knowledge_, *job.project, path);
        out.match.loops = &knowledge_.loops;
        const VersionedRules::Rules& rules = rules_.of(static_cast<std::size_t>(job.project - projects_.data()), path);
        out.match.rules = rules.rules;
        out.match.patterns = rules.patterns;
        out.affinity = options_.affinity;
        out.operators = true;
        out.apply = options_.apply == ApplyMode::none ? ApplyMode::safe : options_.apply;
        out.match.value_ends = job.project->value_ends.get();
        out.match.helper_package = helper_.package_for(*job.project, path);
        out.match.is_program = job.is_program();
        const bool asks_for_loads = out.match.is_program && !knowledge_.rules.programs.empty();
        if (asks_for_loads) out.match.program_loads = job.project->imports.loads(path);
        if (rules.transfer != nullptr) {
            out.transfer = out.match;
            out.transfer->rules = rules.transfer;
            out.transfer->patterns = nullptr;  // what is only faster is no question of it
            out.transfer->loops = nullptr;     // nor is what makes training faster
            out.transfer->is_program = false;  // the lines that load transfer_to_npu are no edit to weigh
        }
        return out;
    }

    // Without --apply the fixes are tried all the same, so that the report can show what they would do.
    static void call_available(FileOutcome& outcome) {
        for (FindingOutcome& item : outcome.findings) {
            if (item.state == FixState::applied) item.state = FixState::available;
        }
    }

    base::Status copy_other_files() {
        const Project& project = projects_.front();
        TRY_ASSIGN(auto left_out,
                   copy_the_rest(fs_, project.files, project.is_directory, options_.large_files, *output_));
        for (const NotCopied& item : left_out) {
            files_.push_back(problem_file(item.path, FileType::other, "file.not_copied",
                                          {"It is not in the copy: {reason}.", {{"reason", item.reason}}}));
        }
        return {};
    }

    // All is complete but for the sources. What makes it visible is the last that is done before the sources are called changed.
    base::Status publish(const std::vector<FileChange>& made, std::optional<base::FileSet>& skeletons,
                         std::optional<base::FileSet>& report, RunTrace& trace) {
        TRY(base::not_interrupted());
        if (skeletons) TRY(skeletons->publish(output_ ? std::optional(output_->to_come()) : std::nullopt));
        const auto publish_report = [&] { return report ? report->commit() : base::Status{}; };
        if (writes_in_place()) {
            TRY_ASSIGN(trace.record, write_sources(fs_, options_, projects_.front().root, made, publish_report));
        } else {
            TRY(publish_report());
        }
        // Last, so that a copy that is there has its report and its record.
        if (output_) TRY(record_copy(fs_, options_, projects_.front().root, made));
        if (output_) TRY(output_->commit());
        if (skeletons) skeletons->keep();
        return {};
    }

    // Of a migration: the copy, the first path that is changed in place, or "-" for standard output.
    base::Path output() const {
        if (options_.command != Command::migrate) return {};
        if (writes_in_place()) return options_.paths.front();
        return options_.destination == Destination::text ? base::Path(kStandardInput) : options_.output;
    }

    RunInfo info() const {
        return {options_.command == Command::migrate ? "migrate" : "analyze",
                options_.paths,
                output(),
                std::string(base::kVersion),
                writes_in_place(),
                projects_.front().root,
                options_.include,
                options_.exclude,
                options_.origin,
                std::string(base::kHomepage)};
    }

    std::uint64_t files_seen() const {
        std::uint64_t count = 0;
        for (const Project& project : projects_) count += project.files.files.size();
        return count;
    }

    std::vector<base::Message> notes() const {
        std::vector<base::Message> out = options_.notes;
        out.push_back({"For {package} {version}: {reason}.",
                       {{"package", knowledge_.rules.framework.packages.front()},
                        {"version", rules_.versions().whole.version.text()},
                        {"reason", rules_.versions().whole.reason}}});
        for (base::Message& note : rules_.versions().notes(knowledge_.rules.framework.packages.front()))
            out.push_back(std::move(note));
        const ChipRow& chip = knowledge_.told_names.chip();
        if (!chip.weak.empty()) out.push_back(chip.weak);
        if (!chip.compiles.empty()) out.push_back(chip.compiles);
        if (output_ && output_->has_cleaned_up())
            out.push_back("Files that an interrupted run had left next to the output were removed.");
        if (distributed_) out.insert(out.end(), distributed_->notes.begin(), distributed_->notes.end());
        out.insert(out.end(), start_notes_.begin(), start_notes_.end());
        for (const Project& project : projects_) {
            if (const auto usable = check_not_stopped(fs_, project.files.root); !usable)
                out.push_back({"These files may be half changed: {problem}.", {{"problem", usable.error().message}}});
            for (base::Message& note : notes_of(project, output_ != nullptr)) out.push_back(std::move(note));
        }
        if (const std::size_t faster = faster_forms(files_); faster > 0 && !options_.affinity) {
            out.push_back({faster == 1 ? "{count} place has a faster form on Ascend that computes the same; migrate "
                                         "--affinity writes it."
                                       : "{count} places have a faster form on Ascend that computes the same; migrate "
                                         "--affinity writes them.",
                           {{"count", std::to_string(faster)}}});
        }
        out.push_back(missing_code(projects_));
        if (out.back().empty()) out.pop_back();
        return out;
    }

    const Options& options_;
    base::FileSystem& fs_;
    const Knowledge& knowledge_;
    const HelperModule& helper_;
    const VersionedRules& rules_;
    const std::optional<DistributedMain>& distributed_;
    const Instrumentation& instrumentation_;
    std::vector<Project> projects_;
    std::unique_ptr<OutputTree> output_;
    ProjectConditions conditions_;
    bool applies_;
    std::vector<Job> jobs_;
    std::vector<ReportFile> files_;
    std::string text_;             // of Destination::text, which has one file
    WrittenFiles written_;         // by job
    std::vector<JobFacts> facts_;  // by job
    std::vector<base::Message> start_notes_;
};

}  // namespace

base::Result<RunResult> run(const Options& given, base::FileSystem& fs) {
    auto start = std::chrono::steady_clock::now();
    Options options = given;
    TRY(check_paths(fs, options));
    if (options.destination == Destination::in_place) TRY(follow_named_links(fs, options.paths));
    TRY_ASSIGN(auto output, open_outputs(fs, options));
    TRY_ASSIGN(Knowledge knowledge,
               load_knowledge(fs, options.rules, options.style, options.megatron, options.command == Command::analyze));
    if (!options.chip.empty()) {
        TRY_ASSIGN(knowledge.told_names, ToldNames::load(knowledge.store, options.chip));
    }
    TRY_ASSIGN(const HelperModule helper, HelperModule::load(knowledge.store, knowledge.rules.style));
    TRY_ASSIGN(auto projects, find_projects(fs, knowledge.store, options));
    for (const Project& project : projects) {
        if (options.command == Command::migrate && !options.reads_standard_input())
            TRY(check_not_stopped(fs, project.files.root));
    }
    TRY_ASSIGN(const auto rules,
               VersionedRules::load(fs, options, knowledge,
                                    framework_versions(fs, options.torch_version, knowledge.rules, projects)));
    TRY(add_libraries(options, fs, knowledge));
    TRY(index_projects(fs, options.threads, knowledge, projects));
    TRY(find_programs(fs, knowledge, projects));
    TRY(name_programs(options.programs, projects));
    TRY(find_value_ends(fs, options.threads, knowledge, projects));
    TRY(find_cuda_code(fs, options.threads, knowledge, projects));
    if (!options.edit_native) TRY(find_own_choice(fs, options.threads, knowledge, projects));
    TRY(helper.check(fs, projects));
    TRY_ASSIGN(const auto instrumentation, Instrumentation::plan(fs, options, knowledge, projects));
    TRY_ASSIGN(const auto distributed, distribute_main(fs, options, knowledge, projects.front()));
    TRY_ASSIGN(RunResult result, Run(options, fs, knowledge, helper, rules, distributed, instrumentation,
                                     std::move(projects), std::move(output))
                                     .execute());
    result.trace.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

}  // namespace migrator
