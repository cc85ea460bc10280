#include "migrator/match/text_file.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/match/matchers.h"

namespace migrator {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Where the comment of a line begins: at a '#' behind a blank and outside quotes.
std::size_t comment_start(std::string_view line, FileType type) {
    if (type == FileType::json) return line.size();
    std::size_t first = line.find_first_not_of(" \t");
    if (first != line.npos && line[first] == '#') return first;
    if ((type == FileType::setup_cfg || type == FileType::ini) && first != line.npos && line[first] == ';')
        return first;
    if (type == FileType::dockerfile) return line.size();  // there it is a comment at the start only
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        char c = line[i];
        if (c == '\\' && quote != '\'') {
            ++i;
        } else if (quote != 0) {
            if (c == quote) quote = 0;
        } else if (c == '"' || c == '\'') {
            // An apostrophe inside a word is none: don't
            if (i == 0 || !base::is_word_char(line[i - 1])) quote = c;
        } else if (c == '#' && i > 0 && is_blank(line[i - 1])) {
            return i;
        }
    }
    return line.size();
}

// "#SBATCH --gres=gpu:8": a comment for the shell, an option for the one that starts the script.
bool is_read_by_scheduler(std::string_view line, const ScriptPlaces& places) {
    return std::any_of(places.directives.begin(), places.directives.end(), [&](const std::string& directive) {
        return line.starts_with(directive) && line.substr(directive.size()).starts_with(' ');
    });
}

bool joins_word(char c) { return base::is_word_char(c) || c == '-'; }

}  // namespace

TextFile read_text_file(const SourceFile& file, std::string_view text, const RuleSet& rules) {
    return read_text_part(file.path, file.type, text, 0, rules);
}

TextFile read_text_part(std::string_view path, FileType type, std::string_view text, std::uint64_t offset,
                        const RuleSet& rules) {
    TextFile out{path, type, &rules, {}};
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t end = std::min(text.find_first_of("\r\n", begin), text.size());
        std::string_view line = text.substr(begin, end - begin);
        const bool is_directive = type == FileType::shell && is_read_by_scheduler(line, rules.script_places);
        out.lines.push_back({offset + begin, is_directive ? line : line.substr(0, comment_start(line, type))});
        begin = end + (text.substr(end).starts_with("\r\n") ? 2 : 1);
    }
    return out;
}

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

void match_text_words(const TextFile& file, FindingSink& sink) {
    for (const TextRow& row : file.rules->texts) {
        if (!base::contains(row.files, name(file.type))) continue;
        for (const TextLine& line : file.lines) {
            for (const std::string& word : row.words) {
                for (std::size_t at : find_word(line.code, word)) {
                    std::string subject(thing_around(line.code, at, at + word.size()));
                    sink.push_back(make_finding(*row.rule, line.range(at, at + word.size()), std::move(subject),
                                                Certainty::likely, {}, {}, {}));
                }
            }
        }
    }
}

void match_text_file(const SourceFile& source, std::string_view text, const MatchContext& context, FindingSink& sink) {
    TextFile file = read_text_file(source, text, *context.rules);
    match_text_words(file, sink);
    match_text_packages(file, sink);
    if (source.type == FileType::requirements) return;
    match_text_environment(file, sink);
    match_text_values(file, sink);
}

}  // namespace migrator
