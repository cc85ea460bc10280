// EncodingTable: which character a sequence of bytes is in an encoding, and the way back. It is read from
// rules/encodings/NAME.txt; tests/lint/encodings.py describes the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

class EncodingTable {
public:
    // Of an encoding that canonical_encoding knows, but "utf-8". It lives as long as the program.
    static const EncodingTable& of(std::string_view encoding);

    explicit EncodingTable(std::string_view lines);

    struct Character {
        char32_t code_point;
        std::size_t bytes;
    };
    // The character at the start of `bytes`, where no ASCII is.
    std::optional<Character> first(std::string_view bytes) const;

    // False when the encoding lacks the character.
    bool append(std::string& out, char32_t code_point) const;

private:
    // As many consecutive characters as sequences of bytes; these as numbers that count them.
    struct Run {
        std::uint32_t sequence;
        char32_t code_point;
        std::uint32_t count;
    };
    void add_line(std::string_view line);
    void add(const Run& run, bool written);

    std::vector<Run> by_sequence_;
    std::vector<Run> by_character_;
};

}  // namespace migrator
