#include "migrator/start/secrets.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/lower_case.h"
#include "base/text.h"

namespace migrator {
namespace {

constexpr std::string_view kHidden = "...";
constexpr std::size_t kLongRun = 20;      // of letters and digits: no word of a language
constexpr std::size_t kShortestKey = 10;  // behind a known beginning
constexpr std::size_t kMostDigits = 12;   // of a number
constexpr std::size_t kShortOption = 2;   // -p; behind it, without a blank, its value may stand
constexpr auto kSwitches = std::to_array<std::string_view>({"true", "false", "yes", "no", "on", "off", "none"});

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view without_quotes(std::string_view value) { return base::trimmed(value, "\"'"); }

// 8, 1e-5, 0.9, 0-7, 1,2,3, true
bool is_number_or_switch(std::string_view value) {
    const std::string plain = base::lower_case(without_quotes(value));
    if (std::ranges::find(kSwitches, plain) != kSwitches.end()) return true;
    const bool is_number = std::ranges::all_of(
        plain, [](char c) { return is_digit(c) || std::string_view(".,:-+e").find(c) != std::string_view::npos; });
    return is_number && plain.size() <= kMostDigits;
}

bool has_any(std::string_view text, const std::vector<std::string>& words) {
    return std::ranges::any_of(words, [&](const std::string& word) { return text.find(word) != text.npos; });
}

// An address with a name or a password in it.
bool has_password(std::string_view value) {
    const std::size_t address = value.find("://");
    if (address == value.npos) return false;
    const std::string_view host = value.substr(address + 3);
    return host.substr(0, host.find('/')).find('@') != host.npos;
}

// Letters and digits together, as keys have them; words of a path or a name are shorter, or of letters.
bool has_long_run(std::string_view value) {
    std::size_t run = 0, digits = 0, letters = 0;
    for (const char c : value) {
        if (!is_digit(c) && !is_letter(c)) {
            run = digits = letters = 0;
            continue;
        }
        ++run;
        ++(is_digit(c) ? digits : letters);
        if (run >= kLongRun && digits > 0 && letters > 0) return true;
    }
    return false;
}

// Somewhere in the text this beginning of a key, and a key behind it: "hf_" of a folder hf_cache is none.
bool begins_key(std::string_view text, std::string_view beginning) {
    for (std::size_t at = text.find(beginning); at != text.npos; at = text.find(beginning, at + 1)) {
        const std::string_view behind = text.substr(at + beginning.size());
        const auto end = std::ranges::find_if_not(behind, [](char c) { return is_digit(c) || is_letter(c); });
        const bool is_key = static_cast<std::size_t>(end - behind.begin()) >= kShortestKey;
        if (is_key && (at == 0 || !base::is_word_char(text[at - 1]))) return true;
    }
    return false;
}

// config/train.yaml, $DATA, ./out
bool is_path(std::string_view word) { return word.find_first_of("/$") != word.npos || word.ends_with(".py"); }

}  // namespace

bool Secrets::hides(std::string_view name, std::string_view value) const {
    const std::string lower = base::lower_case(name);
    if (has_any(lower, anywhere)) return true;
    if (is_number_or_switch(value)) return false;
    std::string part;
    for (const char c : lower + "_") {
        if (is_letter(c)) {
            part += c;
            continue;
        }
        const bool ends_so =
            std::ranges::any_of(at_the_end, [&](const std::string& end) { return part.ends_with(end); });
        if (ends_so || base::contains(whole, part)) return true;
        part.clear();
    }
    return is_one(value);
}

bool Secrets::is_one(std::string_view value) const {
    const std::string lower = base::lower_case(value);
    if (has_password(lower) || has_any(lower, inside) || has_long_run(value)) return true;
    return std::ranges::any_of(beginnings, [&](const std::string& one) { return begins_key(lower, one); });
}

std::string Secrets::shown(std::string_view command, const std::vector<std::string_view>& known) const {
    std::string out;
    std::string_view option;  // the word before, where it is one
    for (const std::string_view word : base::split(command, ' ')) {
        if (word.empty()) continue;
        const std::string text = shown_word(word, option, base::contains(known, word));
        const bool goes_on = text == kHidden && out.ends_with(kHidden);
        if (!goes_on) out += (out.empty() ? "" : " ") + text;
        option = word.starts_with('-') ? word : std::string_view();
    }
    return out;
}

std::string Secrets::shown_word(std::string_view word, std::string_view option, bool is_known) const {
    const auto may_be_shown = [&](std::string_view value, std::string_view name) {
        return !hides(name, value) && (is_number_or_switch(value) || is_path(value));
    };
    const std::size_t sign = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, sign);
    const bool is_module = option == "-m" || option == "--module";
    if ((is_known || is_module) && !is_one(word)) return std::string(word);
    if (sign < word.size()) {
        if (is_one(name)) return std::string(kHidden);
        return may_be_shown(word.substr(sign + 1), name) ? std::string(word) : base::format("{}={}", name, kHidden);
    }
    if (word.starts_with("--") && !is_one(word)) return std::string(word);
    if (word.starts_with('-')) return word.size() <= kShortOption ? std::string(word) : std::string(kHidden);
    return may_be_shown(word, option) ? std::string(word) : std::string(kHidden);
}

}  // namespace migrator
