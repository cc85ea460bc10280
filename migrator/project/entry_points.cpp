#include "migrator/project/entry_points.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"

namespace migrator {
namespace {

constexpr auto kTables =
    std::to_array<std::string_view>({"[project.scripts]", "[project.gui-scripts]", "[tool.poetry.scripts]",
                                     "[tool.poetry.plugins.\"console_scripts\"]"});
constexpr auto kExtras = std::to_array<std::string_view>({"[project.optional-dependencies]", "[tool.poetry.extras]"});
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

// Whether a line begins or goes on with the commands, for each of its lines in their order.
class Section {
public:
    explicit Section(bool is_toml) : is_toml_(is_toml) {}
    bool has(std::string_view line) {
        if (is_toml_) {
            if (line.starts_with('[')) inside_ = base::contains(kTables, line.substr(0, line.find(']') + 1));
            return inside_ && !line.starts_with('[');
        }
        const bool begins = line.find(kConsole) != line.npos;
        if (begins) inside_ = true;
        const bool was_inside = inside_;
        // The end of the list, or the next section.
        const std::size_t list = begins ? line.find(kConsole) : 0;
        if (line.find(']', list) != line.npos || (!begins && line.starts_with('['))) inside_ = false;
        return was_inside;
    }

private:
    bool is_toml_;
    bool inside_ = false;
};

}  // namespace

std::vector<EntryPoint> entry_points(const base::Path& file, std::string_view text) {
    const std::string_view name = base::file_name(file);
    std::vector<EntryPoint> out;
    if (name != kProject && name != "setup.cfg" && name != "setup.py") return out;
    const bool is_toml = name == kProject;
    Section section(is_toml);
    std::uint32_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = base::trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (!section.has(line)) continue;
        // "console_scripts": ["toy = toy.cli:main", "toy-eval = toy.eval:main"]
        if (const std::size_t list = line.find(kConsole); list != line.npos) line.remove_prefix(list + kConsole.size());
        if (is_toml) {
            if (auto point = entry_point(line, number)) out.push_back(std::move(*point));
            continue;
        }
        for (std::string_view part : base::split(line, ',')) {
            if (const std::size_t open = part.find_first_of("[("); open != part.npos) part.remove_prefix(open + 1);
            if (auto point = entry_point(base::trimmed(part, " \t\"'[]()}:="), number))
                out.push_back(std::move(*point));
        }
    }
    return out;
}

std::vector<std::string> package_extras(const base::Path& file, std::string_view text) {
    std::vector<std::string> out;
    if (base::file_name(file) != kProject) return out;
    bool inside = false;
    for (std::string_view line : base::split(text, '\n')) {
        line = base::trimmed(line);
        if (line.starts_with('[')) inside = base::contains(kExtras, line.substr(0, line.find(']') + 1));
        const std::size_t sign = line.find('=');
        if (!inside || sign == line.npos || !base::trimmed(line.substr(sign + 1)).starts_with('[')) continue;
        const std::string_view name = base::trimmed(line.substr(0, sign), " \t\"'");
        if (is_name(name, "-.")) out.emplace_back(name);
    }
    return out;
}

}  // namespace migrator
