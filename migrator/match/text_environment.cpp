#include "base/text.h"
#include "migrator/match/text_file.h"
#include "migrator/match/variables.h"

namespace migrator {
namespace {

bool is_script(FileType type) { return type == FileType::shell || type == FileType::dockerfile; }

// NAME=..., $NAME, ${NAME...}, `export NAME`, `unset NAME`, `-x NAME`: where a script sets or reads the variable.
bool is_used_in_script(std::string_view line, std::size_t from, std::size_t to, const ScriptPlaces& places) {
    if (to < line.size() && (line[to] == '=' || line.substr(to).starts_with("+="))) return true;
    std::string_view before = line.substr(0, from);
    if (before.ends_with('$') || before.ends_with("${") || before.ends_with("${#") || before.ends_with("${!"))
        return true;
    while (before.ends_with(' ') || before.ends_with('\t')) before.remove_suffix(1);
    for (std::string_view command : {"export", "unset", "ENV", "ARG"}) {
        bool whole = before.ends_with(command) && (before.size() == command.size() ||
                                                   !base::is_word_char(before[before.size() - command.size() - 1]));
        if (whole) return true;
    }
    // mpirun -x NAME
    const std::string_view option = before.substr(before.find_last_of(base::kBlanks) + 1);
    return base::contains(places.variable_options, option);
}

// A key, or a whole value: `NAME: "0"`, `"NAME": "0"`, `name: NAME`, `- NAME=0`.
bool is_used_in_settings(std::string_view line, std::size_t from, std::size_t to) {
    constexpr std::string_view kBefore = " \t\"'-:[{,";
    constexpr std::string_view kAfter = " \t\"':=,]}";
    return (from == 0 || kBefore.find(line[from - 1]) != kBefore.npos) &&
           (to == line.size() || kAfter.find(line[to]) != kAfter.npos);
}

// NAME=value, ENV NAME value, NAME: "value"; nullopt without one, and for what is put together when it runs.
std::optional<VariableUse::Value> value_behind(const TextLine& line, std::size_t to, bool is_script) {
    std::string_view rest = line.code.substr(to);
    if (!is_script && !rest.empty() && (rest.front() == '"' || rest.front() == '\'')) rest.remove_prefix(1);
    if (!is_script) rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const bool is_env = is_script && base::trimmed(line.code).starts_with("ENV ") && rest.starts_with(' ');
    const bool is_set = !rest.empty() && (rest.front() == '=' || (!is_script && rest.front() == ':'));
    if (!is_env && !is_set) return std::nullopt;
    rest.remove_prefix(1);
    if (!is_script || is_env) rest = rest.substr(std::min(rest.find_first_not_of(" \t"), rest.size()));
    if (rest.empty()) return std::nullopt;
    const bool is_quoted = rest.front() == '"' || rest.front() == '\'';
    const std::size_t begin = is_quoted ? 1 : 0;
    std::size_t end = is_quoted ? rest.find(rest.front(), 1)
                                : std::min(rest.find_first_of(is_script ? " \t;&|)" : " \t,}\"'"), rest.size());
    if (end == rest.npos) return std::nullopt;
    const std::string_view value = rest.substr(begin, end - begin);
    if (value.empty() || value.find_first_of("$`{") != value.npos) return std::nullopt;
    const auto at = static_cast<std::size_t>(value.data() - line.code.data());
    return VariableUse::Value{std::string(value), line.range(at, at + value.size())};
}

}  // namespace

void match_text_environment(const TextFile& file, FindingSink& sink) {
    for (const TextLine& line : file.lines) {
        for (std::size_t from = 0; from < line.code.size();) {
            std::size_t to = from;
            while (to < line.code.size() && base::is_word_char(line.code[to])) ++to;
            if (to == from) {
                ++from;
                continue;
            }
            std::string_view name = line.code.substr(from, to - from);
            if (file.rules->knows_variable(name)) {
                bool used = is_script(file.type) ? is_used_in_script(line.code, from, to, file.rules->script_places)
                                                 : is_used_in_settings(line.code, from, to);
                // Whether the program that reads an .ini file passes it on as a variable is not known.
                used &= file.type != FileType::ini;
                VariableUse use{std::string(name), line.range(from, to), line.range(from, to)};
                use.certainty = used ? Certainty::likely : Certainty::textual;
                if (used) use.value = value_behind(line, to, is_script(file.type));
                match_variable(*file.rules, use, sink);
            }
            from = to;
        }
    }
}

}  // namespace migrator
