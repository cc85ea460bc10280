#include "migrator/app/record_path.h"

#include "migrator/review/record.h"

namespace migrator {
namespace {

constexpr std::string_view kIgnoreFile = ".gitignore";

}  // namespace

base::Result<base::Path> record_path(base::FileSystem& fs, const Options& options, const base::Path& report_directory,
                                     const base::Path& root) {
    if (!options.review.record.empty()) return options.review.record;
    if (!report_directory.empty()) return free_record(fs, report_directory, options.output);
    const base::Path folder = root == "." ? base::Path(kRecordFolder) : base::join(root, kRecordFolder);
    TRY(fs.make_directories(folder));
    const base::Path ignore = base::join(folder, kIgnoreFile);
    if (!fs.exists(ignore)) TRY(base::write_file_atomically(fs, ignore, "*\n"));
    return free_record(fs, folder, options.output);
}

base::Status remove_empty_record_folder(base::FileSystem& fs, const base::Path& record) {
    const base::Path folder = base::parent(record);
    if (base::file_name(folder) != kRecordFolder) return {};
    TRY_ASSIGN(const auto entries, fs.list(folder));
    if (entries.size() == 1 && entries.front().name == kIgnoreFile) return base::remove_tree(fs, folder);
    return {};
}

}  // namespace migrator
