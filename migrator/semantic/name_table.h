// NameTable: dotted names as small numbers, so that comparing and extending them costs nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace migrator {

using NameId = std::uint32_t;
inline constexpr NameId kNoName = 0;

class NameTable {
public:
    // No name of a module or a member is longer: what is has none, as every use of it would cost as much as it is long.
    static constexpr std::size_t kMaxNameBytes = 512;

    NameTable() { texts_.emplace_back(); }

    // The text must outlive the table; a piece of the source, or a literal.
    NameId intern(std::string_view text);
    NameId intern_copy(std::string_view text);
    // "torch" + "cuda" -> "torch.cuda"; kNoName when the result would be absurdly long: a chain of a million members
    // must not build a million names of a million bytes.
    NameId child(NameId parent, std::string_view member);
    std::optional<NameId> find(std::string_view text) const;
    std::string_view text(NameId id) const { return texts_[id]; }

private:
    NameId add(std::string_view text);

    std::vector<std::string_view> texts_;
    std::unordered_map<std::string_view, NameId> ids_;
    std::unordered_map<std::uint64_t, NameId> children_;  // parent and member
    std::deque<std::string> owned_;
};

}  // namespace migrator
