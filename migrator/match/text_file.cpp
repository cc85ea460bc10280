#include "migrator/match/text_file.h"

#include <algorithm>

#include "base/file_system.h"
#include "base/text.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

bool joins_word(char c) { return base::is_word_char(c) || c == '-'; }

// Scripts of every kind are spoken of as those of a shell.
std::string_view name_in_rules(FileType type) {
    return type == FileType::script || type == FileType::makefile ? name(FileType::shell) : name(type);
}

std::string note_of(const TextRow& row, Version version) {
    const auto found =
        std::ranges::find_if(row.notes, [&](const VersionNote& note) { return note.versions.contains(version); });
    return found == row.notes.end() ? std::string() : found->note;
}

// $NAME and ${NAME}, which a shell replaces before Python reads the text, as names of the same size.
void name_variables(std::string& code) {
    for (std::size_t at = code.find('$'); at != code.npos; at = code.find('$', at + 1)) {
        std::size_t end = at + 1;
        const bool is_in_brackets = end < code.size() && code[end] == '{';
        if (is_in_brackets) ++end;
        while (end < code.size() && base::is_word_char(code[end])) ++end;
        if (!is_in_brackets) code[at] = '_';
        else if (end < code.size() && code[end] == '}') code[at] = code[at + 1] = code[end] = '_';
    }
}

// python -c "...", python - <<EOF: read as Python is, and left as it is.
void match_python_pieces(const TextFile& file, const MatchContext& context, FindingSink& sink) {
    for (const std::string_view piece : file.contents.python) {
        // In quotes of a shell, a backslash in front of one more quote is none of the program.
        std::string code(piece);
        for (std::size_t at = code.find("\\\""); at != code.npos; at = code.find("\\\"", at)) code[at] = ' ';
        FindingSink found;
        if (SyntaxTree::parse(code).has_errors()) {
            name_variables(code);
            if (SyntaxTree::parse(code).has_errors()) continue;
        }
        match_python(file.path, code, context, false, found);
        const std::uint64_t begin = file.contents.place(piece).begin;
        for (Finding& finding : found) {
            finding.range = {begin + finding.range.begin, begin + finding.range.end};
            finding.certainty = Certainty::textual;
            leave_in_text(finding);
            sink.push_back(std::move(finding));
        }
    }
}

}  // namespace

std::vector<std::size_t> find_word(std::string_view line, std::string_view word) {
    std::vector<std::size_t> out;
    for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
        std::size_t end = at + word.size();
        bool joined = (at > 0 && joins_word(line[at - 1]) && base::is_word_char(word.front())) ||
                      (end < line.size() && joins_word(line[end]) && base::is_word_char(word.back()));
        if (!joined) out.push_back(at);
    }
    return out;
}

std::string_view thing_around(std::string_view line, std::size_t from, std::size_t to) {
    constexpr std::string_view kEnds = " \t\"'`()[]{}<>;|&=,";
    while (from > 0 && kEnds.find(line[from - 1]) == kEnds.npos) --from;
    while (to < line.size() && kEnds.find(line[to]) == kEnds.npos) {
        // ${NAME}
        const std::size_t close = line.substr(to).starts_with("${") ? line.find('}', to) : line.npos;
        to = close == line.npos ? to + 1 : close + 1;
    }
    return line.substr(from, to - from);
}

std::size_t behind_command(const TextCommand& command, std::string_view named) {
    const std::vector<std::string_view>& words = command.words;
    const std::size_t blank = named.find(' ');
    if (blank == named.npos) return !words.empty() && fits(named, base::file_name(words.front())) ? 1 : 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (!fits(named.substr(0, blank), base::file_name(words[i]))) continue;
        std::size_t next = i + 1;
        while (next < words.size() && words[next].starts_with('-')) ++next;
        if (next < words.size() && words[next] == named.substr(blank + 1)) return next + 1;
    }
    return 0;
}

void match_text_words(const TextFile& file, FindingSink& sink) {
    for (const TextRow& row : file.rules->texts) {
        if (!base::contains(row.files, name_in_rules(file.type))) continue;
        const std::string note = note_of(row, file.rules->version);
        for (const std::string_view line : file.contents.code) {
            for (const std::string& word : row.words) {
                for (const std::size_t at : find_word(line, word)) {
                    std::string subject(thing_around(line, at, at + word.size()));
                    const bool is_other = std::ranges::any_of(
                        row.unless_with, [&](const std::string& part) { return subject.find(part) != subject.npos; });
                    if (is_other) continue;
                    sink.push_back(make_finding(*row.rule, file.contents.place(line.substr(at, word.size())),
                                                std::move(subject), Certainty::likely, {}, note, {}));
                }
            }
        }
    }
}

// `setting`
void match_text_settings(const TextFile& file, FindingSink& sink) {
    const TextContents& contents = file.contents;
    for (const SettingRow& row : file.rules->settings) {
        const std::vector<KeyId> within = contents.keys_right_below(row.within);
        for (const TextSetting& setting : contents.settings) {
            const KeyId key = setting.key;
            if (key == kNoKey || !base::contains(row.keys, contents.keys[key].name)) continue;
            const bool is_named =
                (row.values.empty() || base::contains(row.values, setting.text)) &&
                (row.under.empty() || base::contains(row.under, contents.name_of(contents.keys[key].parent))) &&
                (row.within.empty() || within[key] != kNoKey);
            if (is_named)
                sink.push_back(make_finding(*row.rule, contents.place(setting.text), std::string(setting.text),
                                            Certainty::likely, {}, {}, {}));
        }
    }
}

// `command`
void match_text_commands(const TextFile& file, FindingSink& sink) {
    for (const TextCommand& command : file.contents.commands) {
        for (const CommandRow& row : file.rules->commands) {
            std::size_t first = 0;
            for (const std::string& program : row.programs) first = std::max(first, behind_command(command, program));
            for (std::size_t i = first; first > 0 && i < command.words.size(); ++i) {
                const std::string_view word = command.words[i];
                const bool is_named = std::ranges::any_of(row.words, [&](const std::string& pattern) {
                    return fits(pattern, word) || fits(pattern, base::file_name(word));
                });
                if (is_named)
                    sink.push_back(make_finding(*row.rule, file.contents.place(word), std::string(word),
                                                Certainty::likely, {}, {}, {}));
            }
        }
    }
}

void match_text(const TextFile& file, FindingSink& sink) {
    match_text_words(file, sink);
    match_text_packages(file, sink);
    if (file.type == FileType::requirements) return;
    match_text_environment(file, sink);
    match_text_values(file, sink);
    match_text_names(file, sink);
    match_text_settings(file, sink);
    match_text_commands(file, sink);
    keep_whole(file, sink);
    leave_siblings(file, sink);
}

void match_text_file(const SourceFile& source, std::string_view text, const MatchContext& context, FindingSink& sink) {
    const RuleSet& rules = *context.rules;
    const TextFile file{source.path, source.type, &rules, context.value_ends,
                        read_text(source.type, text, rules.script_places.directives)};
    match_text(file, sink);
    match_python_pieces(file, context, sink);
}

}  // namespace migrator
