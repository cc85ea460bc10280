#include "migrator/app/report_files.h"

#include <algorithm>

#include "migrator/report/formats.h"

namespace migrator {

base::Result<std::vector<std::string>> write_report_files(base::FileSystem& fs, const base::Path& directory,
                                                          const std::vector<std::string>& formats, const Report& report,
                                                          const base::DataStore& templates) {
    TRY(fs.make_directories(directory));
    std::vector<std::string> written;
    for (const Format& format : all_formats()) {
        const bool named = std::find(formats.begin(), formats.end(), format.name) != formats.end();
        if (!named && !(formats.empty() && format.by_default)) continue;
        for (const FormatFile& file : format.write(report, templates)) {
            const base::Path path = base::join(directory, file.path);
            TRY(fs.make_directories(base::parent(path)));
            TRY(base::write_file_atomically(fs, path, file.content));
        }
        written.push_back(base::join(directory, format.file));
    }
    return written;
}

}  // namespace migrator
