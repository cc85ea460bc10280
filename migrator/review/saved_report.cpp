#include "migrator/review/saved_report.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/format.h"
#include "base/quoted_name.h"
#include "migrator/review/project_lock.h"
#include "migrator/source/text_codec.h"

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

// Paths of files that are there, which the report changes and knows by their hash.
std::set<base::Path> changed_paths(const SavedReport& report) {
    std::set<base::Path> out;
    for (const SavedFile& file : report.files) {
        if (file.original.sha256 && !file.edits.empty()) out.insert(file.path);
    }
    return out;
}

bool is_hidden(std::string_view path) { return path.starts_with('.') || path.find("/.") != path.npos; }

// What a hidden directory holds is the project's where a file below it is known; a name that is hidden itself is of no file
// that we make.
bool would_hide(const base::Path& path, const std::set<base::Path>& changed) {
    if (!is_hidden(path)) return false;
    const base::Path directory = base::join(base::parent(path), "");
    const auto known = changed.lower_bound(directory);
    return base::file_name(path).starts_with('.') || known == changed.end() || !known->starts_with(directory);
}

// Why nothing is written at the path of the file; empty when it may be.
std::string reason_against(const SavedFile& file, const std::set<base::Path>& changed, std::set<base::Path>& seen) {
    if (!base::stays_below(file.path)) return "names a path that leads out of the project";
    if (!seen.insert(file.path).second) return "names this path twice";
    for (const std::string& part : parts_of(file.path)) {
        // Also where letters of both cases are the same.
        if (part == ".git" || part.starts_with(kRecordFolder)) return base::format("names a path inside of {}", part);
    }
    return !file.original.sha256 && would_hide(file.path, changed) ? "would make a hidden file" : "";
}

}  // namespace

base::Status SavedOriginal::check(const base::JsonPlace& at) {
    if (canonical_encoding(encoding) != encoding)
        return at.at("encoding", *at.json.find("encoding"))
            .error(base::format("\"original.encoding\" is not an encoding that is known: {}",
                                base::quoted_name(encoding)));
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
    const std::set<base::Path> changed = changed_paths(report);
    std::set<base::Path> seen;
    for (const SavedFile& file : report.files) {
        // Of a report, a file without edits is one with findings only; a record has what was changed.
        if (file.edits.empty() && report.schema == kReportSchema) continue;
        const std::string reason = reason_against(file, changed, seen);
        if (!reason.empty())
            return base::fail(ErrorKind::bad_input,
                              base::format("{} {}; nothing was written", base::file_name(report.file), reason),
                              file.path);
    }
    return {};
}

base::Status check_edits_inside(const SavedFile& file, std::uint64_t bytes) {
    if (file.edits.empty() || file.edits.back().end_byte <= bytes) return {};
    return base::fail(ErrorKind::bad_input, "an edit of the report lies outside of the file", file.path);
}

base::Status check_nothing_hidden(const std::vector<const SavedFile*>& changed, bool knows_bytes) {
    const auto is_known = [](const SavedFile* file) { return file->original.sha256 && !is_hidden(file->path); };
    if (knows_bytes && std::ranges::any_of(changed, is_known)) return {};
    for (const SavedFile* file : changed) {
        if (is_hidden(file->path))
            return base::fail(ErrorKind::usage,
                              "this is a hidden file; name the project that it belongs to with --project", file->path);
    }
    return {};
}

base::Status SavedReport::check(const base::JsonPlace& at) const {
    // Each is compared with each path of the project.
    constexpr std::size_t kMaxPatterns = 1000;
    return include.size() <= kMaxPatterns
               ? base::Status()
               : at.error(base::format("\"include\" has more than {} patterns", kMaxPatterns));
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
