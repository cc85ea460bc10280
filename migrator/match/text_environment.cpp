#include "migrator/match/text_file.h"

#include "base/text.h"

namespace migrator {
namespace {

bool is_script(FileType type) { return type == FileType::shell || type == FileType::dockerfile; }

// NAME=..., $NAME, ${NAME...}, `export NAME`, `unset NAME`: where a script sets or reads the variable.
bool is_used_in_script(std::string_view line, std::size_t from, std::size_t to) {
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
    return false;
}

// A key, or a whole value: `NAME: "0"`, `"NAME": "0"`, `name: NAME`, `- NAME=0`.
bool is_used_in_settings(std::string_view line, std::size_t from, std::size_t to) {
    constexpr std::string_view kBefore = " \t\"'-:[{,";
    constexpr std::string_view kAfter = " \t\"':=,]}";
    return (from == 0 || kBefore.find(line[from - 1]) != kBefore.npos) &&
           (to == line.size() || kAfter.find(line[to]) != kAfter.npos);
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
            if (const EnvironmentRow* row = file.rules->environment_row(name)) {
                bool used = is_script(file.type) ? is_used_in_script(line.code, from, to)
                                                 : is_used_in_settings(line.code, from, to);
                Finding finding = make_finding(*row->rule, line.range(from, to), std::string(name),
                                               used ? Certainty::likely : Certainty::textual, row->to.value_or(""),
                                               row->note, row->source);
                finding.effort = row->effort;
                if (row->same_values) finding.fix = Fix{{{line.range(from, to), *row->to}}, {}};
                sink.push_back(std::move(finding));
            }
            from = to;
        }
    }
}

}  // namespace migrator
