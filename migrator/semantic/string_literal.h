// String literals of Python: their value, without prefix, quotes and escapes.
#pragma once

#include <optional>
#include <string>

#include "migrator/syntax/syntax_tree.h"

namespace migrator {

// The value of a str literal, of several in a row, or of one in parentheses. nullopt for bytes, for f-strings with
// interpolations, for \N{...} and lone surrogates, and for everything that is no literal.
std::optional<std::string> string_literal_value(const SyntaxTree& tree, NodeId expression);

}  // namespace migrator
