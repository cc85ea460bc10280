// cpp_uses: the functions that a piece of C++ calls, launches or passes on.
#pragma once

#include <string>
#include <vector>

#include "migrator/match/cpp_tokens.h"

namespace migrator {

// Their last names, sorted: `ns::f(x)`, `f<T>(x)`, `k<<<n, m>>>(x)`, `&f`. Members of objects are none.
std::vector<std::string> cpp_uses(const CppTokens& tokens, std::size_t begin, std::size_t end);

}  // namespace migrator
