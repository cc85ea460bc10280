#include "ckpt_convert/launch/shell_branches.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace ckpt {
namespace {

std::optional<std::int64_t> number_of(const std::string& text) {
    std::int64_t out = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), out);
    return code == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

std::optional<bool> compared(const std::string& left, std::string_view sign, const std::string& right) {
    if (sign == "=" || sign == "==") return left == right;
    if (sign == "!=") return left != right;
    const auto a = number_of(left), b = number_of(right);
    if (!a || !b) return std::nullopt;
    if (sign == "-eq") return *a == *b;
    if (sign == "-ne") return *a != *b;
    if (sign == "-gt") return *a > *b;
    if (sign == "-ge") return *a >= *b;
    if (sign == "-lt") return *a < *b;
    if (sign == "-le") return *a <= *b;
    return std::nullopt;
}

constexpr std::string_view kWild = "*?[";
constexpr std::ptrdiff_t kLongestSign = 64;  // && or || with what may stand around it

// "NAME" of $NAME, ${NAME} and ${NAME:-}, with quotes or without.
std::string_view variable_in(std::string_view raw) {
    if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') raw = raw.substr(1, raw.size() - 2);
    if (!raw.starts_with('$')) return {};
    raw.remove_prefix(1);
    if (raw.starts_with('{') && raw.ends_with('}')) raw = raw.substr(1, raw.size() - 2);
    for (const std::string_view none : {":-", "-"})
        if (raw.ends_with(none)) raw.remove_suffix(none.size());
    return std::all_of(raw.begin(), raw.end(), base::is_word_char) ? raw : std::string_view();
}

}  // namespace

bool ShellBranches::is_running() const {
    return std::all_of(levels_.begin(), levels_.end(), [](const Level& level) { return level.is_running; });
}

bool ShellBranches::runs(std::vector<std::string_view>& words) {
    while (!words.empty()) {
        const std::string_view word = words.front();
        if (word == "if") {
            levels_.emplace_back();
            words.erase(words.begin());
            begin_condition(words);
            return false;
        }
        if (word == "case") return levels_.emplace_back(), false;
        if (levels_.empty()) break;
        Level& level = levels_.back();
        if (words.size() == 1 && word.data() == level.pattern) return false;
        level.is_between_patterns = false;
        if (word == "fi" || word == "esac") {
            levels_.pop_back();
        } else if (word == "elif") {
            words.erase(words.begin());
            begin_condition(words);
            return false;
        } else if (word == "else") {
            level.is_running = !level.is_taken;
            is_undecided_ |= level.is_running && !level.was_skipped;
        } else if (word == "then") {
            level.is_condition = false;
        } else {
            if (level.is_condition) go_on(words);
            break;
        }
        words.erase(words.begin());
    }
    return !words.empty() && is_running();
}

void ShellBranches::begin_condition(const std::vector<std::string_view>& words) {
    Level& level = levels_.back();
    level.is_condition = true;
    if (level.is_taken) return void(level.is_running = false);
    level.is_running = true;
    level.condition = is_running() ? holds(words) : std::nullopt;
    level.condition_end = words.empty() ? nullptr : words.back().data() + words.back().size();
    decide(level);
}

// The next command of a condition, behind && or ||.
void ShellBranches::go_on(const std::vector<std::string_view>& words) {
    Level& level = levels_.back();
    if (level.condition_end == nullptr) return;
    level.is_running = true;
    const std::optional<bool> next = is_running() ? holds(words) : std::nullopt;
    const char* begin = words.front().data();
    const bool is_behind = begin > level.condition_end && begin - level.condition_end < kLongestSign;
    const std::string_view sign =
        is_behind ? std::string_view(level.condition_end, static_cast<std::size_t>(begin - level.condition_end)) : "";
    const bool is_or = sign.find("||") != sign.npos, is_and = sign.find("&&") != sign.npos;
    if (is_or || is_and) {
        const bool is_settled = level.condition == is_or || next == is_or;
        const bool is_other = level.condition == !is_or && next == !is_or;
        level.condition = is_settled ? std::optional(is_or) : is_other ? std::optional(!is_or) : std::nullopt;
    } else {
        level.condition.reset();
    }
    level.condition_end = words.back().data() + words.back().size();
    decide(level);
}

void ShellBranches::decide(Level& level) {
    level.is_running = level.condition.value_or(true);
    level.is_taken = level.condition.value_or(false);
    level.was_skipped = level.condition == false;
}

void ShellBranches::pattern(std::string_view word, std::string_view pattern) {
    if (levels_.empty()) return;
    Level& level = levels_.back();
    const bool is_same_part = level.is_between_patterns;
    level.is_between_patterns = true;
    level.pattern = pattern.data();
    const auto chosen = one_word(word), given = one_word(pattern);
    const bool is_all = pattern == "*";
    const bool is_simple = given && (is_all || given->find_first_of(kWild) == std::string::npos);
    level.is_decided &= chosen && is_simple;
    const bool fits = level.is_decided && !level.is_taken && (is_all || *given == *chosen);
    level.is_taken |= fits;
    is_undecided_ |= !level.is_decided;
    level.is_running = !level.is_decided || fits || (is_same_part && level.is_running && level.is_taken);
}

std::optional<bool> ShellBranches::holds(const std::vector<std::string_view>& words) {
    if (words.size() < 3) return std::nullopt;
    const bool is_test =
        (words.front() == "[" && words.back() == "]") || (words.front() == "[[" && words.back() == "]]");
    if (!is_test) return std::nullopt;
    std::vector<std::string_view> inner(words.begin() + 1, words.end() - 1);
    const bool is_negated = inner.front() == "!";
    if (is_negated) inner.erase(inner.begin());
    std::optional<bool> out;
    if (inner.size() == 2 && (inner[0] == "-z" || inner[0] == "-n")) {
        out = is_empty(inner[1]);
        if (out && inner[0] == "-n") out = !*out;
    } else if (inner.size() == 3) {
        const auto left = one_word(inner[0]), right = one_word(inner[2]);
        const bool is_text = left && right && (words.front() == "[" || inner[2].find_first_of(kWild) == inner[2].npos);
        if (is_text) out = compared(*left, inner[1], *right);
    }
    if (out && is_negated) out = !*out;
    return out;
}

// A variable that nothing gives a value is taken for empty, as its default is taken elsewhere.
std::optional<bool> ShellBranches::is_empty(std::string_view raw) {
    const std::string_view name = variable_in(raw);
    if (!name.empty() && !shell_.knows(std::string(name)))
        return shell_.is_given_outside(name) ? std::nullopt : std::optional(true);
    const auto word = one_word(raw);
    return word ? std::optional(word->empty()) : std::nullopt;
}

std::optional<std::string> ShellBranches::one_word(std::string_view raw) {
    const std::vector<ScriptWord> words = shell_.words(raw);
    if (words.empty()) return std::string();
    const bool is_known = words.size() == 1 && words.front().is_known;
    return is_known ? std::optional(words.front().text) : std::nullopt;
}

}  // namespace ckpt
