#include "migrator/app/problem_files.h"

#include <utility>

#include "base/format.h"
#include "base/human.h"

namespace migrator {

using base::Path;

FindingOutcome file_finding(std::string rule, Severity severity, const Path& path, std::string message) {
    FindingOutcome outcome;
    outcome.finding.rule = std::move(rule);
    outcome.finding.kind = FindingKind::file;
    outcome.finding.severity = severity;
    outcome.finding.effort = usual_effort(severity);
    outcome.finding.subject = path;
    outcome.finding.message = std::move(message);
    return outcome;
}

ReportFile problem_file(const Path& path, FileType type, std::string rule, std::string message) {
    FileOutcome outcome;
    outcome.path = path;
    outcome.type = type;
    outcome.findings.push_back(file_finding(std::move(rule), Severity::error, path, std::move(message)));
    return make_report_file(std::move(outcome), {}, {});
}

std::string unreadable_message(const base::Error& error, bool copies) {
    return base::format("The file was {}: {}.", copies ? "neither analysed nor copied" : "not analysed", error.message);
}

void add_problem_files(const Project& project, bool copies, std::vector<ReportFile>& out) {
    for (const base::Error& error : project.files.unreadable) {
        Path path = error.where;
        const Path root = base::join(project.files.root, "");
        if (path.starts_with(root)) path = project.shown(path.substr(root.size()));
        out.push_back(problem_file(path, FileType::other, "file.unreadable", unreadable_message(error, copies)));
    }
    for (const FoundFile& file : project.files.files) {
        if (file.limit == 0) continue;
        out.push_back(problem_file(
            project.shown(file.path), file.type, "file.too_large",
            base::format("The file was not analysed: it has {}, and files of its kind are analysed up to {}. Keep data "
                         "apart from code, or migrate the code in it by hand.",
                         base::human_bytes(file.bytes), base::human_bytes(file.limit))));
    }
}

}  // namespace migrator
