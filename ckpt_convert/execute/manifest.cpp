#include "ckpt_convert/execute/manifest.h"

#include <algorithm>
#include <charconv>

#include "base/format.h"
#include "base/json_object.h"
#include "base/json_writer.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

constexpr const char* kManifestSchema = "conversion-manifest/1";
constexpr std::uint64_t kMaxManifestBytes = 256u << 20;  // room for a million files

}  // namespace

ManifestFile manifest_entry(std::string path, std::string_view content) {
    return {std::move(path), content.size(), crc32(base::as_bytes(content))};
}

void write_manifest_file(const ManifestFile& file, base::JsonWriter& json) {
    json.begin_object().key("path").string(file.path).key("bytes").unsigned_integer(file.bytes);
    json.key("crc32").string(base::format("{:08x}", file.crc32)).end_object();
}

Result<ManifestFile> manifest_file_of(const JsonDocument& document, const Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json, ErrorKind::bad_input));
    ManifestFile out;
    TRY_ASSIGN(out.path, object.string("path"));
    TRY_ASSIGN(std::int64_t bytes, object.integer("bytes"));
    TRY_ASSIGN(std::string digits, object.string("crc32"));
    auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), out.crc32, 16);
    if (code != std::errc() || end != digits.data() + digits.size() || digits.size() != 8)
        return object.error("\"crc32\" must be 8 hexadecimal digits");
    if (bytes < 0) return object.error("\"bytes\" must not be negative");
    out.bytes = static_cast<std::uint64_t>(bytes);
    return out;
}

void write_manifest(const Manifest& manifest, base::JsonWriter& json) {
    std::vector<ManifestFile> files = manifest.files;
    std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
    json.begin_object().key("schema").string(kManifestSchema).key("tool").string(manifest.tool);
    json.key("conversion").string(manifest.conversion).key("from").string(manifest.from);
    json.key("to").string(manifest.to).key("family").string(manifest.family).key("files").begin_array();
    for (const ManifestFile& file : files) write_manifest_file(file, json);
    json.end_array().end_object();
}

std::string manifest_text(const Manifest& manifest) {
    base::JsonWriter json(1);
    write_manifest(manifest, json);
    return std::move(json).take() + "\n";
}

Result<Manifest> read_manifest(base::FileSystem& fs, const Path& path) {
    TRY_ASSIGN(std::string text, base::read_file(fs, path, kMaxManifestBytes));
    TRY_ASSIGN(JsonDocument document, base::parse_json(text, path));
    return manifest_of(document, document.root);
}

Result<Manifest> manifest_of(const JsonDocument& document, const Json& json) {
    TRY_ASSIGN(auto object, base::JsonObject::of(document, json, ErrorKind::bad_input));
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != kManifestSchema) return object.error(base::format("\"schema\" must be \"{}\"", kManifestSchema));
    Manifest out;
    TRY_ASSIGN(out.tool, object.string("tool"));
    TRY_ASSIGN(out.conversion, object.string("conversion"));
    TRY_ASSIGN(out.from, object.string("from"));
    TRY_ASSIGN(out.to, object.string("to"));
    TRY_ASSIGN(out.family, object.string("family"));
    TRY_ASSIGN(const Json* files, object.required("files"));
    if (files->array() == nullptr) return object.error(*files, "\"files\" must be a list");
    for (const Json& item : *files->array()) {
        TRY_ASSIGN(ManifestFile file, manifest_file_of(document, item));
        out.files.push_back(std::move(file));
    }
    return out;
}

}  // namespace ckpt
