#include "shell/environment.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "shell/shell_words.h"

namespace shell {
namespace {

constexpr std::size_t kMostLevels = 64;  // deeper nothing is looked at
constexpr std::ptrdiff_t kLongestSign = 64;
constexpr auto kNoWords =
    std::to_array<std::string_view>({"then", "do", "!", "time", "exec", "nohup", "command", "env"});
constexpr auto kDeclaring =
    std::to_array<std::string_view>({"export", "declare", "typeset", "readonly", "local", "ENV"});
// Commands that no variable matters to.
constexpr auto kHarmless = std::to_array<std::string_view>(
    {"[",    "[[",      "test",     ":",        "true",  "false",  "echo",  "printf", "cd",     "pushd",
     "popd", "mkdir",   "set",      "shift",    "read",  "source", ".",     "trap",   "ulimit", "return",
     "exit", "sleep",   "date",     "hostname", "cat",   "ls",     "rm",    "cp",     "mv",     "pwd",
     "wait", "dirname", "basename", "realpath", "shopt", "touch",  "umask", "alias",  "break",  "continue",
     "tee",  "ln",      "chmod",    "WORKDIR",  "ARG",   "COPY",   "LABEL", "USER"});

// "NAME" of NAME=value and NAME+=value; empty: it is no assignment.
std::string_view assigned(std::string_view word) {
    const std::size_t sign = word.find('=');
    if (sign == word.npos) return {};
    const std::string_view name = word.substr(0, sign - (sign > 0 && word[sign - 1] == '+' ? 1 : 0));
    return is_variable_name(name) ? name : std::string_view();
}

}  // namespace

Environment::Environment(std::function<bool(std::string_view)> is_known, OnStart on_start)
    : is_known_(std::move(is_known)), on_start_(std::move(on_start)) {}

void Environment::command(const std::vector<std::string_view>& words) {
    if (words.front().data() == pattern_) return;
    if (!levels_.empty()) levels_.back().has_commands = true;
    // cd x && export A=1: what may not run leaves nothing that is sure.
    const char* begin = words.front().data();
    const bool is_behind = last_end_ != nullptr && begin > last_end_ && begin - last_end_ < kLongestSign;
    std::string_view between = is_behind ? std::string_view(last_end_, begin) : std::string_view();
    between = between.substr(0, between.find('#'));
    is_conditional_ = between.find("&&") != between.npos || between.find("||") != between.npos;
    last_end_ = words.back().data() + words.back().size();
    std::size_t first = read_keywords(words);
    std::vector<Word> in_front;
    for (; first < words.size(); ++first) {
        if (!assigned(words[first]).empty()) in_front.push_back(words[first]);
        else if (!base::contains(kNoWords, words[first])) break;
    }
    if (!levels_.empty() && levels_.back().kind == Level::Kind::substitution) return;
    if (first == words.size()) {
        for (const Word word : in_front) set(std::string(assigned(word)), word, exports_all_);
        return;
    }
    run(words, first, in_front);
}

// Where the command begins.
std::size_t Environment::read_keywords(const std::vector<std::string_view>& words) {
    using Kind = Level::Kind;
    std::size_t first = 0;
    if (is_header_) {
        header_ = words.front();
        is_header_ = false;
        first = 1;
    }
    for (; first < words.size(); ++first) {
        const std::string_view word = words[first];
        if (word == "function" && first + 1 < words.size()) {
            header_ = words[++first];
        } else if (word == "{") {
            open(header_.empty() ? Kind::group : Kind::function, header_);
            header_.clear();
        } else if (word == "if") {
            open(Kind::branch);
        } else if (word == "while" || word == "until") {
            open(Kind::loop);
        } else if (word == "for" || word == "select" || word == "case") {
            open(word == "case" ? Kind::branch : Kind::loop);
            return words.size();
        } else if (word == "else" || word == "elif") {
            next_part();
        } else if (word == "fi" || word == "done" || word == "esac" || word == "}") {
            close();
        } else if (!base::contains(kNoWords, word)) {
            break;
        }
    }
    return first;
}

void Environment::open(Level::Kind kind, std::string_view function) {
    Level level{kind, {}};
    if (levels_.size() < kMostLevels) level.before = held_;
    else held_.clear();
    level.function = function;
    // Who calls it has set what is not known here.
    if (kind == Level::Kind::function) held_.clear();
    levels_.push_back(std::move(level));
    is_changed_ = true;
}

void Environment::close() {
    if (levels_.empty()) return;
    Level level = std::move(levels_.back());
    levels_.pop_back();
    using Kind = Level::Kind;
    is_changed_ = true;
    if (level.kind == Kind::group) {
        if (!levels_.empty()) std::ranges::move(level.changed, std::back_inserter(levels_.back().changed));
        return;
    }
    held_ = std::move(level.before);
    if (level.has_started) read_all();
    if (level.kind == Kind::function) functions_[level.function] = std::move(level.changed);
    else if (level.kind == Kind::branch || level.kind == Kind::loop)
        for (const std::string& name : level.changed) forget(name);
}

void Environment::pattern(std::string_view word) {
    pattern_ = word.data();
    last_end_ = nullptr;
    next_part();
}

void Environment::next_part() {
    if (levels_.empty() || levels_.back().kind != Level::Kind::branch) return;
    held_ = levels_.back().before;
    is_changed_ = true;
}

void Environment::enter(bool is_substitution) {
    const bool is_inner = !levels_.empty() && levels_.back().kind == Level::Kind::substitution;
    open(is_substitution || is_inner ? Level::Kind::substitution : Level::Kind::subshell);
}

void Environment::leave() {
    if (levels_.empty()) return;
    // NAME ()
    is_header_ = levels_.back().kind == Level::Kind::subshell && !levels_.back().has_commands;
    close();
}

void Environment::end() {
    while (!levels_.empty()) close();
    if (!has_started_) start({});
}

// What may have been changed is not sure.
void Environment::forget(const std::string& name) {
    if (!is_known_(name)) return;
    held_.erase(name);
    is_changed_ = true;
    if (!levels_.empty() && !base::contains(levels_.back().changed, name)) levels_.back().changed.push_back(name);
}

void Environment::set(std::string name, Word word, bool is_exported) {
    if (!is_known_(name)) return;
    const auto before = held_.find(name);
    Held held{set_++, word, is_exported, levels_.size()};
    if (before != held_.end()) {
        held.is_exported |= before->second.is_exported;
        if (before->second.is_exported && before->second.level == levels_.size()) {
            held.earlier = std::move(before->second.earlier);
            held.earlier.emplace(before->second.number, before->second.word);
        }
    }
    forget(name);
    const bool is_added = unquoted(word).find("+=") == name.size();
    if (!is_conditional_ && !is_added) held_.emplace(name, std::move(held));
}

// export A=1 B, export -n A, ENV A 1
void Environment::declare(const std::vector<std::string_view>& words, std::size_t first) {
    bool is_exported = words[first] == "export" || words[first] == "ENV", is_taken_back = false;
    for (std::size_t i = first + 1; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word.starts_with('-')) {
            is_taken_back |= is_exported && word == "-n";
            is_exported |= word.starts_with("-x") || word.starts_with("-gx");
        } else if (is_taken_back) {
            forget(std::string(word));
        } else if (const std::string_view name = assigned(unquoted(word)); !name.empty()) {
            set(std::string(name), word, is_exported || exports_all_);
        } else if (words[first] == "ENV") {
            return set(std::string(word), word, true);
        } else if (const auto held = held_.find(word); held != held_.end() && is_exported) {
            held->second.is_exported = !is_conditional_;
            is_changed_ = true;
        }
    }
}

