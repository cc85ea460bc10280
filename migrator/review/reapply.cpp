#include "migrator/review/reapply.h"

#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/sha256.h"
#include "migrator/edit/moved_edits.h"
#include "migrator/review/record.h"
#include "migrator/source/discovery.h"
#include "migrator/source/source_file.h"
#include "migrator/source/text_codec.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {
namespace {

using base::Path;

// What there is of a recorded file now.
struct Current {
    bool exists = false;
    std::string bytes;
    std::uint32_t mode = 0644;
};

base::Result<Current> current(base::FileSystem& tree, const SavedFile& file) {
    Current out;
    out.mode = file.original.mode();
    out.exists = tree.exists(file.path);
    if (!out.exists) return out;
    TRY_ASSIGN(out.bytes, base::read_file(tree, file.path));
    TRY_ASSIGN(const base::FileInfo info, tree.info(file.path));
    out.mode = info.mode & base::kPermissionBits;
    return out;
}

void leave_out(const SavedFile& file, const SavedFinding& finding, const std::string& reason, Reapplied& out) {
    out.left_out.push_back({base::format("{}:{}", file.path, finding.begin.line), finding.rule, reason});
}

void leave_out_all(const SavedFile& file, const std::string& reason, Reapplied& out) {
    for (const SavedFinding& finding : file.findings) leave_out(file, finding, reason, out);
}

// Findings that cannot be made any more, with the reason: an edit of theirs is lost, or a finding that they go with.
std::map<std::string, std::string> lost_findings(const SavedFile& file, const std::vector<MovedEdit>& moved) {
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        if (moved[i].state != MovedEdit::State::lost) continue;
        for (const std::string& id : file.edits[i].findings) out.emplace(id, moved[i].reason);
    }
    for (bool grows = true; grows;) {
        grows = false;
        for (const SavedFinding& finding : file.findings) {
            const auto other = std::find_if(finding.together.begin(), finding.together.end(),
                                            [&](const std::string& id) { return out.contains(id); });
            if (other == finding.together.end() || out.contains(finding.id)) continue;
            out.emplace(finding.id, base::format("it goes with another finding: {}", out[*other]));
            grows = true;
        }
    }
    return out;
}

std::set<std::string> findings_with_edits_of(const SavedFile& file) {
    std::set<std::string> out;
    for (const SavedEdit& edit : file.edits) out.insert(edit.findings.begin(), edit.findings.end());
    return out;
}

// Findings of which an edit is still to be made.
std::set<std::string> findings_to_make(const SavedFile& file, const std::vector<MovedEdit>& moved) {
    std::set<std::string> out;
    for (std::size_t i = 0; i < moved.size(); ++i) {
        if (moved[i].state == MovedEdit::State::fits)
            out.insert(file.edits[i].findings.begin(), file.edits[i].findings.end());
    }
    return out;
}

bool parses(const Path& path, const std::string& bytes) {
    const SourceFile source = make_source_file(path, FileType::python, bytes);
    return !source.problem && !SyntaxTree::parse(source.text).has_errors();
}

// Where the edit's own text would be put twice, or into the middle of something, only the parser can tell.
bool breaks_syntax(const Path& path, const std::string& before, const std::string& after) {
    return file_type_of(path) == FileType::python && parses(path, before) && !parses(path, after);
}

base::Result<std::vector<Edit>> encoded_edits(const SavedFile& file) {
    std::vector<Edit> out;
    for (const SavedEdit& edit : file.edits) {
        TRY_ASSIGN(std::string text, encode_text(edit.new_text, file.original.encoding));
        out.push_back({edit.bytes(), std::move(text)});
    }
    return out;
}

base::Status merge(const SavedFile& file, const std::string& original, const Current& now, Reapplied& out) {
    TRY(check_edits_inside(file, original.size()));
    TRY_ASSIGN(const std::vector<Edit> edits, encoded_edits(file));
    const std::vector<MovedEdit> moved = moved_edits(original, edits, now.bytes);
    const std::map<std::string, std::string> lost = lost_findings(file, moved);
    const std::set<std::string> with_edits = findings_with_edits_of(file);  // others follow an edit and need none
    const std::set<std::string> to_make = findings_to_make(file, moved);
    FileChange change;
    change.file = file;
    change.file.findings.clear();
    change.file.edits.clear();
    change.mode = now.mode;
    change.original = now.bytes;
    std::set<std::string> kept;
    for (const SavedFinding& finding : file.findings) {
        if (const auto reason = lost.find(finding.id); reason != lost.end()) {
            leave_out(file, finding, reason->second, out);
        } else if (!to_make.contains(finding.id)) {
            if (with_edits.contains(finding.id)) leave_out(file, finding, "it is in the file already", out);
        } else {
            kept.insert(finding.id);
            change.file.findings.push_back(finding);
        }
    }
    for (std::size_t i = 0; i < moved.size(); ++i) {
        const auto& owners = file.edits[i].findings;
        const bool wanted =
            std::any_of(owners.begin(), owners.end(), [&](const std::string& id) { return kept.contains(id); });
        if (!wanted || moved[i].state != MovedEdit::State::fits) continue;
        change.file.edits.push_back(file.edits[i]);
        change.file.edits.back().begin_byte = moved[i].range.begin;
        change.file.edits.back().end_byte = moved[i].range.end;
    }
    if (change.file.edits.empty()) return {};
    change.file.original.sha256 = base::sha256_hex(now.bytes);
    TRY_ASSIGN(change.content, bytes_after(change.file, change.file.edits, now.bytes));
    if (breaks_syntax(file.path, now.bytes, change.content)) {
        leave_out_all(change.file, "the merged file would not parse", out);
        return {};
    }
    change.file.sha256_after = base::sha256_hex(change.content);
    out.findings += kept.size();
    out.changes.push_back(std::move(change));
    return {};
}

base::Status merge_new(const SavedFile& file, const Current& now, Reapplied& out) {
    FileChange change;
    change.file = file;
    change.mode = file.original.mode();
    TRY_ASSIGN(change.content, bytes_after(file, file.edits, {}));
    if (now.exists) {
        leave_out_all(file, now.bytes == change.content ? "the file is there already" : "another file has its name",
                      out);
        return {};
    }
    out.findings += file.findings.size();
    out.changes.push_back(std::move(change));
    return {};
}

}  // namespace

base::Result<Reapplied> reapply(base::FileSystem& fs, const Path& record, const Path& root) {
    TRY_ASSIGN(const SavedReport applied, read_record(fs, record));
    TRY_ASSIGN(const auto tree, fs.beneath(root));
    Reapplied out;
    for (std::size_t i = 0; i < applied.files.size(); ++i) {
        const SavedFile& file = applied.files[i];
        TRY_ASSIGN(const Current now, current(*tree, file));
        if (!file.original.sha256) {
            TRY(merge_new(file, now, out));
        } else if (!now.exists) {
            leave_out_all(file, "the file is not there any more", out);
        } else if (base::sha256_hex(now.bytes) == file.sha256_after) {
            leave_out_all(file, "it has been applied already", out);
        } else {
            TRY_ASSIGN(const std::string original, read_original(fs, record, i, file));
            TRY(merge(file, original, now, out));
        }
    }
    return out;
}

}  // namespace migrator
