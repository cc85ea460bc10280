#include "migrator/app/rule_cases.h"

#include <algorithm>
#include <set>

#include "base/format.h"
#include "migrator/app/pipeline.h"
#include "migrator/edit/line_diff.h"
#include "migrator/project/knowledge.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::string_view kExpected = ".expected";
constexpr std::string_view kReviewed = ".reviewed";

// A case belongs to the rule files beside its folder: where none are read, it is of something else.
bool is_case_of_rules(const Path& directory, const Path& path) {
    const Path inside = path.substr(base::join(directory, "").size());
    const std::size_t cases = base::format("/{}", inside).find("/cases/");
    const std::string folder = cases == 0 ? "" : inside.substr(0, cases);
    return is_case(path) && RuleSet::is_read(base::join(base::join(place_of_rules(directory), folder), "any.json"));
}

// All cases below the directory, sorted.
base::Result<std::vector<Path>> find_cases(base::FileSystem& fs, const Path& directory) {
    std::vector<Path> cases;
    std::vector<Path> pending{directory};
    while (!pending.empty()) {
        const Path at = std::move(pending.back());
        pending.pop_back();
        TRY_ASSIGN(const auto entries, fs.list(at));
        for (const base::DirectoryEntry& entry : entries) {
            Path path = base::join(at, entry.name);
            if (entry.kind == base::FileKind::directory) pending.push_back(std::move(path));
            else if (is_case_of_rules(directory, path)) cases.push_back(std::move(path));
        }
    }
    std::sort(cases.begin(), cases.end());
    return cases;
}

class CaseRunner {
public:
    CaseRunner(base::FileSystem& fs, const Path& directory, Version newest) : fs_(fs), newest_(newest) {
        options_.command = Command::migrate;
        options_.paths = {Path(kStandardInput)};
        options_.destination = Destination::text;
        options_.rules = directory;
        options_.affinity = true;
        options_.edit_native = true;  // what rules do is shown, whatever else the case has
        options_.threads = 1;
        options_.progress = false;
    }

    base::Result<std::vector<std::string>> run_case(const Path& path, ApplyMode apply) {
        options_.apply = apply;
        TRY_ASSIGN(const std::string text, base::read_file(fs_, path));
        TRY_ASSIGN(const RunResult result, migrated(path, text));
        std::vector<LineRule> findings;
        for (const ReportFile& file : result.report.files) {
            if (file.path != options_.stdin_name) continue;  // a file that the style adds
            for (const ReportFinding& item : file.findings)
                findings.emplace_back(item.outcome.begin.line, item.outcome.finding.rule);
        }
        std::vector<std::string> problems = unmet_expectations(text, findings);
        TRY_ASSIGN(std::string output, output_problem(path, text, result.text));
        if (!output.empty()) problems.push_back(std::move(output));
        TRY_ASSIGN(const RunResult second, migrated(path, result.text));
        if (second.text != result.text) problems.emplace_back("a second run changes the output again");
        return problems;
    }

private:
    // As if the file came through standard input. No requirement above it decides on versions.
    base::Result<RunResult> migrated(const Path& path, const std::string& text) {
        options_.style = style_of_case(path);
        options_.torch_version = version_of_case(path).value_or(newest_);
        options_.stdin_name = base::file_name(path);
        options_.stdin_text = text;
        return run(options_, fs_);
    }

    base::Result<std::string> output_problem(const Path& path, const std::string& before, const std::string& after) {
        const Path expected = output_of_case(path, options_.apply);
        if (!fs_.exists(expected)) return before == after ? std::string() : "it changes, but there is no " + expected;
        TRY_ASSIGN(const std::string wanted, base::read_file(fs_, expected));
        if (after == wanted) return std::string();
        const auto wanted_lines = split_lines(wanted);
        const auto found_lines = split_lines(after);
        std::size_t line = 0;
        while (line < std::min(wanted_lines.size(), found_lines.size()) && wanted_lines[line] == found_lines[line])
            ++line;
        const std::string_view found = line < found_lines.size() ? found_lines[line] : "it is missing";
        return base::format("line {} of the output is not that of {}: {}", line + 1, expected,
                            found.substr(0, found.find_last_not_of("\r\n") + 1));
    }

    base::FileSystem& fs_;
    Version newest_;
    Options options_;
};

