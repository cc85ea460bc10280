#include "migrator/review/saved_report.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/format.h"
#include "migrator/review/project_lock.h"

namespace migrator {
namespace {

using base::ErrorKind;
constexpr std::string_view kReportSchema = "migrator-report/1";
constexpr std::string_view kAppliedSchema = "migrator-applied/1";

base::Result<SavedReport> read(base::FileSystem& fs, const base::Path& path, std::string_view schema) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path));
    TRY_ASSIGN(const base::JsonDocument document, base::parse_json(text, path));
    const base::Json* named = document.root.find("schema");
    const std::string found = named != nullptr && named->string() != nullptr ? *named->string() : "none";
    if (document.root.object() != nullptr && found != schema)
        return base::fail(ErrorKind::bad_input,
                          base::format("this needs a file of the schema {}, and its schema is {}", schema, found),
                          path);
    TRY_ASSIGN(auto out, base::read_json<SavedReport>({document, document.root, {}, ErrorKind::bad_input, true}));
    out.file = path;
    return out;
}

std::vector<std::string> parts_of(const base::Path& path) {
    std::vector<std::string> out{""};
    for (const char c : path) {
        if (c == '/') out.emplace_back();
        else out.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    return out;
}

// Why nothing is written at the path of the file; empty when it may be.
std::string reason_against(const SavedFile& file, std::set<base::Path>& seen) {
    if (!base::stays_below(file.path)) return "names a path that leads out of the project";
    if (!seen.insert(file.path).second) return "names this path twice";
    for (const std::string& part : parts_of(file.path)) {
        // Also where letters of both cases are the same.
        if (part == ".git" || part.starts_with(kRecordFolder)) return base::format("names a path inside of {}", part);
        if (!file.original.sha256 && part.starts_with('.')) return "would make a hidden file";
    }
    return {};
}

}  // namespace

base::Status SavedOriginal::check(const base::JsonPlace&) {
    if (new_mode) *new_mode &= 0777u;
    return {};
}

base::Status SavedFile::check(const base::JsonPlace& at) const {
    std::uint64_t after = 0;
    for (std::size_t i = 0; i < edits.size(); ++i) {
        if (edits[i].begin_byte < after || edits[i].end_byte < edits[i].begin_byte)
            return at.at("edits", (*at.json.find("edits")->array())[i]).error("the edits are not in order, or overlap");
        after = edits[i].end_byte;
    }
    return {};
}

base::Status check_file_paths(const SavedReport& report) {
    std::set<base::Path> seen;
    for (const SavedFile& file : report.files) {
        const std::string reason = reason_against(file, seen);
        if (!reason.empty())
            return base::fail(ErrorKind::bad_input,
                              base::format("{} {}; nothing was written", base::file_name(report.file), reason),
                              file.path);
    }
    return {};
}

base::Status check_nothing_hidden(const SavedReport& report) {
    for (const SavedFile& file : report.files) {
        const bool is_hidden = file.path.starts_with('.') || file.path.find("/.") != file.path.npos;
        if (is_hidden && !file.edits.empty())
            return base::fail(ErrorKind::usage,
                              "this is a hidden file; name the project that it belongs to with --project", file.path);
    }
    return {};
}

base::Result<SavedReport> read_report(base::FileSystem& fs, const base::Path& path) {
    return read(fs, path, kReportSchema);
}

base::Result<SavedReport> read_applied(base::FileSystem& fs, const base::Path& path) {
    return read(fs, path, kAppliedSchema);
}

void applied_json(SavedReport applied, const base::TextSink& out) {
    applied.schema = kAppliedSchema;
    base::JsonWriter json(out);
    base::InJson<SavedReport>::write(json, applied);
    json.finish();
    out("\n");
}

}  // namespace migrator
