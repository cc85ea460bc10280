#include "ckpt_convert/launch/shell_expansion.h"

#include <algorithm>

#include "base/format.h"
#include "base/text.h"
#include "ckpt_convert/mapping/expression.h"

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

// Adds to the last word, whose place becomes that of a value which is all of it.
void append(std::vector<ScriptWord>& out, const ScriptWord& part, bool is_whole) {
    ScriptWord& word = out.back();
    word.text += part.text;
    word.is_known &= part.is_known;
    if (is_whole) word.place = part.place;
}

std::vector<ScriptWord> split_at_blanks(const std::vector<ScriptWord>& words) {
    std::vector<ScriptWord> out;
    for (const ScriptWord& word : words) {
        for (std::size_t at = 0; at < word.text.size();) {
            const std::size_t end = std::min(word.text.find_first_of(kBlanks, at), word.text.size());
            if (end > at) out.push_back({word.text.substr(at, end - at), word.place, word.is_known});
            at = end + 1;
        }
        if (word.text.empty() && !word.is_known) out.push_back(word);
    }
    return out;
}

}  // namespace

void ShellExpansion::assign(const std::string& name, std::vector<ScriptWord> values, bool appends) {
    auto& stored = variables_[name];
    if (!appends) stored.clear();
    stored.insert(stored.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
}

ScriptPlace ShellExpansion::place_of(std::string_view part, const ScriptPlace& otherwise) const {
    const bool is_inside = part.data() >= text_.data() && part.data() + part.size() <= text_.data() + text_.size();
    if (!is_inside) return otherwise;
    const auto begin = static_cast<std::uint64_t>(part.data() - text_.data());
    return {file_, begin, begin + part.size()};
}

void ShellExpansion::assign_text(const std::string& name, std::string_view raw, ScriptWord value, bool appends) {
    assign(name, {std::move(value)}, appends);
    if (!appends) split_.erase(name);
    const bool is_quoted = raw.size() >= 2 && (raw.front() == '"' || raw.front() == '\'') && raw.back() == raw.front();
    const bool is_plain = is_quoted && raw.find('`') == raw.npos && raw.find("$(") == raw.npos;
    if (!is_plain) return;
    const std::string_view inner = raw.substr(1, raw.size() - 2);
    for (std::size_t at = 0; at < inner.size();) {
        const std::size_t end = std::min(inner.find_first_of(kBlanks, at), inner.size());
        const std::string_view part = inner.substr(at, end - at);
        if (!part.empty() && part != "\\") {
            for (ScriptWord& word : words(part)) split_[name].push_back(std::move(word));
        }
        at = end + 1;
    }
}

std::vector<ScriptWord> ShellExpansion::words(std::string_view raw) {
    std::vector<ScriptWord> out;
    expand(raw, place_of(raw), out);
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
    out.push_back({{}, place, !is_too_deep});
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
            append(out, substitution(raw.substr(at + 1, end - at - 1), place), false);
            at = end + 1;
        } else if (c == '$' && raw.substr(at).starts_with("$((")) {
            const std::size_t size = behind_bracket(raw.substr(at + 1), '(', ')');
            append(out, arithmetic(raw.substr(at + 3, size - std::min<std::size_t>(size, 4)), place), false);
            at += 1 + size;
        } else if (c == '$' && raw.substr(at).starts_with("$(")) {
            const std::size_t size = behind_bracket(raw.substr(at + 1), '(', ')');
            append(out, substitution(raw.substr(at + 2, size - std::min<std::size_t>(size, 2)), place), false);
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
            // A value without quotes is several words where it has blanks.
            if (!in_double && !is_array) {
                const auto known = split_.find(std::string(inside));
                if (known != split_.end() && may_take(known->second)) found = known->second;
                else found = split_at_blanks(found);
            }
            for (std::size_t i = 0; i < found.size(); ++i) {
                if (i > 0) out.push_back({{}, found[i].place, true});
                append(out, found[i], is_whole || i > 0);
            }
            at += 1 + size;
        } else {
            out.back().text += c;
            ++at;
        }
    }
    const bool is_nothing = out.back().text.empty() && !was_quoted && out.size() == first + 1 && !raw.empty();
    const bool is_empty_array = is_only_array && out.back().text.empty() && out.size() == first + 1;
    if (is_nothing || is_empty_array) out.pop_back();
    --depth_;
}

std::vector<ScriptWord> ShellExpansion::parameter(std::string_view inside, const ScriptPlace& place) {
    if (inside.starts_with('#') || inside.starts_with('!')) return {{{}, place, false}};
    const std::string name(leading_name(inside));
    std::string_view rest = inside.substr(name.size());
    if (rest.starts_with("[@]") || rest.starts_with("[*]")) rest.remove_prefix(3);
    else if (rest.starts_with('[')) return {{{}, place, false}};
    const auto found = variables_.find(name);
    const bool is_set = found != variables_.end();
    if (is_set && !may_take(found->second)) return {{{}, place, false}};
    const bool is_filled = is_set && !(found->second.size() == 1 && found->second.front().text.empty());
    if (rest.starts_with(":-") || rest.starts_with(":=") || (rest.starts_with('-') && !is_set)) {
        if (is_filled) return found->second;
        rest.remove_prefix(rest.starts_with('-') ? 1 : 2);
        // The default, at its place in the file.
        std::vector<ScriptWord> out;
        expand(rest, place_of(rest, place), out);
        if (rest.starts_with(":=")) variables_[name] = out;
        return out;
    }
    if (rest.starts_with(":+") || rest.starts_with('+')) {
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
    const bool is_argument =
        name.empty() || std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!is_asked && !is_argument && !base::contains(kGiven, name)) unset_.push_back({name, place});
    return {{{}, place, false}};
}

ScriptWord ShellExpansion::substitution(std::string_view command, const ScriptPlace& place) const {
    const bool is_here = command.find("dirname") != command.npos &&
                         (command.find("BASH_SOURCE") != command.npos || command.find("$0") != command.npos);
    const bool goes_on = is_here && command.find("..") != command.npos;
    if (is_here && !goes_on) return {directory_, place, true};
    return {{}, place, false};
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
    if (!parsed) return {{}, place, false};
    const auto value = parsed->evaluate([&](std::string_view name) -> std::optional<std::int64_t> {
        const auto found = variables_.find(std::string(name));
        if (found == variables_.end() || found->second.size() != 1 || !found->second.front().is_known)
            return std::nullopt;
        const std::string& number = found->second.front().text;
        const bool is_number =
            !number.empty() && number.size() < 18 && number.find_first_not_of("0123456789") == number.npos;
        return is_number ? std::optional<std::int64_t>(std::stoll(number)) : std::nullopt;
    });
    if (value) return {base::format("{}", *value), place, true};
    return {{}, place, false};
}

}  // namespace ckpt
