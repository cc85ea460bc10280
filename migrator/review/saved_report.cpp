#include "migrator/review/saved_report.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "base/format.h"
#include "base/json_object.h"
#include "base/json_writer.h"
#include "migrator/review/project_lock.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Json;
using base::JsonDocument;
using base::JsonObject;

constexpr std::string_view kReportSchema = "migrator-report/1";
constexpr std::string_view kAppliedSchema = "migrator-applied/1";

// The objects of a list; later versions of a schema may have more keys than we ask for.
base::Result<std::vector<JsonObject>> objects(JsonObject& parent, std::string_view key) {
    std::vector<JsonObject> out;
    TRY_ASSIGN(const Json* value, parent.required(key));
    if (value->array() == nullptr) return parent.error(*value, base::format("\"{}\" is not a list", key));
    for (const Json& item : *value->array()) {
        TRY_ASSIGN(JsonObject object, JsonObject::of(parent.document(), item, ErrorKind::bad_input));
        out.push_back(std::move(object));
    }
    return out;
}

base::Result<SavedFinding> finding_of(JsonObject object) {
    SavedFinding out;
    TRY_ASSIGN(out.id, object.string("id"));
    TRY_ASSIGN(out.rule, object.string("rule"));
    TRY_ASSIGN(out.severity, object.string("severity"));
    TRY_ASSIGN(out.state, object.string("state"));
    TRY_ASSIGN(out.subject, object.string("subject"));
    TRY_ASSIGN(out.together, object.strings("together"));
    TRY_ASSIGN(const Json* begin, object.required("begin"));
    TRY_ASSIGN(JsonObject place, JsonObject::of(object.document(), *begin, ErrorKind::bad_input));
    TRY_ASSIGN(const std::int64_t line, place.integer("line"));
    out.line = static_cast<std::uint64_t>(line);
    return out;
}

base::Result<SavedEdit> edit_of(JsonObject object, std::uint64_t after) {
    SavedEdit out;
    TRY_ASSIGN(const std::int64_t begin, object.integer("begin_byte"));
    TRY_ASSIGN(const std::int64_t end, object.integer("end_byte"));
    if (begin < 0 || static_cast<std::uint64_t>(begin) < after || end < begin)
        return object.error("the edits are not in order, or overlap");
    out.bytes = {static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
    TRY_ASSIGN(out.old_text, object.string("old_text"));
    TRY_ASSIGN(out.new_text, object.string("new_text"));
    TRY_ASSIGN(out.findings, object.strings("findings"));
    return out;
}

base::Status read_original(JsonObject& object, SavedFile& file) {
    const Json* original = object.optional("original");
    if (original == nullptr) return {};
    TRY_ASSIGN(JsonObject fields, JsonObject::of(object.document(), *original, ErrorKind::bad_input));
    TRY_ASSIGN(file.encoding, fields.string("encoding"));
    TRY_ASSIGN(const Json* sha256, fields.required("sha256"));
    if (sha256->is_null()) {
        TRY_ASSIGN(const std::int64_t mode, fields.integer("new_mode"));
        file.new_mode = static_cast<std::uint32_t>(mode) & 0777u;
        return {};
    }
    TRY_ASSIGN(file.sha256, fields.string("sha256"));
    return {};
}

base::Result<SavedFile> file_of(JsonObject object) {
    SavedFile out;
    TRY_ASSIGN(out.path, object.string("path"));
    TRY(read_original(object, out));
    TRY_ASSIGN(auto findings, objects(object, "findings"));
    for (JsonObject& item : findings) {
        TRY_ASSIGN(SavedFinding finding, finding_of(std::move(item)));
        out.findings.push_back(std::move(finding));
    }
    TRY_ASSIGN(auto edits, objects(object, "edits"));
    for (JsonObject& item : edits) {
        TRY_ASSIGN(SavedEdit edit, edit_of(std::move(item), out.edits.empty() ? 0 : out.edits.back().bytes.end));
        out.edits.push_back(std::move(edit));
    }
    if (object.optional("sha256_after") != nullptr) {
        TRY_ASSIGN(out.sha256_after, object.string("sha256_after"));
    }
    return out;
}

base::Result<SavedReport> read(base::FileSystem& fs, const base::Path& path, std::string_view schema) {
    TRY_ASSIGN(const std::string text, base::read_file(fs, path));
    TRY_ASSIGN(const base::JsonDocument document, base::parse_json(text, path));
    TRY_ASSIGN(JsonObject report, JsonObject::of(document, document.root, ErrorKind::bad_input));
    const Json* named = report.optional("schema");
    const std::string found = named != nullptr && named->string() != nullptr ? *named->string() : "none";
    if (found != schema)
        return base::fail(ErrorKind::bad_input,
                          base::format("this needs a file of the schema {}, and its schema is {}", schema, found),
                          path);
    SavedReport out;
    out.file = path;
    TRY_ASSIGN(out.root, report.string("root"));
    if (const Json* output = report.optional("output"); output != nullptr && !output->is_null()) {
        TRY_ASSIGN(out.output, report.string("output"));
    }
    if (report.optional("token") != nullptr) {
        TRY_ASSIGN(out.token, report.string("token"));
    }
    TRY_ASSIGN(auto files, objects(report, "files"));
    for (JsonObject& item : files) {
        TRY_ASSIGN(SavedFile file, file_of(std::move(item)));
        out.files.push_back(std::move(file));
    }
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
        if (!file.sha256 && part.starts_with('.')) return "would make a hidden file";
    }
    return {};
}

