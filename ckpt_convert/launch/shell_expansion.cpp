#include "ckpt_convert/launch/shell_expansion.h"

#include <algorithm>

#include "base/format.h"
#include "base/number_text.h"
#include "base/text.h"
#include "ckpt_convert/mapping/expression.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {
namespace {

// What the shell has without anybody's help.
constexpr auto kGiven = std::to_array<std::string_view>(
    {"HOME", "PATH", "PWD", "USER", "RANDOM", "HOSTNAME", "SECONDS", "LD_LIBRARY_PATH", "PYTHONPATH", "BASH_SOURCE",
     "OLDPWD", "UID", "LINENO", "IFS", "TMPDIR", "SHELL", "EUID", "PIPESTATUS"});

constexpr int kMaxDepth = 64;  // of defaults in defaults
constexpr std::string_view kBlanks = " \t\r\n";

bool is_name_char(char c) { return base::is_word_char(c); }

std::string_view leading_name(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && is_name_char(text[end])) ++end;
    return text.substr(0, end);
}

// Behind the bracket that closes the one at the beginning.
std::size_t behind_bracket(std::string_view text, char open, char close) {
    int depth = 0;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '\\') ++at;
        else if (text[at] == open) ++depth;
        else if (text[at] == close && --depth == 0) return at + 1;
    }
    return text.size();
}

ScriptWord unknown(const ScriptPlace& place) { return {{}, place, place, false}; }

// Adds to the last word, whose place becomes that of a value which is all of it.
void append(std::vector<ScriptWord>& out, const ScriptWord& part, bool is_whole) {
    ScriptWord& word = out.back();
    word.text += part.text;
    word.is_known &= part.is_known;
    if (!is_whole) return;
    word.place = part.place;
    word.may_be_none = part.may_be_none;
    word.is_open = part.is_open;
}

// Behind the word of a text that begins at `at`: blanks in what the shell puts something else for do not end it.
std::size_t word_end(std::string_view text, std::size_t at) {
    while (at < text.size() && kBlanks.find(text[at]) == kBlanks.npos) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("$(")) at += 1 + behind_bracket(rest.substr(1), '(', ')');
        else if (rest.starts_with("${")) at += 1 + behind_bracket(rest.substr(1), '{', '}');
        else if (rest.starts_with("\\\n")) at += 2;
        else if (rest.starts_with('`')) at = std::min(text.find('`', at + 1), text.size() - 1) + 1;
        else ++at;
    }
    return at;
}

std::vector<ScriptWord> split_at_blanks(const std::vector<ScriptWord>& words) {
    std::vector<ScriptWord> out;
    for (const ScriptWord& word : words) {
        for (std::size_t at = 0; at < word.text.size();) {
            const std::size_t end = std::min(word.text.find_first_of(kBlanks, at), word.text.size());
            if (end > at)
                out.push_back({word.text.substr(at, end - at), word.place, word.at, word.is_known, word.may_be_none});
            at = end + 1;
        }
        if (word.text.empty() && !word.is_known) out.push_back(word);
    }
    return out;
}

}  // namespace

ScriptPlace ShellExpansion::place_of(std::string_view part, const ScriptPlace& otherwise) const {
    const bool is_inside = part.data() >= text_.data() && part.data() + part.size() <= text_.data() + text_.size();
    if (!is_inside) return otherwise;
    const auto begin = static_cast<std::uint64_t>(part.data() - text_.data());
    return {file_, begin, begin + part.size()};
}

std::vector<ScriptWord> ShellExpansion::words_in(std::string_view raw) {
    const bool is_quoted = raw.size() >= 2 && (raw.front() == '"' || raw.front() == '\'') && raw.back() == raw.front();
    if (!is_quoted) return split_at_blanks(words(raw));
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    std::vector<ScriptWord> out;
    for (std::size_t at = 0; at < inner.size();) {
        const std::size_t end = word_end(inner, at);
        const std::string_view part = inner.substr(at, end - at);
        if (!part.empty() && part != "\\") {
            for (ScriptWord& word : words(part)) out.push_back(std::move(word));
        }
        at = end + 1;
    }
    return out;
}

void ShellExpansion::assign_list(const std::string& name, const std::vector<std::string_view>& raws, bool appends) {
    std::vector<ScriptWord> values, split;
    for (const std::string_view raw : raws) {
        for (ScriptWord& value : words(raw)) values.push_back(std::move(value));
        for (ScriptWord& word : words_in(raw)) split.push_back(std::move(word));
    }
    for (auto& [all, added] : {std::pair(&variables_[name], &values), std::pair(&split_[name], &split)}) {
        if (!appends) all->clear();
        all->insert(all->end(), std::make_move_iterator(added->begin()), std::make_move_iterator(added->end()));
    }
}

