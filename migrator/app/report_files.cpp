#include "migrator/app/report_files.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/report/formats.h"

namespace migrator {

base::Result<std::optional<base::FileSet>> staged_report(base::FileSystem& fs, const Options& options,
                                                         const Report& report, const base::DataStore& templates,
                                                         std::vector<std::string>& written) {
    if (options.report_directory.empty()) return std::optional<base::FileSet>();
    TRY_ASSIGN(auto files, base::FileSet::begin(fs, options.report_directory, base::FileSet::Place::any));
    for (const Format& format : all_formats()) {
        const bool named = base::contains(options.formats, format.name);
        if (!named && !(options.formats.empty() && format.by_default)) continue;
        if (format.text) {
            TRY(files.add(format.file, [&](const base::TextSink& out) { format.text(report, templates, out); }));
        } else {
            for (const NamedText& file : format.folder(report))
                TRY(files.add(base::join(format.file, file.path), file.text));
        }
        written.push_back(base::join(options.report_directory, format.file));
    }
    return std::optional(std::move(files));
}

}  // namespace migrator
