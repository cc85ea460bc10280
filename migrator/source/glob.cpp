#include "migrator/source/glob.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "base/text_position.h"

namespace migrator {
namespace {

constexpr std::string_view kAnyDirectories = "**";

using CharacterTest = int (*)(int);

CharacterTest posix_class(std::string_view name) {
    static constexpr auto kClasses =
        std::to_array<std::pair<std::string_view, CharacterTest>>({{"alnum", std::isalnum},
                                                                   {"alpha", std::isalpha},
                                                                   {"blank", std::isblank},
                                                                   {"cntrl", std::iscntrl},
                                                                   {"digit", std::isdigit},
                                                                   {"graph", std::isgraph},
                                                                   {"lower", std::islower},
                                                                   {"print", std::isprint},
                                                                   {"punct", std::ispunct},
                                                                   {"space", std::isspace},
                                                                   {"upper", std::isupper},
                                                                   {"xdigit", std::isxdigit}});
    for (const auto& [known, test] : kClasses) {
        if (known == name) return test;
    }
    return nullptr;
}

struct BracketResult {
    bool matched = false;
    std::size_t end = std::string_view::npos;  // one past the ']'; npos when the bracket is not well-formed
};

// "[:name:]" at `at`: advances behind it; nullopt when there is none.
std::optional<CharacterTest> take_posix_class(std::string_view pattern, std::size_t& at) {
    if (!pattern.substr(at).starts_with("[:")) return std::nullopt;
    // Looked for as far as a name may reach: a pattern may begin thousands of classes and close none.
    constexpr std::size_t kLongestName = 32;
    const std::size_t size = pattern.substr(at + 2, kLongestName + 2).find(":]");
    if (size == std::string_view::npos) return std::nullopt;
    const CharacterTest test = posix_class(pattern.substr(at + 2, size));
    at += size + 4;
    return test;
}

// One possibly escaped character of a bracket; advances behind it.
std::optional<unsigned char> take_member(std::string_view pattern, std::size_t& at) {
    if (at < pattern.size() && pattern[at] == '\\') ++at;
    if (at >= pattern.size()) return std::nullopt;
    return static_cast<unsigned char>(pattern[at++]);
}

// The bracket expression at pattern[begin] == '['.
BracketResult match_bracket(std::string_view pattern, std::size_t begin, unsigned char c) {
    std::size_t at = begin + 1;
    bool negated = false;
    if (at < pattern.size() && (pattern[at] == '!' || pattern[at] == '^')) {
        negated = true;
        ++at;
    }
    bool matched = false;
    for (bool first = true; at < pattern.size() && (pattern[at] != ']' || first); first = false) {
        if (const auto test = take_posix_class(pattern, at)) {
            if (*test == nullptr) return {};
            matched = matched || (*test)(c) != 0;
            continue;
        }
        const auto low = take_member(pattern, at);
        if (!low) return {};
        auto high = low;
        if (at + 1 < pattern.size() && pattern[at] == '-' && pattern[at + 1] != ']') {
            ++at;
            high = take_member(pattern, at);
            if (!high) return {};
        }
        matched = matched || (c >= *low && c <= *high);
    }
    if (at >= pattern.size()) return {};
    return {matched != negated, at + 1};
}

bool is_well_formed(std::string_view component) {
    for (std::size_t at = 0; at < component.size();) {
        if (component[at] == '\\') {
            if (at + 1 == component.size()) return false;
            at += 2;
        } else if (component[at] == '[') {
            at = match_bracket(component, at, 'x').end;
            if (at == std::string_view::npos) return false;
        } else {
            ++at;
        }
    }
    return true;
}

// Where the match goes on behind a pattern element that takes `c`; npos when it does not.
std::size_t match_one(std::string_view pattern, std::size_t at, char c) {
    if (pattern[at] == '?') return at + 1;
    if (pattern[at] == '[') {
        const BracketResult bracket = match_bracket(pattern, at, static_cast<unsigned char>(c));
        return bracket.matched ? bracket.end : std::string_view::npos;
    }
    if (pattern[at] == '\\') ++at;
    return pattern[at] == c ? at + 1 : std::string_view::npos;
}

// Only the last `*` is ever retried: what an earlier one took can always be given to it. So no recursion, and at
// most pattern x text steps.
bool match_component(std::string_view pattern, std::string_view text) {
    std::size_t at = 0;
    std::size_t used = 0;
    std::size_t star = std::string_view::npos;
    std::size_t star_used = 0;
    while (used < text.size()) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = ++at;
            star_used = used;
            continue;
        }
        const std::size_t next = at < pattern.size() ? match_one(pattern, at, text[used]) : std::string_view::npos;
        if (next != std::string_view::npos) {
            at = next;
            ++used;
        } else if (star != std::string_view::npos) {
            at = star;
            used = ++star_used;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == '*') ++at;
    return at == pattern.size();
}

// The same one level up: components against components, with "**" as the star.
bool match_components(const std::vector<std::string>& pattern, const std::vector<std::string_view>& path) {
    std::size_t at = 0;
    std::size_t used = 0;
    std::size_t star = std::string_view::npos;
    std::size_t star_used = 0;
    while (used < path.size()) {
        if (at < pattern.size() && pattern[at] == kAnyDirectories) {
            star = ++at;
            star_used = used;
            // At the end "**" stands for everything inside, so for one component at least.
            if (at == pattern.size()) return true;
        } else if (at < pattern.size() && match_component(pattern[at], path[used])) {
            ++at;
            ++used;
        } else if (star != std::string_view::npos) {
            at = star;
            used = ++star_used;
        } else {
            return false;
        }
    }
    return at == pattern.size();
}

std::vector<std::string_view> split_path(std::string_view path) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t slash = path.find('/');
        out.push_back(path.substr(0, slash));
        if (slash == std::string_view::npos) return out;
        path.remove_prefix(slash + 1);
    }
}