ScriptWord ShellExpansion::assign_text(const std::string& name, std::string_view raw, bool appends) {
    // The old value may be a part of the new one.
    const std::vector<ScriptWord> values = words(raw);
    std::vector<ScriptWord> split = words_in(raw);
    ScriptWord value{{}, place_of(raw), place_of(raw)};
    if (values.size() == 1) value = values.front();
    for (std::size_t i = 0; i < values.size() && values.size() > 1; ++i) {
        value.text += (i > 0 ? " " : "") + values[i].text;
        value.is_known &= values[i].is_known;
    }
    std::vector<ScriptWord>& stored = variables_[name];
    std::vector<ScriptWord>& words = split_[name];
    if (!appends) words.clear();
    words.insert(words.end(), std::make_move_iterator(split.begin()), std::make_move_iterator(split.end()));
    ScriptWord whole = value;
    if (appends && !stored.empty()) {
        whole.text = stored.front().text + value.text;
        whole.is_known &= stored.front().is_known;
    }
    stored.assign(1, whole);
    return value;
}

void ShellExpansion::assign_given(const std::string& name, const ScriptWord& value) {
    variables_[name] = {value};
    split_[name] = split_at_blanks({value});
}

std::vector<ScriptWord> ShellExpansion::words(std::string_view raw) {
    std::vector<ScriptWord> out;
    expand(raw, place_of(raw), out);
    if (out.size() == 1) out.front().at = place_of(raw, out.front().at);
    return out;
}

bool ShellExpansion::may_take(const std::vector<ScriptWord>& values) {
    std::uint64_t size = 1;
    for (const ScriptWord& value : values) size += sizeof(ScriptWord) + value.text.size();
    left_ -= std::min(left_, size);
    return left_ > 0;
}

void ShellExpansion::expand(std::string_view raw, const ScriptPlace& place, std::vector<ScriptWord>& out) {
    const bool is_too_deep = depth_ == kMaxDepth;
    out.push_back({{}, place, place, !is_too_deep});
    if (is_too_deep) return;
    ++depth_;
    const auto quotes = std::count(raw.begin(), raw.end(), '"');
    bool in_double = false, was_quoted = false, is_only_array = false;
    const std::size_t first = out.size() - 1;
    for (std::size_t at = 0; at < raw.size();) {
        const char c = raw[at];
        if (c == '\'' && !in_double) {
            const std::size_t end = std::min(raw.find('\'', at + 1), raw.size());
            out.back().text += raw.substr(at + 1, end - at - 1);
            was_quoted = true;
            at = end + 1;
        } else if (c == '"') {
            in_double = !in_double;
            was_quoted = true;
            ++at;
        } else if (c == '\\' && at + 1 < raw.size()) {
            const bool is_kept = in_double && std::string_view("$`\"\\\n").find(raw[at + 1]) == std::string_view::npos;
            if (is_kept) out.back().text += c;
            if (raw[at + 1] != '\n') out.back().text += raw[at + 1];
            at += 2;
        } else if (c == '`') {
            const std::size_t end = std::min(raw.find('`', at + 1), raw.size());
            append(out, substitution(raw.substr(at + 1, end - at - 1), place), at == 0 && end + 1 == raw.size());
            at = end + 1;
        } else if (c == '$' && raw.substr(at).starts_with("$((")) {
            const std::size_t size = behind_bracket(raw.substr(at + 1), '(', ')');
            append(out, arithmetic(raw.substr(at + 3, size - std::min<std::size_t>(size, 4)), place), false);
            at += 1 + size;
        } else if (c == '$' && raw.substr(at).starts_with("$(")) {
            const std::size_t size = behind_bracket(raw.substr(at + 1), '(', ')');
            append(out, substitution(raw.substr(at + 2, size - std::min<std::size_t>(size, 2)), place),
                   at == 0 && 1 + size == raw.size());
            at += 1 + size;
        } else if (c == '$' && at + 1 < raw.size() &&
                   (raw[at + 1] == '{' || is_name_char(raw[at + 1]) || raw[at + 1] == '@' || raw[at + 1] == '*')) {
            std::size_t size = 0;
            std::string_view inside;
            if (raw[at + 1] == '{') {
                size = behind_bracket(raw.substr(at + 1), '{', '}');
                inside = raw.substr(at + 2, size - std::min<std::size_t>(size, 2));
            } else {
                inside = is_name_char(raw[at + 1]) ? leading_name(raw.substr(at + 1)) : raw.substr(at + 1, 1);
                size = inside.size();
            }
            const bool is_whole = quotes <= 2 && 1 + size + (in_double ? 2 : 0) == raw.size();
            std::vector<ScriptWord> found = parameter(inside, place);
            const bool is_array = inside.ends_with("[@]") || inside.ends_with("[*]");
            is_only_array |= is_array && is_whole;
            if (!in_double) found = unquoted(inside, std::move(found));
            const bool is_all = inside == "@" || inside == "*" || is_array;
            for (ScriptWord& word : found) word.may_be_none |= !word.is_known && (is_all || !in_double);
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (i > 0) out.push_back({{}, found[i].place, found[i].at});
                append(out, found[i], is_whole || i > 0);
            }
            at += 1 + size;
        } else {
            out.back().text += c;
            ++at;
        }
    }
    const bool is_nothing =
        out.back().text.empty() && out.back().is_known && !was_quoted && out.size() == first + 1 && !raw.empty();
    const bool is_empty_array =
        is_only_array && out.back().text.empty() && out.back().is_known && out.size() == first + 1;
    if (is_nothing || is_empty_array) out.pop_back();
    --depth_;
}

