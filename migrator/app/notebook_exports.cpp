#include "migrator/app/notebook_exports.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/format.h"
#include "base/shell_word.h"
#include "base/text.h"

namespace migrator {
namespace {

// Where in the notebook something stands.
using CellLine = std::pair<std::size_t, std::size_t>;

struct CellAssignment {
    CellLine at;
    ScriptAssignment said;
};

template <typename Look>
void each_line(const CellText& code, const Look& look) {
    std::string_view text = code.text();
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const CellText::Place place = code.place(begin);
        look(begin, text.substr(begin, end - begin), CellLine{place.cell, place.line});
        begin = end + 1;
    }
}

CellAssignment in_cell(CellLine at, std::string_view name, std::string_view value, bool is_certain) {
    return {at,
            {std::string(name), base::shell_word(value), base::format("line {} of cell {}", at.second, at.first), true,
             is_certain}};
}

// NAME=value, NAME value; IPython puts in what $name and {name} stand for.
std::optional<CellAssignment> by_magic(CellLine at, std::string_view line) {
    const std::size_t end = line.find_first_of("= ");
    if (end == line.npos) return std::nullopt;
    const std::string_view value = base::trimmed(line.substr(end + 1));
    return in_cell(at, base::trimmed(line.substr(0, end)), value, value.find_first_of("${") == value.npos);
}

// os.environ["NAME"] = "value"
std::optional<CellAssignment> by_python(CellLine at, std::string_view line) {
    constexpr std::string_view kEnviron = "os.environ[";
    const std::string_view said = base::trimmed(line);
    if (!said.starts_with(kEnviron)) return std::nullopt;
    const std::size_t closing = said.find(']');
    const std::size_t sign = said.find('=', std::min(closing, said.size()));
    if (sign == said.npos || said.substr(sign).starts_with("==")) return std::nullopt;
    const std::string_view name = base::trimmed(said.substr(kEnviron.size(), closing - kEnviron.size()), "\"'");
    if (name.empty() || !std::ranges::all_of(name, base::is_word_char)) return std::nullopt;
    const std::string_view value = base::trimmed(said.substr(sign + 1));
    const std::size_t end = value.empty() ? value.npos : value.find(value.front(), 1);
    const bool is_text = end != value.npos && (value.front() == '"' || value.front() == '\'');
    const std::string_view behind = is_text ? base::trimmed(value.substr(end + 1)) : value;
    const bool is_certain = is_text && line.starts_with(kEnviron) && (behind.empty() || behind.front() == '#') &&
                            value.substr(0, end).find('\\') == value.npos;
    return in_cell(at, name, is_certain ? value.substr(1, end - 1) : "", is_certain);
}

}  // namespace

std::vector<ScriptAssignment> notebook_exports(const NotebookCode& code, std::string_view json, std::uint32_t line) {
    std::vector<CellAssignment> found;
    std::vector<std::pair<CellLine, std::string_view>> own;  // lines of the shell that are none of %env
    std::uint32_t number = 0;
    CellLine start;
    each_line(code.shell(), [&](std::size_t begin, std::string_view said, CellLine at) {
        if (++number > line) return;
        const auto in_json = code.shell().in_json({begin, begin + 1});
        const std::string_view before = base::trimmed(json.substr(0, in_json ? in_json->begin : 0));
        if (before.ends_with("%env") || before.ends_with("%set_env")) {
            if (auto one = by_magic(at, said)) found.push_back(std::move(*one));
        } else {
            own.emplace_back(at, said);
        }
        start = at;
    });
    if (own.empty()) return {};
    each_line(code.python(), [&](std::size_t, std::string_view said, CellLine at) {
        if (at >= start) return;
        if (auto one = by_python(at, said)) found.push_back(std::move(*one));
    });
    std::ranges::stable_sort(found, {}, &CellAssignment::at);
    std::vector<ScriptAssignment> out;
    for (CellAssignment& one : found) out.push_back(std::move(one.said));
    // Each line behind `!` has a shell of its own.
    const bool is_own_shell = own.back().second.starts_with('!');
    std::string script;
    std::uint32_t lines = 0;
    for (const auto& [at, said] : own) {
        if (at.first != start.first || (is_own_shell && at != start)) continue;
        script += base::format("{}\n", is_own_shell ? said.substr(1) : said);
        ++lines;
    }
    for (ScriptAssignment& one : script_exports(script, lines)) {
        one.place = base::format("cell {}", start.first);
        out.push_back(std::move(one));
    }
    return out;
}

}  // namespace migrator
