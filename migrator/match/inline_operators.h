// inline_operators: the operators that a Python file compiles from C++ which is a text in it.
#pragma once

#include "migrator/match/cpp_operators.h"
#include "migrator/python/match_context.h"

namespace migrator {

// Ranges and lines are those of the Python file.
CppOperators inline_operators(const ParsedText& parsed, const RuleSet& rules);

}  // namespace migrator