// Blanks at the end do not count, unless a backslash stands before the first of them.
std::string_view without_trailing_blanks(std::string_view line) {
    while (line.ends_with(' ')) {
        const std::string_view before = line.substr(0, line.size() - 1);
        const std::size_t last = before.find_last_not_of('\\');
        const std::size_t backslashes = before.size() - (last == std::string_view::npos ? 0 : last + 1);
        if (backslashes % 2 == 1) break;
        line = before;
    }
    return line;
}

}  // namespace

std::optional<PathPattern> PathPattern::parse(std::string_view pattern) {
    PathPattern out;
    if (pattern.ends_with('/')) {
        out.directory_only_ = true;
        pattern.remove_suffix(1);
    }
    out.anchored_ = pattern.find('/') != std::string_view::npos;
    if (pattern.starts_with('/')) pattern.remove_prefix(1);
    if (pattern.empty()) return std::nullopt;
    for (const std::string_view component : split_path(pattern)) {
        if (component.empty() || !is_well_formed(component)) return std::nullopt;
        // Two "**" in a row say no more than one.
        if (component == kAnyDirectories && !out.components_.empty() && out.components_.back() == kAnyDirectories)
            continue;
        out.components_.emplace_back(component);
    }
    return out;
}

bool PathPattern::matches(std::string_view path, bool is_directory) const {
    if (directory_only_ && !is_directory) return false;
    if (!anchored_) return match_component(components_.front(), path.substr(path.rfind('/') + 1));
    return match_components(components_, split_path(path));
}

bool PathPattern::matches_file_or_parent(std::string_view path) const {
    if (matches(path, false)) return true;
    for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
        if (matches(path.substr(0, slash), true)) return true;
    }
    return false;
}

bool PathPattern::leads_into(std::string_view directory) const {
    const std::vector<std::string_view> path = split_path(directory);
    if (!anchored_ || components_.size() <= path.size()) return false;
    for (std::size_t i = 0; i < path.size(); ++i) {
        if (components_[i] == kAnyDirectories || !match_component(components_[i], path[i])) return false;
    }
    return true;
}

IgnoreFile IgnoreFile::parse(std::string_view content) {
    IgnoreFile out;
    if (content.starts_with("\xEF\xBB\xBF")) content.remove_prefix(3);
    while (!content.empty()) {
        const std::size_t newline = content.find('\n');
        std::string_view line = content.substr(0, newline);
        content.remove_prefix(newline == std::string_view::npos ? content.size() : newline + 1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        if (line.starts_with('#')) continue;
        line = without_trailing_blanks(line);
        const bool negated = line.starts_with('!');
        if (negated) line.remove_prefix(1);
        if (auto pattern = PathPattern::parse(line)) out.rules_.push_back({std::move(*pattern), negated});
    }
    return out;
}

std::optional<bool> IgnoreFile::decide(std::string_view path, bool is_directory) const {
    // The last rule that matches counts.
    for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
        if (rule->pattern.matches(path, is_directory)) return !rule->negated;
    }
    return std::nullopt;
}

}  // namespace migrator
