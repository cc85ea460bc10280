// The words of the report's enumerations as people read them, and their enumerators in order.
#pragma once

#include <array>
#include <string_view>

#include "base/language.h"
#include "migrator/rewrite/file_outcome.h"

namespace migrator {

inline constexpr std::array kAllSeverities{Severity::error, Severity::warning, Severity::info};
inline constexpr std::array kAllStates{FixState::none,        FixState::applied,  FixState::available,
                                       FixState::uncertain,   FixState::conflict, FixState::at_run_time,
                                       FixState::syntax_guard};

std::string_view title(FindingKind kind);  // "Device strings"
std::string_view title(FixState state);    // "not certain enough"
// The word that rule files have; in another language, which has no such words, the title.
std::string kind_word(const base::Language& say, FindingKind kind);

}  // namespace migrator
