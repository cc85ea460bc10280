// ShellBranches: which parts of a script run: `if` and `case` whose values the script says itself are decided.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/launch/shell_expansion.h"

namespace ckpt {

class ShellBranches {
public:
    explicit ShellBranches(ShellExpansion& shell) : shell_(shell) {}

    // Takes the words that say where parts begin and end; false: what is left of the command does not run.
    bool runs(std::vector<std::string_view>& words);
    // A pattern of `case WORD in`.
    void pattern(std::string_view word, std::string_view pattern);
    bool is_running() const;
    // Whether several parts were read of which only one runs.
    bool is_undecided() const { return is_undecided_; }

private:
    // An `if` or a `case` that is open.
    struct Level {
        bool is_running = true;
        bool is_taken = false;            // one of its parts runs for sure
        bool was_skipped = false;         // the part before this one does not run for sure
        bool is_condition = false;        // between `if` and `then`
        std::optional<bool> condition{};  // what the part of it says that has been read
        const char* condition_end = nullptr;
        bool is_decided = true;           // nothing outside the script has a say
        bool is_between_patterns = true;  // of `case`: no command has come since the last one
        const char* pattern = nullptr;    // where the last one stands
    };
    void begin_condition(const std::vector<std::string_view>& words);
    void go_on(const std::vector<std::string_view>& words);
    void decide(Level& level);
    std::optional<bool> holds(const std::vector<std::string_view>& words);
    std::optional<bool> is_empty(std::string_view raw);
    std::optional<std::string> one_word(std::string_view raw);

    ShellExpansion& shell_;
    std::vector<Level> levels_;
    bool is_undecided_ = false;
};

}  // namespace ckpt
