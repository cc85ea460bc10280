#include <algorithm>

#include "base/text.h"
#include "migrator/match/text_file.h"
#include "migrator/values/value_form.h"

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
    // An anchor or a tag belongs to the value: `device: &main cuda`, `device: !!str cuda`
    while (before.ends_with(' ')) {
        const std::string_view word = base::trimmed(before).substr(base::trimmed(before).rfind(' ') + 1);
        if (!word.starts_with('&') && !word.starts_with('!')) break;
        before = before.substr(0, static_cast<std::size_t>(word.data() - before.data()));
    }
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

bool holds_settings(FileType type) {
    return type == FileType::yaml || type == FileType::toml || type == FileType::json || type == FileType::setup_cfg ||
           type == FileType::ini;
}

// Whether something carries the scalar: its key, or that of the list on this line that it is an element of.
bool is_carried(const TextFile& file, std::string_view line, Scalar scalar, const ValueRow& row) {
    const std::string_view key = name_in_front(line, scalar.from);
    if (!key.empty() || !holds_settings(file.type)) return row.is_carrier(key);
    const std::size_t list = line.substr(0, scalar.from).rfind('[');
    const bool is_open = list != line.npos && line.find(']', list) >= scalar.from;
    return is_open && row.is_carrier(name_in_front(line, list));
}

void match_value(const TextFile& file, const TextLine& line, const ValueRow& row, Scalar scalar, FindingSink& sink) {
    std::string_view text = line.code.substr(scalar.from, scalar.to - scalar.from);
    std::vector<ValueToken> tokens = value_tokens(text, row);
    if (tokens.empty()) return;
    const bool is_known = is_carried(file, line.code, scalar, row);
    // A name with a number is a device wherever a settings file has it; `cuda:` alone is a key.
    const bool has_number = text.find(':') != text.npos && !text.ends_with(':');
    const bool may_be = row.form == ValueForm::device && holds_settings(file.type) && has_number;
    if (!is_known && !may_be) return;
    const std::string to = replaced(text, tokens);
    Finding finding = make_finding(*row.rule, line.range(scalar.from, scalar.to), std::string(text),
                                   is_known ? Certainty::likely : Certainty::textual, to, {}, {});
    if (!is_known)
        finding.message.add({"What reads it could not be seen: if it is used as one there, write {to}.", {{"to", to}}});
    const bool is_renamed = row.fix.replace_by.empty() && !row.rule->at_run_time;
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
        for (const ValueRow& row : file.rules->values) {
            std::size_t done = 0;
            for (const std::string& token : row.tokens) {
                for (std::size_t at = line.code.find(token); at != line.code.npos; at = line.code.find(token, at + 1)) {
                    if (at < done) continue;
                    Scalar scalar = scalar_around(line.code, at, at + token.size());
                    done = scalar.to;
                    match_value(file, line, row, scalar, sink);
                }
            }
        }
    }
}

}  // namespace migrator
