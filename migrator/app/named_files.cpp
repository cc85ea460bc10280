#include "migrator/app/named_files.h"

#include "base/missing_path.h"
#include "migrator/app/options.h"
#include "migrator/review/project_lock.h"
#include "migrator/review/record.h"

namespace migrator {
namespace {

using base::Path;

Path report_directory_of(const Path& output) { return base::normal_path(output) + std::string(kReportSuffix); }

}  // namespace

Path named_report(base::FileSystem& fs, const Path& path) {
    if (!base::is_directory(fs, path)) return path;
    for (const Path& directory : {path, report_directory_of(path)}) {
        const Path report = base::join(directory, "report.json");
        if (fs.exists(report)) return report;
    }
    return base::join(path, "report.json");
}

base::Result<Path> named_record(base::FileSystem& fs, const Path& path) {
    if (!fs.exists(path)) return tl::unexpected(base::missing_path(fs, path));
    if (is_record(fs, path)) return path;
    for (const Path& directory : {path, base::join(path, kRecordFolder), report_directory_of(path)}) {
        if (const auto record = newest_record(fs, directory)) return *record;
    }
    return base::fail(
        base::ErrorKind::bad_input,
        "there is no record of applied edits in it; was it undone already? Otherwise name the directory that "
        "`migrate` or `apply` has printed",
        path);
}

}  // namespace migrator
