// The vocabulary of rule files: every word of "match", of tables, and every section, each with its file in words/.
#pragma once

#include <span>
#include <string>

#include "migrator/rule/rule_word.h"

namespace migrator {

std::span<const RuleWord> rule_words();
std::span<const RowWord> row_words();
// In the order in which they are read.
std::span<const RuleSection> rule_sections();

// The JSON Schema of a rule file.
std::string rule_file_schema();

}  // namespace migrator