void Environment::run(const std::vector<std::string_view>& words, std::size_t first,
                      const std::vector<Word>& in_front) {
    const std::string_view name = words[first];
    if (base::contains(kDeclaring, name)) return declare(words, first);
    if (name == "unset") {
        for (std::size_t i = first + 1; i < words.size(); ++i) forget(std::string(words[i]));
    } else if (name == "FROM") {
        held_.clear();
    } else if (name == "set" && first + 1 < words.size()) {
        if (words[first + 1] == "-a" || words[first + 1] == "+a") exports_all_ = words[first + 1] == "-a";
    } else if (const auto called = functions_.find(name); called != functions_.end()) {
        for (const std::string& changed : called->second) forget(changed);
    } else if (!base::contains(kHarmless, name)) {
        start(in_front);
    }
}

// What a program has read may be replaced.
void Environment::read_all() {
    if (!levels_.empty()) levels_.back().has_started = true;
    for (auto& [name, held] : held_) {
        held.level = static_cast<std::size_t>(-1);
        held.earlier.clear();
    }
}

void Environment::start(const std::vector<Word>& in_front) {
    has_started_ = true;
    if (!is_changed_ && in_front.empty()) return;
    is_changed_ = !in_front.empty();  // these hide what is inherited
    std::map<std::size_t, Word> inherited;
    for (auto& [name, held] : held_) {
        const auto replaces = [&name = name](Word word) { return assigned(word) == name; };
        if (!held.is_exported || std::ranges::any_of(in_front, replaces)) continue;
        inherited.insert(held.earlier.begin(), held.earlier.end());
        inherited.emplace(held.number, held.word);
    }
    read_all();
    std::vector<Word> words;
    for (const auto& [number, word] : inherited) words.push_back(word);
    for (const Word word : in_front) {
        if (is_known_(assigned(word))) words.push_back(word);
    }
    on_start_(words);
}

}  // namespace shell