void write_strings(base::JsonWriter& json, const std::vector<std::string>& values) {
    json.begin_array();
    for (const std::string& value : values) json.string(value);
    json.end_array();
}

void write_finding(base::JsonWriter& json, const SavedFinding& finding) {
    json.begin_object();
    json.key("id").string(finding.id);
    json.key("rule").string(finding.rule);
    json.key("severity").string(finding.severity);
    json.key("state").string(finding.state);
    json.key("subject").string(finding.subject);
    json.key("begin").begin_object().key("line").unsigned_integer(finding.line).end_object();
    write_strings(json.key("together"), finding.together);
    json.end_object();
}

void write_edit(base::JsonWriter& json, const SavedEdit& edit) {
    json.begin_object();
    json.key("begin_byte").unsigned_integer(edit.bytes.begin);
    json.key("end_byte").unsigned_integer(edit.bytes.end);
    json.key("old_text").string(edit.old_text);
    json.key("new_text").string(edit.new_text);
    write_strings(json.key("findings"), edit.findings);
    json.end_object();
}

void write_file(base::JsonWriter& json, const SavedFile& file) {
    json.begin_object();
    json.key("path").string(file.path);
    json.key("original").begin_object();
    if (file.sha256) json.key("sha256").string(*file.sha256);
    else json.key("sha256").null().key("new_mode").unsigned_integer(file.new_mode);
    json.key("encoding").string(file.encoding).end_object();
    json.key("sha256_after").string(file.sha256_after);
    json.key("findings").begin_array();
    for (const SavedFinding& finding : file.findings) write_finding(json, finding);
    json.end_array();
    json.key("edits").begin_array();
    for (const SavedEdit& edit : file.edits) write_edit(json, edit);
    json.end_array();
    json.end_object();
}

}  // namespace

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

void applied_json(const SavedReport& applied, const base::TextSink& out) {
    base::JsonWriter json(out);
    json.begin_object();
    json.key("schema").string(kAppliedSchema);
    json.key("root").string(applied.root);
    if (applied.output.empty()) json.key("output").null();
    else json.key("output").string(applied.output);
    if (!applied.token.empty()) json.key("token").string(applied.token);
    json.key("files").begin_array();
    for (const SavedFile& file : applied.files) write_file(json, file);
    json.end_array();
    json.end_object();
    json.finish();
    out("\n");
}

}  // namespace migrator