std::vector<ScriptWord> ShellExpansion::unquoted(std::string_view inside, std::vector<ScriptWord> found) {
    const std::string name(leading_name(inside));
    const std::string_view rest = inside.substr(name.size());
    const auto known = split_.find(name);
    const bool is_plain = rest.empty() || rest == "[@]" || rest == "[*]";
    if (is_plain && known != split_.end() && may_take(known->second)) return known->second;
    return split_at_blanks(found);
}

std::vector<ScriptWord> ShellExpansion::parameter(std::string_view inside, const ScriptPlace& place) {
    if (inside.starts_with('#') || inside.starts_with('!')) return {unknown(place)};
    const std::string name(leading_name(inside));
    std::string_view rest = inside.substr(name.size());
    if (rest.starts_with("[@]") || rest.starts_with("[*]")) rest.remove_prefix(3);
    else if (rest.starts_with('[')) return {unknown(place)};
    const auto found = variables_.find(name);
    const bool is_set = found != variables_.end();
    if (is_set && !may_take(found->second)) return {unknown(place)};
    const bool is_filled = is_set && !(found->second.size() == 1 && found->second.front().text.empty());
    if (rest.starts_with(":-") || rest.starts_with(":=") || (rest.starts_with('-') && !is_set)) {
        if (is_filled) return found->second;
        if (!is_set && expects_more_) return {unset_word(name, place)};
        const bool is_kept = rest.starts_with(":=");
        rest.remove_prefix(rest.starts_with('-') ? 1 : 2);
        // The default, at its place in the file.
        std::vector<ScriptWord> out;
        expand(rest, place_of(rest, place), out);
        if (is_kept) {
            variables_[name] = out;
            split_[name] = split_at_blanks(out);
        }
        return out;
    }
    if (rest.starts_with(":+") || rest.starts_with('+')) {
        if (!is_set && expects_more_) return {unset_word(name, place)};
        if (!is_filled) return {};
        std::vector<ScriptWord> out;
        expand(rest.substr(rest.starts_with(':') ? 2 : 1), place, out);
        return out;
    }
    if (is_set) {
        if (rest.empty()) return found->second;
        std::vector<ScriptWord> out = found->second;  // "%.*", "/a/b": what becomes of it is not worked out
        for (ScriptWord& word : out) word.is_known = false;
        return out;
    }
    const bool is_asked = rest.starts_with(":?") || rest.starts_with('?');
    if (!is_asked && !is_given_outside(name)) unset_.push_back({name, place});
    return {unset_word(name, place)};
}

ScriptWord ShellExpansion::unset_word(std::string_view name, const ScriptPlace& place) const {
    ScriptWord out = unknown(place);
    out.is_open = expects_more_ && !is_given(name);
    return out;
}

bool ShellExpansion::is_given(std::string_view name) const {
    const bool is_argument = std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    return is_argument || base::contains(kGiven, name) ||
           std::any_of(given_.begin(), given_.end(),
                       [&](const std::string& pattern) { return matches_pattern(pattern, name); });
}

ScriptWord ShellExpansion::substitution(std::string_view command, const ScriptPlace& place) const {
    const bool is_here = command.find("dirname") != command.npos &&
                         (command.find("BASH_SOURCE") != command.npos || command.find("$0") != command.npos);
    const bool goes_on = is_here && command.find("..") != command.npos;
    if (is_here && !goes_on) return {directory_, place, place};
    ScriptWord printed = unknown(place);
    printed.may_be_none = true;
    return printed;
}

ScriptWord ShellExpansion::arithmetic(std::string_view expression, const ScriptPlace& place) {
    std::string text;
    for (std::size_t at = 0; at < expression.size();) {
        const bool is_braced = expression.substr(at).starts_with("${");
        if (expression[at] == '$') at += is_braced ? 2 : 1;
        if (at >= expression.size()) break;
        text += expression[at] == '}' ? ' ' : expression[at];
        ++at;
    }
    const auto parsed = Expression::parse(text, "");
    if (!parsed) return unknown(place);
    const auto value = parsed->evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
        const auto found = variables_.find(std::string(name));
        if (found == variables_.end() || found->second.size() != 1 || !found->second.front().is_known)
            return std::nullopt;
        const std::string& number = found->second.front().text;
        return number.starts_with('-') ? std::nullopt : base::number_in<std::int64_t>(number);
    });
    if (value) return {base::format("{}", *value), place, place};
    return unknown(place);
}

}  // namespace ckpt
