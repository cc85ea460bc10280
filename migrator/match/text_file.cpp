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
    while (to < line.size() && kEnds.find(line[to]) == kEnds.npos) ++to;
    return line.substr(from, to - from);
}

std::size_t behind_command(const TextCommand& command, std::string_view named) {
    const std::vector<std::string_view>& words = command.words;
    const std::size_t blank = named.find(' ');
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

void match_text(const TextFile& file, FindingSink& sink) {
    match_text_words(file, sink);
    match_text_packages(file, sink);
    if (file.type == FileType::requirements) return;
    match_text_environment(file, sink);
    match_text_values(file, sink);
    match_text_names(file, sink);
    match_text_settings(file, sink);
    keep_whole(file, sink);
}

void match_text_file(const SourceFile& source, std::string_view text, const MatchContext& context, FindingSink& sink) {
    const RuleSet& rules = *context.rules;
    match_text({source.path, source.type, &rules, context.value_ends,
                read_text(source.type, text, rules.script_places.directives)},
               sink);
}

}  // namespace migrator
