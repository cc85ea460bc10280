// literal_expressions: parts of a string literal become expressions. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "migrator/edit/edit.h"
#include "migrator/python/literal.h"

namespace migrator {

// [begin, end) of a literal's text, and what is to stand there.
struct LiteralExpression {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string expression;
};

// "cuda" -> kind, "cuda:0" -> f"{kind}:0", f"cuda:{i}" -> f"{kind}:{i}". nullopt where only a literal can stand, as in
// a pattern of `match`, and for a part that is spread over several pieces of a concatenation.
std::optional<std::vector<Edit>> expression_edits(const SyntaxTree& tree, const Literal& literal,
                                                  const std::vector<LiteralExpression>& parts);

}  // namespace migrator
