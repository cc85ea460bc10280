#include "migrator/app/record_path.h"

#include "base/write_file.h"
#include "migrator/review/project_lock.h"
#include "migrator/review/record.h"

namespace migrator {

base::Result<base::Path> record_path(base::FileSystem& fs, const Options& options, const base::Path& report_directory,
                                     const base::Path& root) {
    if (!options.review.record.empty()) return options.review.record;
    if (!report_directory.empty()) return free_record(fs, report_directory, options.output);
    TRY_ASSIGN(const auto tree, fs.beneath(root.empty() ? "." : root));
    const base::Path folder(kRecordFolder);
    TRY(tree->make_directories(folder));
    const base::Path ignore = base::join(folder, ".gitignore");
    if (!tree->exists(ignore)) TRY(base::write_file(*tree, ignore, "*\n"));
    return free_record(fs, root.empty() || root == "." ? folder : base::join(root, folder), options.output);
}

}  // namespace migrator
