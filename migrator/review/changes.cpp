#include "migrator/review/changes.h"

#include "base/format.h"
#include "base/sha256.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

base::Result<FileChange> change_of(base::FileSystem& tree, const SavedFile& file, const Path& root,
                                   const std::set<std::string>& findings) {
    FileChange out;
    out.file = file;
    out.file.edits = wanted_edits(file, findings);
    out.mode = file.original.mode();
    std::erase_if(out.file.findings, [&](const SavedFinding& finding) { return !findings.contains(finding.id); });
    if (out.file.edits.empty()) return out;
    const Path& path = file.path;
    const Path shown = root.empty() || root == "." ? path : base::join(root, path);
    if (out.is_new() && tree.exists(path))
        return base::fail(ErrorKind::bad_input,
                          "the report would write this file, and it exists already; nothing was written", shown);
    if (!out.is_new()) {
        if (!tree.exists(path))
            return base::fail(ErrorKind::bad_input,
                              "the file is not there: name the directory of the sources with --project, or make the "
                              "report again. Nothing was written",
                              shown);
        TRY_ASSIGN(out.original, base::read_file(tree, path));
        TRY_ASSIGN(const base::FileInfo info, tree.info(path));
        out.mode = info.mode & base::kPermissionBits;
        if (base::sha256_hex(out.original) != *file.original.sha256)
            return base::fail(ErrorKind::bad_input,
                              "the file has changed since the report was made; make the report again, the ids of the "
                              "decisions stay. Nothing was written",
                              shown);
    }
    TRY_ASSIGN(out.content, bytes_after(out.file, out.file.edits, out.original));
    out.file.sha256_after = base::sha256_hex(out.content);
    return out;
}

}  // namespace

base::Result<std::vector<FileChange>> changes_of(base::FileSystem& tree, const SavedReport& report, const Path& root,
                                                 const std::set<std::string>& findings) {
    TRY(check_file_paths(report));
    std::vector<FileChange> out;
    for (const SavedFile& file : report.files) {
        TRY_ASSIGN(FileChange change, change_of(tree, file, root, findings));
        if (!change.file.edits.empty()) out.push_back(std::move(change));
    }
    return out;
}

}  // namespace migrator