// Rules that come from a file below the directory.
std::set<std::string> rules_of(const Knowledge& all, const Knowledge& built_in) {
    std::set<std::string> out;
    for (const auto& rule : all.rules.rules) {
        if (built_in.rules.find_rule(rule->id) == nullptr) out.insert(rule->id);
    }
    return out;
}

}  // namespace

StyleKind style_of_case(std::string_view path) {
    for (const StyleKind style : {StyleKind::portable, StyleKind::automatic}) {
        if (path.find(base::format("/cases/{}/", name(style))) != path.npos) return style;
    }
    return StyleKind::npu;
}

std::optional<Version> version_of_case(std::string_view path) {
    constexpr std::string_view kFolder = "/cases/torch-";
    const std::size_t at = path.find(kFolder);
    if (at == path.npos) return std::nullopt;
    path.remove_prefix(at + kFolder.size());
    return Version::parse(path.substr(0, path.find('/')));
}

Path output_of_case(const Path& path, ApplyMode apply) {
    const std::size_t dot = std::min(path.rfind('.'), path.size());
    return path.substr(0, dot) + std::string(apply == ApplyMode::review ? kReviewed : kExpected) + path.substr(dot);
}

bool is_case(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    return path.find("/cases/") != path.npos && name.find(kExpected) == name.npos && name.find(kReviewed) == name.npos;
}

std::vector<std::string> ids_behind(std::string_view line, std::string_view word) {
    std::vector<std::string> ids;
    const std::size_t at = line.find(base::format("# {}:", word));
    if (at == line.npos) return ids;
    std::string_view rest = line.substr(at + word.size() + 3);
    rest = rest.substr(0, rest.find('#'));
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view id = rest.substr(0, comma);
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const std::size_t begin = id.find_first_not_of(" \t\r\n");
        if (begin != id.npos) ids.emplace_back(id.substr(begin, id.find_last_not_of(" \t\r\n") + 1 - begin));
    }
    return ids;
}

std::vector<std::string> unmet_expectations(std::string_view text, const std::vector<LineRule>& findings) {
    const std::multiset<LineRule> found(findings.begin(), findings.end());
    std::multiset<LineRule> expected;
    std::vector<std::string> problems;
    std::uint32_t number = 0;
    for (const std::string_view line : split_lines(text)) {
        ++number;
        for (std::string& id : ids_behind(line, "expect")) expected.emplace(number, std::move(id));
        for (const std::string& id : ids_behind(line, "ok")) {
            if (found.contains({number, id}))
                problems.push_back(base::format("line {}: {} should find nothing", number, id));
        }
        for (const std::string& id : ids_behind(line, "todo-expect")) {
            if (found.contains({number, id}))
                problems.push_back(base::format("line {}: {} is found now: make it an expect", number, id));
        }
    }
    for (auto it = expected.begin(); it != expected.end(); it = expected.upper_bound(*it)) {
        if (found.count(*it) != expected.count(*it))
            problems.push_back(base::format("line {}: {} expected {} times, found {} times", it->first, it->second,
                                            expected.count(*it), found.count(*it)));
    }
    for (auto it = found.begin(); it != found.end(); it = found.upper_bound(*it)) {
        if (!expected.contains(*it))
            problems.push_back(base::format("line {}: {} is not expected", it->first, it->second));
    }
    return problems;
}

base::Result<CaseRun> run_rule_cases(base::FileSystem& fs, const Path& directory) {
    TRY_ASSIGN(const Knowledge all, load_knowledge(fs, directory));
    TRY_ASSIGN(const Knowledge built_in, load_knowledge(fs, ""));
    std::set<std::string> untested = rules_of(all, built_in);
    TRY_ASSIGN(const std::vector<Path> cases, find_cases(fs, directory));
    CaseRunner runner(fs, directory, all.rules.framework.newest());
    CaseRun out;
    for (const Path& path : cases) {
        ++out.cases;
        for (const ApplyMode apply : {ApplyMode::safe, ApplyMode::review}) {
            if (apply == ApplyMode::review && !fs.exists(output_of_case(path, apply))) continue;
            TRY_ASSIGN(std::vector<std::string> problems, runner.run_case(path, apply));
            for (std::string& problem : problems) out.problems.push_back({path, std::move(problem)});
        }
        TRY_ASSIGN(const std::string text, base::read_file(fs, path));
        for (const std::string_view line : split_lines(text)) {
            for (const std::string& id : ids_behind(line, "expect")) untested.erase(id);
        }
    }
    out.untested.assign(untested.begin(), untested.end());
    return out;
}

}  // namespace migrator
