#include "ckpt_convert/execute/finished_files.h"

#include <algorithm>

#include "base/json_object.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "ckpt_convert/execute/file_scan.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

Result<std::uint64_t> count_of(base::JsonObject& object, const char* key) {
    TRY_ASSIGN(const std::int64_t count, object.integer(key));
    if (count < 0) return object.error("a count must not be negative");
    return static_cast<std::uint64_t>(count);
}

Result<CastReport> cast_report_of(const JsonDocument& document, const Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json, ErrorKind::bad_input));
    CastReport out;
    TRY_ASSIGN(out.tensor, object.string("tensor"));
    TRY_ASSIGN(out.losses.overflowed, count_of(object, "overflowed"));
    TRY_ASSIGN(out.losses.underflowed, count_of(object, "underflowed"));
    return out;
}

Status remove_others_below(base::FileSystem& fs, const Path& directory, const std::string& prefix,
                           const std::vector<std::string>& kept) {
    TRY_ASSIGN(const auto entries, fs.list(directory));
    for (const base::DirectoryEntry& entry : entries) {
        const Path path = base::join(directory, entry.name);
        const std::string relative = prefix + entry.name;
        const auto inside = std::lower_bound(kept.begin(), kept.end(), relative + "/");
        const bool holds_kept = inside != kept.end() && inside->starts_with(relative + "/");
        if (entry.kind == FileKind::directory && holds_kept) {
            TRY(remove_others_below(fs, path, relative + "/", kept));
        } else if (!std::binary_search(kept.begin(), kept.end(), relative)) {
            TRY(base::remove_tree(fs, path));
        }
    }
    return {};
}

}  // namespace

std::string to_line(const FinishedFile& finished) {
    base::JsonWriter json(0);
    json.begin_object().key("file");
    write_manifest_file(finished.file, json);
    json.key("losses").begin_array();
    for (const CastReport& report : finished.losses) {
        json.begin_object().key("tensor").string(report.tensor);
        json.key("overflowed").unsigned_integer(report.losses.overflowed);
        json.key("underflowed").unsigned_integer(report.losses.underflowed).end_object();
    }
    json.end_array().end_object();
    return std::move(json).take();
}

Result<FinishedFile> finished_of_line(const std::string& line, const Path& journal) {
    TRY_ASSIGN(const JsonDocument document, base::parse_json(line, journal));
    TRY_ASSIGN(auto object, base::JsonObject::of(document, document.root, ErrorKind::bad_input));
    FinishedFile out;
    TRY_ASSIGN(const Json* file, object.required("file"));
    TRY_ASSIGN(out.file, manifest_file_of(document, *file));
    if (!base::stays_below(out.file.path)) return object.error("\"path\" leads out of the output directory");
    TRY_ASSIGN(const Json* losses, object.required("losses"));
    if (losses->array() == nullptr) return object.error(*losses, "\"losses\" must be a list");
    for (const Json& item : *losses->array()) {
        TRY_ASSIGN(CastReport report, cast_report_of(document, item));
        out.losses.push_back(std::move(report));
    }
    return out;
}

Result<bool> is_whole(base::FileSystem& fs, const Path& directory, const ManifestFile& file,
                      const std::function<void(std::uint64_t bytes)>& progress) {
    const Path path = base::join(directory, file.path);
    if (!fs.exists(path)) return false;
    TRY_ASSIGN(const base::FileInfo info, fs.link_info(path));
    if (info.kind != FileKind::regular || info.bytes != file.bytes) return false;
    TRY_ASSIGN(const auto opened, fs.open(path));
    std::uint32_t crc = 0;
    ScanRange whole{0, file.bytes, [&](base::ByteSpan bytes) { crc = crc32(bytes, crc); }};
    TRY(scan_file(*opened, {std::move(whole)}, progress));
    return crc == file.crc32;
}

Status remove_others(base::FileSystem& fs, const Path& directory, const std::vector<std::string>& kept) {
    return remove_others_below(fs, directory, "", kept);
}

}  // namespace ckpt
