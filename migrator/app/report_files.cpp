#include "migrator/app/report_files.h"

namespace migrator {

base::Result<std::vector<std::string>> write_report_files(base::FileSystem& fs, const base::Path& directory,
                                                          const ReportFormats& formats, const Report& report,
                                                          std::string_view template_html) {
    TRY(fs.make_directories(directory));
    std::vector<std::string> written;
    auto write = [&](std::string_view name, const std::string& content) -> base::Status {
        base::Path path = base::join(directory, name);
        TRY(base::write_file_atomically(fs, path, content));
        written.push_back(std::move(path));
        return {};
    };
    if (formats.html) TRY(write("report.html", report_html(report, template_html)));
    if (formats.json) TRY(write("report.json", report_json(report)));
    if (formats.diff) TRY(write("report.diff", report_diff(report)));
    return written;
}

}  // namespace migrator
