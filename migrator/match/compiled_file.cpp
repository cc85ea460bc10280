// The word "file": compiled code, which is known by its name and by names of libraries among its bytes, and sources in which
// nothing else is found.
#include <algorithm>

#include "base/file_system.h"
#include "migrator/match/matchers.h"

namespace migrator {

void match_named_file(const SourceFile& file, const MatchContext& context, FindingSink& sink) {
    const std::string_view name = base::file_name(file.path);
    for (const FileRow& row : context.rules->files) {
        const bool is_named = std::any_of(row.names.begin(), row.names.end(),
                                          [&](const std::string& pattern) { return fits(pattern, name); });
        const bool has_part =
            row.contains.empty() || std::any_of(row.contains.begin(), row.contains.end(), [&](const std::string& part) {
                return file.bytes().find(part) != file.bytes().npos;
            });
        if (is_named && has_part)
            sink.push_back(make_finding(*row.rule, {0, 0}, std::string(name), Certainty::likely, {}, {}, {}));
    }
}

}  // namespace migrator
