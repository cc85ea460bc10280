// ValueShape: how a constant is wrapped in what is followed: an item of a list, what a mapping has under a key, the
// result of a function.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace migrator {

class ValueShape {
public:
    enum class Level : std::uint8_t { none, item, key, entry, result };
    // Of an item whose place in its sequence is not known.
    static constexpr std::uint8_t kAny = 31;

    bool is_plain() const { return levels_ == 0; }
    // The outermost level: `item` for ["cuda"].
    Level top() const { return static_cast<Level>(levels_ & 7); }
    std::uint8_t index() const { return static_cast<std::uint8_t>((levels_ >> 3) & kAny); }
    // Nothing but sequences: what a name in the plural holds.
    bool is_sequence() const;

    // False when it is wrapped too deeply to be followed.
    bool push(Level level, std::size_t index = kAny);
    void pop() { levels_ >>= kBits; }

    // The levels as text behind a name, the outermost last, and read back; "[1]", "[]", "{:}", "{}", "()".
    std::string text() const;
    static std::optional<ValueShape> read(std::string_view text);

    auto operator<=>(const ValueShape&) const = default;

private:
    static constexpr unsigned kBits = 8;
    std::uint64_t levels_ = 0;
};

}  // namespace migrator
