// ShellExpansion: the words of a shell after its expansions: variables, arrays, defaults, arithmetic.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/launch/script_reading.h"

namespace ckpt {

class ShellExpansion {
public:
    // `directory`: of the script, which $(dirname ...) stands for. `given`: the variables that others set, with * for any end.
    ShellExpansion(Path directory, const std::vector<std::string>& given)
        : directory_(std::move(directory)), given_(given) {}

    // The text that raw words are parts of from now on.
    void in_file(std::uint32_t file, std::string_view text) {
        file_ = file;
        text_ = text;
    }
    // Of a part of that text; of anything else what it came from.
    ScriptPlace place_of(std::string_view part, const ScriptPlace& otherwise = {}) const;
    // The words that a raw word becomes; of "${ARGS[@]}" and of a value with blanks several, of an empty array none.
    std::vector<ScriptWord> words(std::string_view raw);
    // The words in a text with quotes around it, as `eval` and a variable without quotes have them: at their places.
    std::vector<ScriptWord> words_in(std::string_view raw);
    // NAME=("a b" c): the words of a line of it. ${NAME[@]} without quotes becomes more of them than "${NAME[@]}".
    void assign_list(const std::string& name, const std::vector<std::string_view>& raws, bool appends);
    // ARGS="--a 1 \ --b 2": `raw` with its quotes. Gives the value.
    ScriptWord assign_text(const std::string& name, std::string_view raw, bool appends);
    // A value that somebody else gives: an argument, the batch system.
    void assign_given(const std::string& name, const ScriptWord& value);
    bool knows(const std::string& name) const { return variables_.contains(name); }
    // Whether the shell, an argument, the system that starts the job or a script that was not read may give it a value.
    bool is_given_outside(std::string_view name) const { return expects_more_ || is_given(name); }
    // From now on a script that was not read may have set what nothing here sets.
    void expect_more() { expects_more_ = true; }

    // Variables that were used before anything gave them a value and without a default, where a word is nothing but them.
    struct Unset {
        std::string name;
        ScriptPlace place;
    };
    const std::vector<Unset>& unset() const { return unset_; }
    // Whether variables made more text than is followed, or stood in each other deeper: what comes of them is not known then.
    bool is_exhausted() const { return left_ == 0; }

private:
    bool is_given(std::string_view name) const;
    ScriptWord unset_word(std::string_view name, const ScriptPlace& place) const;
    // Of values that replace `$NAME`; false: there were too many, and none is given.
    bool may_take(const std::vector<ScriptWord>& values);
    // Adds the words that a raw word becomes.
    void expand(std::string_view raw, const ScriptPlace& place, std::vector<ScriptWord>& out);
    // Of a variable that stands without quotes, the words.
    std::vector<ScriptWord> unquoted(std::string_view inside, std::vector<ScriptWord> found);
    std::vector<ScriptWord> parameter(std::string_view inside, const ScriptPlace& place);
    ScriptWord substitution(std::string_view command, const ScriptPlace& place) const;
    ScriptWord arithmetic(std::string_view expression, const ScriptPlace& place);

    Path directory_;
    const std::vector<std::string>& given_;
    std::uint32_t file_ = 0;
    std::string_view text_;
    std::map<std::string, std::vector<ScriptWord>> variables_;
    std::map<std::string, std::vector<ScriptWord>> split_;  // without quotes, the words
    std::vector<Unset> unset_;
    // That variables may become: a value that doubles itself has no end.
    static constexpr std::uint64_t kMaxExpandedBytes = 4 << 20;
    std::uint64_t left_ = kMaxExpandedBytes;
    int depth_ = 0;  // of defaults in defaults
    bool expects_more_ = false;
};

}  // namespace ckpt
