// value_edits: how a constant of a domain is written in the chosen style.
#pragma once

#include <optional>
#include <vector>

#include "migrator/python/literal.h"
#include "migrator/values/value_flow.h"
#include "migrator/values/value_form.h"

namespace migrator {

// `tokens`: of the literal's text. nullopt when the style has no form for it where it stands.
std::optional<std::vector<Edit>> value_edits(const PythonFile& file, const Literal& literal, const ValueRow& row,
                                             const std::vector<ValueToken>& tokens, ValueFlow& flow);

// For a key that has to stay, an entry for what it is called on the NPU behind that of the key. Nothing where there is one
// already, or where the entry is the same for both; nullopt when it cannot be written.
std::optional<std::vector<Edit>> entry_beside(const PythonFile& file, const Literal& key, const ValueRow& row,
                                              const std::vector<ValueToken>& tokens, ValueFlow& flow);

}  // namespace migrator
