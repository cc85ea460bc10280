// Environment: which variables a script gives each program that it starts, as far as it runs straight through: of a branch, a
// loop or a function only what stands in the same part, and after it nothing that it may have changed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace shell {

// Gets the parts of a script in its order, as a ShellListener gets them.
class Environment {
public:
    // The word that gives a variable its value: NAME=value, or in NAME VALUE of a Dockerfile the name.
    using Word = std::string_view;
    // Of names that `is_known` takes, the words that hold together at one start, in the order of the script. One that an earlier
    // word is replaced by, though nothing has started since, stands behind it.
    using OnStart = std::function<void(const std::vector<Word>&)>;

    Environment(std::function<bool(std::string_view name)> is_known, OnStart on_start);

    void command(const std::vector<std::string_view>& words);
    // A pattern of `case`: another part of it begins.
    void pattern(std::string_view word);
    // A subshell; one in a word is a substitution, whose programs get nothing of their own.
    void enter(bool is_substitution);
    void leave();
    // The end of the script. What starts nothing is sourced by what does.
    void end();

private:
    struct Held {
        std::size_t number = 0;  // of the assignment: the words of several files are in no order
        Word word;
        bool is_exported = false;
        std::size_t level = 0;                  // where it is set
        std::map<std::size_t, Word> earlier{};  // what it replaces
    };
    using Variables = std::map<std::string, Held, std::less<>>;
    struct Level {
        enum class Kind { branch, loop, function, group, subshell, substitution } kind;
        Variables before;
        std::vector<std::string> changed{};
        std::string function{};
        bool has_commands = false, has_started = false;
    };

    void next_part();
    std::size_t read_keywords(const std::vector<std::string_view>& words);
    void open(Level::Kind kind, std::string_view function = {});
    void close();
    void forget(const std::string& name);
    void set(std::string name, Word word, bool is_exported);
    void read_all();
    void declare(const std::vector<std::string_view>& words, std::size_t first);
    void run(const std::vector<std::string_view>& words, std::size_t first, const std::vector<Word>& in_front);
    void start(const std::vector<Word>& in_front);

    std::function<bool(std::string_view)> is_known_;
    OnStart on_start_;
    Variables held_;
    std::vector<Level> levels_;
    std::map<std::string, std::vector<std::string>, std::less<>> functions_;  // what they change
    std::string header_;                                                      // of a function whose body has not begun
    std::size_t set_ = 0;                                                     // assignments
    bool is_header_ = false;                                                  // () was read
    bool exports_all_ = false;                                                // set -a
    bool has_started_ = false;
    bool is_changed_ = false;         // since the last start
    const char* pattern_ = nullptr;   // of `case`, which is no command
    const char* last_end_ = nullptr;  // of the command before this one
    bool is_conditional_ = false;     // what stands behind && and || may not run
};

}  // namespace shell
