#include <algorithm>
#include <map>
#include <optional>

#include "base/format.h"
#include "base/sha256.h"
#include "migrator/edit/line_diff.h"
#include "migrator/review/changes.h"

namespace migrator {
namespace {

using base::Path;

// Where the bytes of unchanged lines have moved to.
class LineMap {
public:
    LineMap(std::string_view old_text, std::string_view new_text) {
        const auto old_lines = split_lines(old_text);
        const auto new_lines = split_lines(new_text);
        std::size_t offset = 0;
        std::size_t new_offset = 0;
        std::size_t at = 0;
        std::size_t new_at = 0;
        auto keep_up_to = [&](std::size_t end) {
            for (; at < end; ++at, ++new_at) {
                lines_.push_back({offset, offset + old_lines[at].size(), new_offset});
                offset += old_lines[at].size();
                new_offset += new_lines[new_at].size();
            }
        };
        for (const LineChange& change : diff_lines(old_lines, new_lines)) {
            keep_up_to(change.old_begin);
            for (; at < change.old_begin + change.old_count; ++at) offset += old_lines[at].size();
            for (; new_at < change.new_begin + change.new_count; ++new_at) new_offset += new_lines[new_at].size();
        }
        keep_up_to(old_lines.size());
    }

    // nullopt when a line that the range touches is not as it was, or other lines stand between them now.
    std::optional<base::ByteRange> moved(base::ByteRange range) const {
        auto line = std::partition_point(lines_.begin(), lines_.end(),
                                         [&](const Line& other) { return other.end <= range.begin; });
        // Behind the last line end of the text.
        if (line == lines_.end() && line != lines_.begin() && std::prev(line)->end == range.begin) --line;
        if (line == lines_.end() || line->begin > range.begin) return std::nullopt;
        const std::uint64_t shift = line->new_begin - line->begin;
        while (line->end < range.end) {
            const std::uint64_t end = line->end;
            if (++line == lines_.end() || line->begin != end || line->new_begin - line->begin != shift)
                return std::nullopt;
        }
        return base::ByteRange{range.begin + shift, range.end + shift};
    }

private:
    // An unchanged line with its end; the shift is modulo 2^64.
    struct Line {
        std::uint64_t begin;
        std::uint64_t end;
        std::uint64_t new_begin;
    };
    std::vector<Line> lines_;
};

// What is there of a recorded file now.
struct Current {
    bool exists = false;
    std::string bytes;
    std::uint32_t mode = 0644;
};

base::Result<Current> current(base::FileSystem& fs, const Path& path, const SavedFile& file) {
    Current out;
    out.mode = file.new_mode;
    out.exists = fs.exists(path);
    if (!out.exists) return out;
    TRY_ASSIGN(const base::FileInfo info, fs.info(path));
    out.mode = info.mode;
    TRY_ASSIGN(out.bytes, base::read_file(fs, path));
    return out;
}

void leave_out(const SavedFile& file, const std::string& id, const std::string& reason, Reapplied& out) {
    for (const SavedFinding& finding : file.findings) {
        if (finding.id == id)
            out.left_out.push_back({base::format("{}:{}", file.path, finding.line), finding.rule, reason});
    }
}

// Findings of which an edit has no place any more.
std::set<std::string> lost(const SavedFile& file, const LineMap& lines) {
    std::set<std::string> out;
    for (const SavedEdit& edit : file.edits) {
        if (!lines.moved(edit.bytes)) out.insert(edit.findings.begin(), edit.findings.end());
    }
    return out;
}

base::Status merge(const SavedFile& file, const std::string& original, const Current& now, Reapplied& out) {
    const LineMap lines(original, now.bytes);
    const std::set<std::string> gone = lost(file, lines);
    for (const std::string& id : gone) leave_out(file, id, "the lines have changed", out);
    FileChange change;
    change.file = file;
    change.mode = now.mode;
    change.original = now.bytes;
    std::erase_if(change.file.findings, [&](const SavedFinding& finding) { return gone.contains(finding.id); });
    std::set<std::string> kept;
    for (const SavedFinding& finding : change.file.findings) kept.insert(finding.id);
    change.file.edits = wanted_edits(file, kept);
    for (SavedEdit& edit : change.file.edits) edit.bytes = *lines.moved(edit.bytes);
    if (change.file.edits.empty()) return {};
    change.file.sha256 = base::sha256_hex(now.bytes);
    TRY_ASSIGN(change.content, bytes_after(change.file, change.file.edits, now.bytes));
    change.file.sha256_after = base::sha256_hex(change.content);
    out.findings += kept.size();
    out.changes.push_back(std::move(change));
    return {};
}

base::Status merge_new(const SavedFile& file, const Current& now, Reapplied& out) {
    FileChange change;
    change.file = file;
    change.mode = file.new_mode;
    TRY_ASSIGN(change.content, bytes_after(file, file.edits, {}));
    if (now.exists) {
        const bool same = now.bytes == change.content;
        for (const SavedFinding& finding : file.findings)
            leave_out(file, finding.id, same ? "the file is there already" : "another file has its name", out);
        return {};
    }
    out.findings += file.findings.size();
    out.changes.push_back(std::move(change));
    return {};
}

}  // namespace

base::Result<Reapplied> reapply(base::FileSystem& fs, const Path& record, const Path& root) {
    TRY_ASSIGN(const SavedReport applied, read_applied(fs, base::join(record, kAppliedName)));
    Reapplied out;
    out.root = root.empty() ? applied.root : root;
    for (std::size_t i = 0; i < applied.files.size(); ++i) {
        const SavedFile& file = applied.files[i];
        TRY_ASSIGN(const Current now, current(fs, path_on_disk(out.root, file.path), file));
        if (!file.sha256) {
            TRY(merge_new(file, now, out));
            continue;
        }
        const bool is_applied = now.exists && base::sha256_hex(now.bytes) == file.sha256_after;
        if (!now.exists || is_applied) {
            for (const SavedFinding& finding : file.findings)
                leave_out(file, finding.id, is_applied ? "it is applied already" : "the file is not there any more",
                          out);
            continue;
        }
        TRY_ASSIGN(const std::string original, read_original(fs, record, i, file));
        TRY(merge(file, original, now, out));
    }
    return out;
}

}  // namespace migrator
