#include "migrator/app/settings.h"

#include <optional>

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "base/format.h"
#include "migrator/app/path_checks.h"
#include "migrator/app/toml_depth.h"

namespace migrator {
namespace {

using base::ErrorKind;
using base::Path;

constexpr std::uint64_t kMaxSettingsBytes = 4 << 20;
constexpr const char* kFileName = "pyproject.toml";

std::string place(const Path& file, const toml::source_position& at) {
    return base::format("{}:{}:{}", file, at.line, at.column);
}

std::optional<std::string> word_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return base::format("{}", number->get());
    if (const auto* truth = node.as_boolean()) return std::string(truth->get() ? "true" : "false");
    return std::nullopt;
}

base::Result<Setting> setting_of(const Path& file, std::string key, const toml::node& node) {
    Setting out{std::move(key), {}, place(file, node.source().begin)};
    auto add = [&](const toml::node& item) -> base::Status {
        auto word = word_of(item);
        if (!word)
            return base::fail(
                ErrorKind::usage,
                base::format("\"{}\" must be a text, a whole number, true or false, or a list of them", out.key),
                out.where);
        out.values.push_back(std::move(*word));
        return {};
    };
    if (const toml::array* list = node.as_array()) {
        for (const toml::node& item : *list) TRY(add(item));
    } else {
        TRY(add(node));
    }
    return out;
}

// nullopt: the file has no such table.
base::Result<std::optional<Settings>> parse(base::FileSystem& fs, const Path& file) {
    auto text = base::read_file(fs, file, kMaxSettingsBytes);
    if (!text) return base::fail(ErrorKind::usage, "the settings cannot be read: " + text.error().message, file);
    // A file of somebody else's that cannot be read is no reason to stop.
    const bool is_asked = text->find("tool.migrator") != std::string::npos;
    if (const auto line = deep_toml_key(*text)) {
        if (!is_asked) return std::optional<Settings>{};
        return base::fail(ErrorKind::usage,
                          base::format("a key has more than {} parts; mend it, or leave the file out with --no-config",
                                       kMaxTomlKeyParts),
                          base::format("{}:{}", file, *line));
    }
    const toml::parse_result parsed = toml::parse(std::string_view(*text), file);
    if (!parsed) {
        if (!is_asked) return std::optional<Settings>{};
        return base::fail(ErrorKind::usage,
                          base::format("this is no TOML: {}; mend it, or leave it out with --no-config",
                                       parsed.error().description()),
                          place(file, parsed.error().source().begin));
    }
    const toml::table* table = parsed["tool"]["migrator"].as_table();
    if (table == nullptr) return std::optional<Settings>{};
    Settings out{file, {}};
    for (const auto& [key, node] : *table) {
        TRY_ASSIGN(Setting item, setting_of(file, std::string(key.str()), node));
        out.items.push_back(std::move(item));
    }
    return std::optional<Settings>{std::move(out)};
}

}  // namespace

base::Result<Settings> read_settings(base::FileSystem& fs, const Path& file) {
    TRY_ASSIGN(auto found, parse(fs, file));
    if (!found) return base::fail(ErrorKind::usage, "there is no table [tool.migrator] in it", file);
    return std::move(*found);
}

base::Result<Settings> find_settings(base::FileSystem& fs, const Path& path) {
    auto info = fs.info(path);
    const bool is_directory = info && info->kind == base::FileKind::directory;
    for (const Path& directory : directories_above(fs, is_directory ? path : base::parent(path))) {
        const Path file = directory == "." ? kFileName : base::join(directory, kFileName);
        if (!fs.exists(file)) continue;
        TRY_ASSIGN(auto found, parse(fs, file));
        if (found) return std::move(*found);
    }
    return Settings{};
}

}  // namespace migrator
