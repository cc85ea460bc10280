// deep_toml_key: whether a text is too deep for the TOML library, which recurses on keys such as a.a.a.a.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace migrator {

inline constexpr std::size_t kMaxTomlKeyParts = 100;  // pyproject.toml needs a handful; nested values have limits there

// The line, from 1, of the first key with more parts. Reads the text once, and also one that is no TOML.
std::optional<std::uint64_t> deep_toml_key(std::string_view text);

}  // namespace migrator
