#include "migrator/app/applied_files.h"

#include <algorithm>

#include "base/sha256.h"
#include "migrator/app/record_path.h"
#include "migrator/project/problem_files.h"
#include "migrator/review/record.h"

namespace migrator {

std::string bytes_after(const SourceFile& source, FileOutcome& outcome) {
    if (!outcome.changed()) return source.bytes();
    auto encoded = encode(source, outcome.rewritten);
    if (encoded) return std::move(*encoded);
    outcome.rewritten = outcome.original;
    outcome.edits.clear();
    for (FindingOutcome& item : outcome.findings) {
        if (item.state == FixState::applied) item.state = FixState::none;
    }
    outcome.findings.push_back(
        file_finding("file.encoding", Severity::error, outcome.path,
                     {"The rewritten text cannot be written, so the file was left as it is: {problem}.",
                      {{"problem", encoded.error().unescaped_text()}}}));
    return source.bytes();
}

FileChange WrittenFiles::change(const ReportFile& file, Written written) {
    FileChange out;
    out.original = std::move(written.original);
    out.content = std::move(written.content);
    out.mode = written.mode;
    out.file.path = file.path;
    if (file.sha256.empty()) out.file.original.new_mode = file.new_mode;
    else out.file.original.sha256 = file.sha256;
    out.file.sha256_after = std::move(written.sha256);
    out.file.original.encoding = file.encoding;
    std::set<std::string> made;
    for (const ReportFinding& item : file.findings) {
        const Finding& finding = item.outcome.finding;
        if (item.outcome.state != FixState::applied && !out.is_new()) continue;
        made.insert(item.id);
        out.file.findings.push_back({item.id,
                                     finding.rule,
                                     std::string(name(finding.severity)),
                                     std::string(name(item.outcome.state)),
                                     finding.subject,
                                     {item.outcome.begin.line},
                                     item.together});
    }
    for (const ReportEdit& edit : file.edits) {
        const bool is_made = std::any_of(edit.findings.begin(), edit.findings.end(),
                                         [&](const std::string& id) { return made.contains(id); });
        if (is_made)
            out.file.edits.push_back({edit.bytes.begin, edit.bytes.end, edit.old_text, edit.new_text, edit.findings});
    }
    return out;
}

void WrittenFiles::add(std::size_t number, const std::string& original, std::string content, std::uint32_t mode,
                       bool in_place) {
    files_[number] = {base::sha256_hex(content), mode};
    if (!in_place) return;
    files_[number]->original = original;
    files_[number]->content = std::move(content);
}

std::vector<FileChange> WrittenFiles::changes(const std::vector<ReportFile>& report) {
    std::vector<FileChange> out;
    for (std::size_t i = 0; i < report.size(); ++i) {
        const ReportFile& file = report[i];
        if (i < files_.size()) {
            if (files_[i]) out.push_back(change(file, std::move(*files_[i])));
        } else if (file.changed) {
            const std::string& content = file.edits.front().new_text;
            out.push_back(change(file, {base::sha256_hex(content), file.new_mode, {}, content}));
        }
    }
    return out;
}

base::Result<base::Path> write_sources(base::FileSystem& fs, const Options& options, const base::Path& root,
                                       const std::vector<FileChange>& changes,
                                       const std::function<base::Status()>& then) {
    base::Path record;
    if (changes.empty()) {
        TRY(then());
        return record;
    }
    if (options.review.keep_record) {
        TRY_ASSIGN(record, record_path(fs, options, options.report_directory, root));
    }
    TRY(write_in_place(fs, root, changes, options.include, record, then));
    return record;
}

base::Status record_copy(base::FileSystem& fs, const Options& options, const base::Path& root,
                         const std::vector<FileChange>& changes) {
    if (changes.empty() || !options.review.keep_record) return {};
    TRY_ASSIGN(const base::Path record, record_path(fs, options, options.report_directory, root));
    return write_record_of_copy(fs, root, options.output, changes, options.include, record);
}

}  // namespace migrator
