#include "ckpt_convert/mapping/foreign_formats.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {
namespace {

// "4747" -> "GG".
Status to_bytes(const base::JsonPlace& at, std::string_view key, std::vector<std::string>& texts) {
    for (std::string& text : texts) {
        std::string bytes;
        for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
            constexpr std::string_view kDigits = "0123456789abcdef";
            std::size_t high = kDigits.find(text[i]), low = kDigits.find(text[i + 1]);
            if (high == kDigits.npos || low == kDigits.npos)
                return at.error(base::format("\"{}\" must be hexadecimal digits", key));
            bytes += static_cast<char>(high * kDigits.size() + low);
        }
        text = std::move(bytes);
    }
    return {};
}

struct ForeignFile : RuleFile<"foreign-formats/1"> {
    List<ForeignFormat> files;
    List<ForeignQuantisation> quantised;
};
constexpr auto record_of(const ForeignFile* file) {
    using base::field;
    return base::extended(record_of(static_cast<const RuleFile<"foreign-formats/1">*>(file)), "foreign_formats", "",
                          field("files", &ForeignFile::files, "checkpoints that are not read").needed(),
                          field("quantised", &ForeignFile::quantised, "quantised weights that are not read").needed());
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

Status ForeignFormat::check(const base::JsonPlace& at) {
    TRY(to_bytes(at, "begins", begins));
    return to_bytes(at, "begins_not", begins_not);
}

Result<ForeignFormats> ForeignFormats::load(const base::DataStore& store) {
    TRY_ASSIGN(ForeignFile file, base::read_rule_record<ForeignFile>(store, "rules/formats/foreign.json"));
    return ForeignFormats{std::move(file.files), std::move(file.quantised)};
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
