// What `migrator explain` says of a name of torch or an operator: where it runs, on which chip, by which kernels.
#pragma once

#include <string>

#include "base/json_writer.h"
#include "base/language.h"
#include "migrator/operators/operator_knowledge.h"

namespace migrator {

// Empty when nothing is known of the word.
std::string operator_page(const base::Language& say, const OperatorKnowledge& knowledge, const std::string& word);
// A list, one object for each chip; empty when nothing is known of the word.
void write_operator_page(base::JsonWriter& json, const OperatorKnowledge& knowledge, const std::string& word);

}  // namespace migrator
