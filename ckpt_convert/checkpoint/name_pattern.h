// NamePattern: the regular expressions that checkpoints tell parameters by, compared in a time that grows with the name alone.
//
// Of Python's: characters, ".", "\." and other characters behind a backslash, \d \w \s, sets in brackets, groups, "|", "*", "+", "?",
// "^" and "$". As in re.match what follows the end of the pattern does not matter.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt {

// The only name that a pattern such as "^layers\.0\.weight$" fits; nullopt: it is not of this kind.
std::optional<std::string> literal_name(std::string_view text);

class NamePattern {
public:
    // nullopt: the pattern has something else, or is longer than patterns of names are.
    static std::optional<NamePattern> parse(std::string_view text);

    bool matches(std::string_view name) const;

private:
    // A state of the automaton: one character and what follows, or two states instead of it.
    struct State {
        enum class Kind : std::uint8_t { characters, split, jump, begin, end, accept } kind = Kind::accept;
        std::vector<bool> set = {};  // by byte
        std::size_t next = 0;
        std::size_t other = 0;  // of a split
    };
    class Parser;

    std::vector<State> states_;
};

}  // namespace ckpt
