#include "migrator/app/distributed_main.h"

#include <algorithm>

#include "base/check.h"
#include "base/format.h"
#include "base/shell_word.h"
#include "migrator/distribute/distribute.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

constexpr std::string_view kSetup = "templates/distribute/setup.py";
constexpr std::string_view kDivide = "templates/distribute/divided.py";
constexpr std::string_view kLauncher = "templates/distribute/run_distributed.sh";

std::string text_of(const Knowledge& knowledge, std::string_view path) {
    const std::string_view* text = knowledge.store.find(path);
    CHECK(text != nullptr);
    return std::string(*text);
}

std::string launcher_for(std::string text, std::string_view script) {
    constexpr std::string_view kPlace = " MAIN ";
    const std::size_t at = text.find(kPlace);
    CHECK(at != std::string::npos);
    return text.replace(at, kPlace.size(), base::format(" {} ", base::shell_path(script)));
}

}  // namespace

base::Result<std::optional<DistributedMain>> distribute_main(base::FileSystem& fs, const Options& options,
                                                             const Knowledge& knowledge, Project& project) {
    if (options.distributed_main.empty()) return std::optional<DistributedMain>{};
    const auto place = find_python_file(project, options.distributed_main);
    if (!place)
        return base::fail(ErrorKind::usage,
                          "--distributed names a Python file of the project, and there is none of this name",
                          options.distributed_main);
    DistributedMain out;
    out.path = project.files.files[*place].path;
    TRY_ASSIGN(out.original, read_source(fs, project, *place));
    if (out.original.problem) return base::fail(ErrorKind::bad_input, out.original.problem->text(), out.path);
    TRY_ASSIGN(const DistributeFacts facts, DistributeFacts::load(knowledge.store));
    const SyntaxTree tree = SyntaxTree::parse(out.original.text);
    const Bindings bindings = Bindings::analyse(tree, knowledge.facts, module_context(project, out.path));
    const DistributeTexts texts{text_of(knowledge, kSetup), text_of(knowledge, kDivide)};
    DistributedScript script = distribute(tree, bindings, facts, knowledge.loops, options.model, texts);
    if (!script.obstacles.empty())
        return base::fail(ErrorKind::unsupported,
                          "it cannot be made distributed: " + base::joined(script.obstacles, "; "), out.path);
    out.edits = std::move(script.edits);
    EditSet set;
    CHECK(set.add(out.edits));

    TRY_ASSIGN(std::string bytes, encode(out.original, set.apply(out.original.text)));
    auto parsed = std::make_unique<ParsedFile>();
    parsed->source = make_source_file(out.path, FileType::python, std::move(bytes), out.original.mode);
    parsed->tree = SyntaxTree::parse(parsed->source.text);
    if (parsed->tree.has_errors())
        return base::fail(ErrorKind::unsupported, "it cannot be made distributed: the result would not parse",
                          out.path);
    if (project.parsed.size() <= *place) project.parsed.resize(project.files.files.size());
    project.parsed[*place] = std::move(parsed);

    const Path directory = base::parent(out.path);
    out.launcher = directory == "." ? "run_distributed.sh" : base::join(directory, "run_distributed.sh");
    if (fs.exists(project.on_disk(out.launcher)))
        return base::fail(ErrorKind::usage,
                          "this name is needed for the script that starts the processes; rename the file",
                          out.launcher);
    out.launcher_text = launcher_for(text_of(knowledge, kLauncher), base::file_name(out.path));
    out.notes = std::move(script.notes);
    out.notes.push_back(
        {"{script} runs in several processes: start it with {launcher}. The batch size is that of one of them.",
         {{"script", out.path}, {"launcher", out.launcher}}});
    return std::optional<DistributedMain>{std::move(out)};
}

void to_original_places(FileOutcome& outcome, const DistributedMain& main) {
    const base::LineIndex lines(main.original.text);
    for (FindingOutcome& item : outcome.findings) {
        item.begin = lines.position(offset_before(main.edits, item.finding.range.begin));
        item.end = lines.position(offset_before(main.edits, item.finding.range.end));
    }
    // What makes it distributed is a finding like others, in front of them.
    FindingOutcome distributed;
    distributed.state = FixState::applied;
    distributed.finding.rule = "file.distributed";
    distributed.finding.kind = FindingKind::file;
    distributed.finding.severity = Severity::info;
    distributed.finding.subject = outcome.path;
    distributed.finding.message = "The script runs in several processes, one for each device.";
    outcome.findings.insert(outcome.findings.begin(), std::move(distributed));
    std::vector<OwnedEdit> first;
    for (const Edit& edit : main.edits) first.push_back({edit, {0}});
    for (OwnedEdit& one : outcome.edits) {
        for (std::size_t& owner : one.owners) ++owner;
    }
    ComposedEdits all(main.original.text);
    all.add_round(first);
    all.add_round(outcome.edits);
    for (std::vector<std::size_t>& group : outcome.bound) {
        for (std::size_t& place : group) ++place;
    }
    outcome.bound.insert(outcome.bound.end(), all.bound().begin(), all.bound().end());
    outcome.edits = all.edits();
    outcome.original = main.original.text;
    outcome.lines = lines.line_count() - (main.original.text.ends_with('\n') ? 1 : 0);
}

}  // namespace migrator
