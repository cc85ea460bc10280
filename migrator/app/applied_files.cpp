#include "migrator/app/applied_files.h"

#include <algorithm>

#include "base/sha256.h"
#include "migrator/app/record_path.h"
#include "migrator/review/record.h"

namespace migrator {
namespace {

// The change of a file to a content with this hash.
FileChange applied_change(const ReportFile& file, std::string sha256_after) {
    FileChange out;
    out.file.path = file.path;
    if (!file.sha256.empty()) out.file.sha256 = file.sha256;
    out.file.sha256_after = std::move(sha256_after);
    out.file.new_mode = file.new_mode;
    out.file.encoding = file.encoding;
    std::set<std::string> made;
    for (const ReportFinding& item : file.findings) {
        const Finding& finding = item.outcome.finding;
        if (item.outcome.state != FixState::applied && !out.is_new()) continue;
        made.insert(item.id);
        out.file.findings.push_back({item.id, finding.rule, std::string(name(finding.severity)),
                                     std::string(name(item.outcome.state)), finding.subject, item.outcome.begin.line,
                                     item.together});
    }
    for (const ReportEdit& edit : file.edits) {
        const bool is_made = std::any_of(edit.findings.begin(), edit.findings.end(),
                                         [&](const std::string& id) { return made.contains(id); });
        if (is_made) out.file.edits.push_back({edit.bytes, edit.old_text, edit.new_text, edit.findings});
    }
    return out;
}

}  // namespace

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
        const bool is_new = i >= files_.size() && file.changed;
        if (is_new) {
            const std::string& content = file.edits.front().new_text;
            out.push_back(applied_change(file, base::sha256_hex(content)));
            out.back().content = content;
            out.back().mode = file.new_mode;
        }
        if (i >= files_.size() || !files_[i]) continue;
        Written& written = *files_[i];
        out.push_back(applied_change(file, std::move(written.sha256)));
        out.back().original = std::move(written.original);
        out.back().content = std::move(written.content);
        out.back().mode = written.mode;
    }
    return out;
}

base::Result<base::Path> write_sources(base::FileSystem& fs, const Options& options, const base::Path& root,
                                       const std::vector<FileChange>& changes) {
    if (changes.empty()) return base::Path{};
    if (!options.review.keep_record) {
        TRY(write_files(fs, root, changes));
        return base::Path{};
    }
    TRY_ASSIGN(const base::Path record, record_path(fs, options, options.report_directory, root));
    TRY(write_in_place(fs, root, changes, record));
    return record;
}

base::Status record_copy(base::FileSystem& fs, const Options& options, const base::Path& root,
                         const std::vector<FileChange>& changes) {
    if (changes.empty() || !options.review.keep_record) return {};
    TRY_ASSIGN(const base::Path record, record_path(fs, options, options.report_directory, root));
    auto written = write_record(fs, root, options.output, changes, record);
    if (!written)
        return base::fail_with_context(written.error(), "the migrated copy is complete, only its record is not");
    return {};
}

}  // namespace migrator
