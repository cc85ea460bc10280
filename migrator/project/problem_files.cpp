#include "migrator/project/problem_files.h"

#include <utility>

#include "base/format.h"
#include "base/human.h"

namespace migrator {

using base::Path;

FindingOutcome file_finding(std::string rule, Severity severity, const Path& path, base::Message message) {
    FindingOutcome outcome;
    outcome.finding.rule = std::move(rule);
    outcome.finding.kind = FindingKind::file;
    outcome.finding.severity = severity;
    outcome.finding.effort = usual_effort(severity);
    outcome.finding.subject = path;
    outcome.finding.message = std::move(message);
    return outcome;
}

ReportFile problem_file(const Path& path, FileType type, std::string rule, base::Message message, Severity severity) {
    FileOutcome outcome;
    outcome.path = path;
    outcome.type = type;
    outcome.findings.push_back(file_finding(std::move(rule), severity, path, std::move(message)));
    return make_report_file(std::move(outcome), {}, {});
}

base::Message unreadable_message(const base::Error& error, bool copies) {
    return {copies ? "The file was neither analysed nor copied: {problem}." : "The file was not analysed: {problem}.",
            {{"problem", error.message}}};
}

void add_problem_files(const Project& project, bool copies, std::vector<ReportFile>& out) {
    for (const base::Error& error : project.files.unreadable) {
        Path path = error.where;
        const Path root = base::join(project.files.root, "");
        if (path.starts_with(root)) path = project.shown(path.substr(root.size()));
        out.push_back(problem_file(path, FileType::other, "file.unreadable", unreadable_message(error, copies)));
    }
    auto add_left_out = [&](const Path& path, std::string_view message) {
        out.push_back(problem_file(project.shown(path), FileType::other, "file.left_out", message, Severity::warning));
    };
    for (const LeftOutPath& item : project.files.left_out) {
        if (!item.has_code) continue;
        add_left_out(item.path,
                     copies
                         ? "Code here was neither analysed nor copied: a .gitignore excludes it, or a build has made "
                           "it. If the project needs it, name it with --include; if not, with --exclude."
                         : "Code here was not analysed: a .gitignore excludes it, or a build has made it. If the "
                           "project needs it, name it with --include; if not, with --exclude.");
    }
    for (const Path& path : project.files.packages_left_out) {
        add_left_out(path, copies ? "Packages here were neither analysed nor copied, and no environment is around "
                                    "them. If the project needs them, name them with --include; if not, with --exclude."
                                  : "Packages here were not analysed, and no environment is around them. If the "
                                    "project needs them, name them with --include; if not, with --exclude.");
    }
    for (const Path& path : project.files.too_large) {
        add_left_out(path, copies ? "Files of the project open what is in this directory, and it was not copied: a "
                                    ".gitignore excludes it, and it is large. Copy or link it to where the copy needs "
                                    "it, and name it with --exclude; or name it with --include."
                                  : "Files of the project open what is in this directory, and it is not analysed: a "
                                    ".gitignore excludes it, and it is large. Name it with --include or --exclude.");
    }
    for (const FoundFile& file : project.files.files) {
        if (file.limit == 0) continue;
        out.push_back(problem_file(
            project.shown(file.path), file.type, "file.too_large",
            {"The file was not analysed: it has {size}, and files of its kind are analysed up to {limit}. Keep data "
             "apart from code, or migrate the code in it by hand.",
             {{"size", base::human_bytes(file.bytes)}, {"limit", base::human_bytes(file.limit)}}}));
    }
}

}  // namespace migrator
