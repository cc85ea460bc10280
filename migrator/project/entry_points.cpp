#include "migrator/project/entry_points.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "base/text.h"

namespace migrator {
namespace {

constexpr auto kTables =
    std::to_array<std::string_view>({"project.scripts", "project.gui-scripts", "project.entry-points.console_scripts",
                                     "tool.poetry.scripts", "tool.poetry.plugins.console_scripts"});
constexpr auto kExtras = std::to_array<std::string_view>({"project.optional-dependencies", "tool.poetry.extras"});
constexpr std::string_view kConsole = "console_scripts";
constexpr std::string_view kProject = "pyproject.toml";

bool is_name(std::string_view text, std::string_view others) {
    return !text.empty() &&
           std::ranges::all_of(text, [&](char c) { return base::is_word_char(c) || others.find(c) != others.npos; });
}

// "toy = toy.cli:main", with quotes or without
std::optional<EntryPoint> entry_point(std::string_view text, std::uint32_t line) {
    const std::size_t sign = text.find('=');
    if (sign == text.npos) return std::nullopt;
    const std::string_view command = base::trimmed(text.substr(0, sign), " \t\"'");
    const std::string_view object = base::trimmed(text.substr(sign + 1), " \t\r\"',");
    const std::string_view module = object.substr(0, object.find(':'));
    const std::string_view function = module.size() < object.size() ? object.substr(module.size() + 1) : "";
    if (!is_name(command, "-.") || !is_name(module, ".")) return std::nullopt;
    return EntryPoint{std::string(command), std::string(module), std::string(function), line};
}

// Of TOML, line by line: what stands in one of some tables, however its keys are spelled: below a header, with dots, or
// between braces.
class TomlTables {
public:
    explicit TomlTables(std::span<const std::string_view> tables) : tables_(tables) {}

    // "toy = ..." for each key of the tables that begins in this line.
    std::vector<std::string_view> keys_of(std::string_view line) {
        if (line.starts_with('[')) {
            header_ = spelled(line.substr(1, line.find(']') - 1)) + ".";
            return {};
        }
        const std::size_t sign = line.find('=');
        if (sign == line.npos) return {};
        const std::string key = header_ + spelled(line.substr(0, sign));
        const std::string_view value = base::trimmed(line.substr(sign + 1));
        for (const std::string_view table : tables_) {
            if (key == table && value.starts_with('{')) return base::split(base::trimmed(value, " \t{}"), ',');
            if (!key.starts_with(table) || !std::string_view(key).substr(table.size()).starts_with('.')) continue;
            // What stands before the last name is not part of it: "scripts." of `scripts.toy = ...`.
            const std::size_t before = header_.size() > table.size() ? 0 : line.substr(0, sign).rfind('.') + 1;
            return {line.substr(before)};
        }
        return {};
    }

private:
    // Without blanks and quotes.
    static std::string spelled(std::string_view key) {
        std::string out;
        for (const char c : key) {
            if (c != ' ' && c != '\t' && c != '"' && c != '\'') out += c;
        }
        return out;
    }

    std::span<const std::string_view> tables_;
    std::string header_;  // "project.scripts."
};

// Whether a line of setup.py or setup.cfg begins or goes on with the commands, for each of its lines in their order.
class Section {
public:
    bool has(std::string_view line) {
        const bool begins = line.find(kConsole) != line.npos;
        if (begins) inside_ = true;
        const bool was_inside = inside_;
        // The end of the list, or the next section.
        const std::size_t list = begins ? line.find(kConsole) : 0;
        if (line.find(']', list) != line.npos || (!begins && line.starts_with('['))) inside_ = false;
        return was_inside;
    }

private:
    bool inside_ = false;
};

// In setup.py and setup.cfg: "console_scripts": ["toy = toy.cli:main", "toy-eval = toy.eval:main"]
std::vector<std::string_view> listed_in(std::string_view line) {
    if (const std::size_t list = line.find(kConsole); list != line.npos) line.remove_prefix(list + kConsole.size());
    std::vector<std::string_view> out;
    for (std::string_view part : base::split(line, ',')) {
        if (const std::size_t open = part.find_first_of("[("); open != part.npos) part.remove_prefix(open + 1);
        out.push_back(base::trimmed(part, " \t\"'[]()}:="));
    }
    return out;
}

}  // namespace

std::vector<EntryPoint> entry_points(const base::Path& file, std::string_view text) {
    const std::string_view name = base::file_name(file);
    std::vector<EntryPoint> out;
    if (name != kProject && name != "setup.cfg" && name != "setup.py") return out;
    TomlTables tables(kTables);
    Section section;
    std::uint32_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = base::trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        std::vector<std::string_view> parts;
        if (name == kProject) parts = tables.keys_of(line);
        else if (section.has(line)) parts = listed_in(line);
        for (const std::string_view part : parts) {
            if (auto point = entry_point(part, number)) out.push_back(std::move(*point));
        }
    }
    return out;
}

std::vector<std::string> package_extras(const base::Path& file, std::string_view text) {
    std::vector<std::string> out;
    if (base::file_name(file) != kProject) return out;
    TomlTables tables(kExtras);
    for (const std::string_view line : base::split(text, '\n')) {
        for (const std::string_view part : tables.keys_of(base::trimmed(line))) {
            const std::size_t sign = part.find('=');
            const std::string_view name = base::trimmed(part.substr(0, sign), " \t\"'");
            const bool is_list = sign != part.npos && base::trimmed(part.substr(sign + 1)).starts_with('[');
            if (is_list && is_name(name, "-.")) out.emplace_back(name);
        }
    }
    return out;
}

}  // namespace migrator
