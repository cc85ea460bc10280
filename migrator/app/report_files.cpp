#include "migrator/app/report_files.h"

#include <algorithm>

#include "base/new_directories.h"
#include "base/text.h"
#include "base/write_file.h"
#include "migrator/report/formats.h"

namespace migrator {

base::Result<std::vector<std::string>> write_report_files(base::FileSystem& fs, const base::Path& directory,
                                                          const std::vector<std::string>& formats, const Report& report,
                                                          const base::DataStore& templates) {
    TRY_ASSIGN(auto made, base::NewDirectories::make(fs, directory));
    TRY(base::remove_unfinished(fs, directory));
    std::vector<std::string> written;
    for (const Format& format : all_formats()) {
        const bool named = base::contains(formats, format.name);
        if (!named && !(formats.empty() && format.by_default)) continue;
        const base::Path path = base::join(directory, format.file);
        if (format.text) {
            TRY(base::write_file(fs, path, [&](const base::TextSink& out) { format.text(report, templates, out); }));
        } else {
            TRY(fs.make_directories(path));
            for (const NamedText& file : format.folder(report))
                TRY(base::write_file(fs, base::join(directory, file.path), file.text));
        }
        made.keep();
        written.push_back(path);
    }
    return written;
}

}  // namespace migrator
