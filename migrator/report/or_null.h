// or_null: an empty text as null of JSON.
#pragma once

#include <optional>
#include <string>

namespace migrator {

inline std::optional<std::string> or_null(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace migrator
