#include <algorithm>

#include "base/text.h"
#include "migrator/match/text_file.h"
#include "migrator/match/value_form.h"

namespace migrator {
namespace {

struct Scalar {
    std::size_t from, to;
};

bool is_quote(char c) { return c == '"' || c == '\''; }

// The scalar that [from, to) is in: up to its quotes, or to blanks and brackets.
Scalar scalar_around(std::string_view line, std::size_t from, std::size_t to) {
    constexpr std::string_view kStarts = " \t\"'=[{(";
    while (from > 0 && kStarts.find(line[from - 1]) == kStarts.npos) {
        // `device:cuda` is a key and its value as well
        if (line[from - 1] == ':' && from >= 2 && !base::is_word_char(line[from - 2])) break;
        --from;
    }
    bool quoted = from > 0 && is_quote(line[from - 1]);
    // A field of a format is a part of it: cuda:{rank}
    if (!quoted && line.substr(to).starts_with(":{")) to = std::min(line.find('}', to), line.size() - 1) + 1;
    while (to < line.size() && (quoted ? line[to] != line[from - 1]
                                       : std::string_view(" \t]})\"'\\;").find(line[to]) == std::string_view::npos))
        ++to;
    if (!quoted && to > from && line[to - 1] == ',') --to;
    return {from, to};
}

// The key or option that stands in front of a value: `device: `, `"device": `, `--device `, `--device=`, `DEVICE=`,
// `"--device", `. Empty when there is none.
std::string_view name_in_front(std::string_view line, std::size_t from) {
    std::string_view before = line.substr(0, from);
    auto strip = [&](std::string_view what) {
        while (!before.empty() && what.find(before.back()) != what.npos) before.remove_suffix(1);
    };
    strip("\"'");
    bool blank = before.ends_with(' ') || before.ends_with('\t');
    strip(" \t");
    bool assigned = before.ends_with(':') || before.ends_with('=');
    bool listed = before.ends_with(',');
    if (assigned || listed) before.remove_suffix(1);
    strip(" \t\"'");
    std::size_t begin = before.size();
    while (begin > 0 && (base::is_word_char(before[begin - 1]) || before[begin - 1] == '-' || before[begin - 1] == '.'))
        --begin;
    std::string_view name = before.substr(begin);
    bool option = name.starts_with("--");
    if (!assigned && !(option && (blank || listed))) return {};
    while (name.starts_with('-')) name.remove_prefix(1);
    return name.substr(name.rfind('.') + 1);
}

void match_value(const TextLine& line, const ValueRow& row, Scalar scalar, FindingSink& sink) {
    std::string_view text = line.code.substr(scalar.from, scalar.to - scalar.from);
    std::vector<ValueToken> tokens = value_tokens(text, row);
    if (tokens.empty() || !row.is_carrier(name_in_front(line.code, scalar.from))) return;
    Finding finding = make_finding(*row.rule, line.range(scalar.from, scalar.to), std::string(text), Certainty::likely,
                                   replaced(text, tokens), {}, {});
    const bool is_renamed = row.replace_by.empty() && !row.rule->at_run_time;
    if (!is_renamed) return sink.push_back(std::move(finding));
    Fix fix;
    for (const ValueToken& token : tokens) {
        fix.edits.push_back({line.range(scalar.from + token.begin, scalar.from + token.end), token.replacement});
    }
    finding.fix = std::move(fix);
    sink.push_back(std::move(finding));
}

}  // namespace

void match_text_values(const TextFile& file, FindingSink& sink) {
    for (const TextLine& line : file.lines) {
        for (const ValueRow& row : file.rules->values()) {
            std::size_t done = 0;
            for (const std::string& token : row.tokens) {
                for (std::size_t at = line.code.find(token); at != line.code.npos; at = line.code.find(token, at + 1)) {
                    if (at < done) continue;
                    Scalar scalar = scalar_around(line.code, at, at + token.size());
                    done = scalar.to;
                    match_value(line, row, scalar, sink);
                }
            }
        }
    }
}

}  // namespace migrator
