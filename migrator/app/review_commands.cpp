#include "migrator/app/review_commands.h"

#include <algorithm>

#include "base/console.h"
#include "base/format.h"
#include "base/human.h"
#include "base/json_writer.h"
#include "base/missing_path.h"
#include "base/printable.h"
#include "base/random.h"
#include "base/shell_word.h"
#include "migrator/app/named_files.h"
#include "migrator/app/output_tree.h"
#include "migrator/app/path_checks.h"
#include "migrator/app/record_path.h"
#include "migrator/project/path_reader.h"
#include "migrator/review/project_lock.h"
#include "migrator/review/project_root.h"
#include "migrator/review/reapply.h"
#include "migrator/review/record.h"
#include "migrator/serve/local_server.h"
#include "migrator/serve/review_site.h"
#include "migrator/source/discovery.h"

namespace migrator {
namespace {

using base::Path;

std::string left_out_lines(const base::Language& say, const std::vector<LeftOut>& left_out, const char* title) {
    std::string out = left_out.empty() ? "" : base::format("\n{}:\n", title);
    for (const LeftOut& one : left_out)
        out += base::show("  {}  [{}]  {}\n", one.place, one.rule, say.said(one.reason));
    return out;
}

// A copy of everything below the root, with the changed files in the place of the others; gives what could not be read.
base::Result<std::vector<NotCopied>> write_copy(base::FileSystem& fs, const Path& root,
                                                const std::vector<FileChange>& changes,
                                                const std::vector<std::string>& include, const Options& options,
                                                const Path& record) {
    Options as_migrate = options;
    as_migrate.paths = {root};
    TRY(check_paths(fs, as_migrate));
    DiscoveryOptions wanted;
    wanted.include = include;
    TRY_ASSIGN(wanted.paths, path_reader(base::DataStore()));
    TRY_ASSIGN(FileList files, discover(fs, root, wanted));
    TRY_ASSIGN(auto tree, OutputTree::create(fs, options.output, options.force));
    std::set<Path> changed;
    for (const FileChange& change : changes) {
        changed.insert(change.file.path);
        TRY(tree->write(change.file.path, change.content, change.mode));
    }
    // "Analysed" files are those that are written already.
    for (FoundFile& file : files.files) file.analysed = changed.contains(file.path);
    TRY_ASSIGN(auto left_out, copy_the_rest(fs, files, true, options.large_files, *tree));
    for (const base::Error& error : files.unreadable) left_out.push_back({error.where, error.message});
    TRY(write_record_of_copy(fs, root, options.output, changes, include, record));
    TRY(tree->commit());
    return left_out;
}

// Said before: a report or a record may come from elsewhere, and it is the files of this tree that change.
void say_root(const base::Language& say, base::FileSystem& fs, const Path& root) {
    base::print(stderr, say.show("migrator: the files are those of {}\n", fs.real_path(root).value_or(root)));
}

base::Result<std::string> write_changes(base::FileSystem& fs, const Options& options, const Path& root,
                                        const std::vector<FileChange>& changes, const std::vector<std::string>& include,
                                        const Path& record) {
    if (options.output.empty()) {
        say_root(options.language, fs, root);
        TRY(write_in_place(fs, root, changes, include, record));
        return base::show("in place\nUndo    migrator undo {}", base::shell_path(record));
    }
    TRY_ASSIGN(const auto left_out, write_copy(fs, root, changes, include, options, record));
    std::string out = base::show("in the copy {}", options.output);
    for (const NotCopied& item : left_out) out += base::show("\n  not in the copy  {}  {}", item.path, item.reason);
    return out;
}

// Where the files of a report or record are said to be; `named`: by the user.
Path stated_root(const Path& named, const Path& recorded) {
    if (!named.empty()) return named;
    return recorded.empty() ? Path(".") : recorded;
}

// A copy is made of any tree; one that is changed must be the user's own choice, or lie beside the report. `holder`: the directory
// of the report or record.
base::Result<ProjectRoot> root_to_use(base::FileSystem& fs, const Options& options, const SavedReport& report,
                                      const Path& recorded, const Path& holder) {
    TRY(check_file_paths(report));
    const Path& named = options.review.project;
    if (!options.output.empty()) return ProjectRoot{stated_root(named, recorded), true};
    TRY_ASSIGN(const ProjectRoot root, project_root(fs, named, recorded, holder));
    if (options.command != Command::undo) TRY(check_not_stopped(fs, root.path));
    return root;
}

std::vector<const SavedFile*> files_of(const SavedReport& applied) {
    std::vector<const SavedFile*> out;
    for (const SavedFile& file : applied.files) out.push_back(&file);
    return out;
}

std::vector<const SavedFile*> files_of(const std::vector<FileChange>& changes) {
    std::vector<const SavedFile*> out;
    for (const FileChange& change : changes) out.push_back(&change.file);
    return out;
}

base::Result<SavedReport> report_of(base::FileSystem& fs, const Path& named) {
    const Path path = named_report(fs, named);
    if (!fs.exists(path) && !fs.exists(named)) return tl::unexpected(base::missing_path(fs, named));
    return read_report(fs, path);
}

base::Result<std::string> apply(const Options& options, base::FileSystem& fs) {
    const ReviewOptions& review = options.review;
    TRY_ASSIGN(const SavedReport report, report_of(fs, review.report));
    std::optional<Decisions> decisions;
    if (!review.decisions.empty()) {
        TRY_ASSIGN(decisions, Decisions::read(fs, review.decisions));
    }
    TRY_ASSIGN(const Accepted accepted, accepted_of(report, decisions ? &*decisions : nullptr, review.only_accepted));
    const Path holder = base::parent(named_report(fs, review.report));
    TRY_ASSIGN(const ProjectRoot chosen, root_to_use(fs, options, report, report.root, holder));
    const Path& root = chosen.path;
    TRY_ASSIGN(const auto tree, fs.beneath(root));
    TRY_ASSIGN(const auto changes, changes_of(*tree, report, root, accepted.findings));
    if (!chosen.is_certain) TRY(check_nothing_hidden(files_of(changes), true));
    TRY_ASSIGN(const Path record, record_path(fs, options, holder, root));
    std::string what = "; nothing was written";
    if (!changes.empty() || !options.output.empty()) {
        TRY_ASSIGN(const std::string where, write_changes(fs, options, root, changes, report.include, record));
        what = base::format(": {} changed {}", base::plural(changes.size(), "file"), where);
    }
    return base::format("{} applied{}\n{}", base::plural(accepted.findings.size(), "finding"), what,
                        left_out_lines(options.language, accepted.left_out, "Accepted, and not applied"));
}

base::Result<std::string> undo_command(const Options& options, base::FileSystem& fs) {
    Path record = options.review.record;
    Path root = options.review.project;
    if (root.empty()) {
        TRY_ASSIGN(record, named_record(fs, record));
        TRY_ASSIGN(const SavedReport applied, read_record(fs, record));
        TRY_ASSIGN(const ProjectRoot chosen,
                   root_to_use(fs, options, applied, recorded_root(fs, applied, record), base::parent(record)));
        if (!chosen.is_certain) TRY(check_nothing_hidden(files_of(applied), true));
        root = chosen.path;
    }
    say_root(options.language, fs, root);
    TRY_ASSIGN(const std::size_t files, undo(fs, record, root));
    return base::format("{} restored\n", base::plural(files, "file"));
}

base::Result<std::string> reapply_command(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const Path from, named_record(fs, options.review.record));
    TRY_ASSIGN(const SavedReport applied, read_record(fs, from));
    TRY_ASSIGN(const ProjectRoot chosen,
               root_to_use(fs, options, applied, recorded_root(fs, applied, from), base::parent(from)));
    const Path& root = chosen.path;
    if (!chosen.is_certain) TRY(check_nothing_hidden(files_of(applied), false));
    TRY_ASSIGN(const Reapplied merged, reapply(fs, from, root));
    std::string what = "; nothing was written";
    if (!merged.changes.empty()) {
        const Path record = free_record(fs, base::parent(from), options.output);
        TRY_ASSIGN(const std::string where, write_changes(fs, options, root, merged.changes, applied.include, record));
        what = base::format(": {} changed {}", base::plural(merged.changes.size(), "file"), where);
    }
    return base::format(
        "{} applied again{}\n{}", base::plural(merged.findings, "finding"), what,
        left_out_lines(options.language, merged.left_out, "No longer applied; look at these, or migrate again"));
}

// What `apply` is told on the command line when a page asks for the same.
Options options_of(const ApplyRequest& wanted, const Options& served, Path decisions) {
    Options out = served;
    out.command = Command::apply;
    out.language = {};  // the page speaks its own
    out.review.decisions = std::move(decisions);
    out.review.in_place = !wanted.output;
    out.output = wanted.output.value_or("");
    return out;
}

// Blocks until somebody stops it.
base::Result<std::string> serve(const Options& options, base::FileSystem& fs) {
    const base::Path report = named_report(fs, options.review.report);
    const base::DataStore templates;
    TRY_ASSIGN(ReviewSite site, ReviewSite::open(fs, report, templates));
    TRY_ASSIGN(LocalServer server, LocalServer::listen(options.review.port));
    TRY_ASSIGN(const std::string token, base::random_digits(16));
    const std::string host = base::format("127.0.0.1:{}", server.port());
    site.listen_as(host, token);
    const Path project = stated_root(options.review.project, site.report().root);
    site.apply_with(fs.real_path(project).value_or(""), [&](const ApplyRequest& wanted) {
        return apply(options_of(wanted, options, fs.exists(site.decisions()) ? site.decisions() : Path{}), fs);
    });
    auto ready = [&] {
        base::print(stdout, options.language.show("  Review  http://{}/{}/\n  Saved   {}\n  Stop    Ctrl-C\n", host,
                                                  token, site.decisions()));
        static_cast<void>(base::flush_output().has_value());  // without a reader it serves all the same
    };
    TRY(server.run(ready, [&](const HttpRequest& request) { return site.answer(request); }));
    return base::show("Stopped\n  Next    migrator apply {} --decisions {} -o OUT\n", base::shell_path(report),
                      base::shell_path(site.decisions()));
}

// A finding of one report that the other does not have.
struct Difference {
    const SavedFile* file;
    const SavedFinding* finding;
};

std::vector<Difference> missing_in(const SavedReport& report, const SavedReport& other) {
    std::set<std::string> known;
    for (const SavedFile& file : other.files) {
        for (const SavedFinding& finding : file.findings) known.insert(finding.id);
    }
    std::vector<Difference> out;
    for (const SavedFile& file : report.files) {
        for (const SavedFinding& finding : file.findings) {
            if (!known.contains(finding.id)) out.push_back({&file, &finding});
        }
    }
    return out;
}

std::string difference_lines(const std::vector<Difference>& differences, const char* title) {
    std::string out = base::format("{} {}\n", base::with_separators(differences.size()), title);
    for (const Difference& one : differences) {
        out += base::show("  {:<8} {}:{}  {}  [{}]\n", one.finding->severity, one.file->path, one.finding->begin.line,
                          one.finding->subject, one.finding->rule);
    }
    return out;
}

void write_differences(base::JsonWriter& json, const std::vector<Difference>& differences) {
    json.begin_array();
    for (const Difference& one : differences) {
        json.begin_object();
        json.key("id").string(one.finding->id);
        json.key("path").string(one.file->path);
        json.key("line").unsigned_integer(one.finding->begin.line);
        json.key("rule").string(one.finding->rule);
        json.key("severity").string(one.finding->severity);
        json.key("subject").string(one.finding->subject);
        json.end_object();
    }
    json.end_array();
}

base::Result<std::string> diff_reports(const Options& options, base::FileSystem& fs) {
    TRY_ASSIGN(const SavedReport before, report_of(fs, options.review.report));
    TRY_ASSIGN(const SavedReport after, report_of(fs, options.review.other));
    const std::vector<Difference> gone = missing_in(before, after);
    const std::vector<Difference> fresh = missing_in(after, before);
    if (!options.json) return difference_lines(fresh, "new") + difference_lines(gone, "gone");
    base::JsonWriter json;
    json.begin_object();
    write_differences(json.key("new"), fresh);
    write_differences(json.key("gone"), gone);
    json.end_object();
    return std::move(json).take() + "\n";
}

}  // namespace

base::Result<std::string> review_command(const Options& options, base::FileSystem& fs) {
    if (options.command == Command::apply) return apply(options, fs);
    if (options.command == Command::undo) return undo_command(options, fs);
    if (options.command == Command::reapply) return reapply_command(options, fs);
    if (options.command == Command::serve) return serve(options, fs);
    return diff_reports(options, fs);
}

base::Result<Baseline> baseline_of(base::FileSystem& fs, const Path& report) {
    TRY_ASSIGN(const SavedReport saved, report_of(fs, report));
    Baseline out;
    for (const SavedFile& file : saved.files) {
        for (const SavedFinding& finding : file.findings) {
            const bool is_open = finding.severity != "info" && !finding.is_made_by_run();
            out.ids.insert(finding.id);
            ++out.row.findings;
            out.row.to_review += is_open;
            out.row.blocking += is_open && finding.severity == "error";
        }
    }
    return out;
}

}  // namespace migrator
