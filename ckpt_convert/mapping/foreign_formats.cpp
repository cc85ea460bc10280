#include "ckpt_convert/mapping/foreign_formats.h"

#include <algorithm>

#include "base/format.h"
#include "base/json_object.h"
#include "base/rule_file.h"
#include "base/text.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::FileKind;
using base::Json;
using base::JsonDocument;
using base::JsonObject;
using base::Path;
using base::Result;
using base::Status;

constexpr const char* kForeignFile = "rules/formats/foreign.json";
constexpr const char* kForeignSchema = "foreign-formats/1";

// "4747" -> "GG".
Result<std::vector<std::string>> byte_strings(JsonObject& object, const char* key) {
    TRY_ASSIGN(auto texts, object.strings(key));
    for (std::string& text : texts) {
        std::string bytes;
        for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
            constexpr std::string_view kDigits = "0123456789abcdef";
            std::size_t high = kDigits.find(text[i]), low = kDigits.find(text[i + 1]);
            if (high == kDigits.npos || low == kDigits.npos)
                return object.error(base::format("\"{}\" must be hexadecimal digits", key));
            bytes += static_cast<char>(high * kDigits.size() + low);
        }
        text = std::move(bytes);
    }
    return texts;
}

Result<ForeignFormat> read_foreign_format(JsonObject& object) {
    ForeignFormat out;
    TRY_ASSIGN(out.name, object.string("name"));
    TRY_ASSIGN(out.files, object.strings("files"));
    TRY_ASSIGN(out.without, object.strings("without"));
    TRY_ASSIGN(out.begins, byte_strings(object, "begins"));
    TRY_ASSIGN(out.begins_not, byte_strings(object, "begins_not"));
    TRY_ASSIGN(out.read_by, object.string("read_by"));
    TRY(object.strings("source"));
    TRY(object.finish());
    return out;
}

Result<ForeignQuantisation> read_foreign_quantisation(JsonObject& object) {
    ForeignQuantisation out;
    TRY_ASSIGN(out.name, object.string("name"));
    TRY_ASSIGN(out.config, object.string("config"));
    TRY_ASSIGN(out.values, object.strings("values"));
    TRY_ASSIGN(out.read_by, object.string("read_by"));
    TRY(object.strings("source"));
    TRY(object.finish());
    return out;
}

template <class Entry>
Status read_entries(JsonObject& object, const char* key, Result<Entry> (*read)(JsonObject&), std::vector<Entry>& out) {
    TRY_ASSIGN(const Json* list, object.required(key));
    if (list->array() == nullptr) return object.error(*list, base::format("\"{}\" must be a list", key));
    for (const Json& json : *list->array()) {
        TRY_ASSIGN(JsonObject entry, JsonObject::of(object.document(), json));
        TRY_ASSIGN(Entry one, read(entry));
        out.push_back(std::move(one));
    }
    return {};
}

bool begins_as_needed(base::FileSystem& fs, const ForeignFormat& format, const Path& path) {
    if (format.begins.empty() && format.begins_not.empty()) return true;
    auto file = fs.open(path);
    if (!file) return false;
    std::string start(std::min<std::uint64_t>((*file)->size(), 16), '\0');
    if (!(*file)->read_at(0, std::as_writable_bytes(std::span(start.data(), start.size())))) return false;
    auto begins_with = [&](const std::string& bytes) { return start.starts_with(bytes); };
    return (format.begins.empty() || std::any_of(format.begins.begin(), format.begins.end(), begins_with)) &&
           std::none_of(format.begins_not.begin(), format.begins_not.end(), begins_with);
}

bool is_of(base::FileSystem& fs, const ForeignFormat& format, const Path& path) {
    bool stands_alone = std::none_of(format.without.begin(), format.without.end(), [&](const std::string& name) {
        return fs.exists(base::join(base::parent(path), name));
    });
    return stands_alone && begins_as_needed(fs, format, path);
}

// The first file below `directory` that has a path of the format.
std::optional<Path> find_file(base::FileSystem& fs, const ForeignFormat& format, const Path& directory,
                              std::string_view pattern) {
    const std::size_t slash = pattern.find('/');
    auto entries = fs.list(directory);
    if (!entries) return std::nullopt;
    for (const auto& entry : *entries) {
        if (!matches_pattern(pattern.substr(0, slash), entry.name)) continue;
        Path path = base::join(directory, entry.name);
        if (slash == pattern.npos) {
            if (entry.kind != FileKind::directory && is_of(fs, format, path)) return path;
        } else if (entry.kind == FileKind::directory) {
            if (auto found = find_file(fs, format, path, pattern.substr(slash + 1))) return found;
        }
    }
    return std::nullopt;
}

std::optional<Path> recognised_file(base::FileSystem& fs, const ForeignFormat& format, const Path& path,
                                    FileKind kind) {
    for (const std::string& pattern : format.files) {
        if (kind == FileKind::directory) {
            if (auto found = find_file(fs, format, path, pattern)) return found;
        } else if (matches_pattern(std::string_view(pattern).substr(pattern.rfind('/') + 1), base::file_name(path)) &&
                   is_of(fs, format, path)) {
            return path;
        }
    }
    return std::nullopt;
}

tl::unexpected<base::Error> not_read(const std::string& name, const std::string& read_by, const std::string& where) {
    return base::fail(ErrorKind::unsupported,
                      base::format("this is of the format {}, which is not read; {}", name, read_by), where);
}

}  // namespace

Result<ForeignFormats> ForeignFormats::load(const base::DataStore& store) {
    TRY_ASSIGN(JsonDocument document, base::read_rule_file(store, kForeignFile));
    TRY_ASSIGN(JsonObject object, JsonObject::of(document, document.root));
    TRY_ASSIGN(std::string schema, object.string("schema"));
    if (schema != kForeignSchema) return object.error(base::format("\"schema\" must be \"{}\"", kForeignSchema));
    ForeignFormats out;
    TRY(read_entries(object, "files", read_foreign_format, out.files));
    TRY(read_entries(object, "quantised", read_foreign_quantisation, out.quantised));
    TRY(object.finish());
    return out;
}

Status ForeignFormats::refuse(base::FileSystem& fs, const Path& path) const {
    auto info = fs.info(path);
    if (!info) return {};
    for (const ForeignFormat& format : files) {
        if (auto found = recognised_file(fs, format, path, info->kind))
            return not_read(format.name, format.read_by, *found);
    }
    return {};
}

Status ForeignFormats::refuse_quantised(const JsonDocument& config) const {
    for (const ForeignQuantisation& one : quantised) {
        const Json* said = config.root.find_path(one.config);
        if (said == nullptr || said->string() == nullptr || !base::contains(one.values, *said->string())) continue;
        return not_read(one.name, one.read_by, config.where(*said));
    }
    return {};
}

}  // namespace ckpt
