// CppSignature: what a function of C++, or the schema of an operator, is called with, as far as its text tells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "migrator/match/cpp_tokens.h"

namespace migrator {

struct CppParameter {
    std::string type;      // "const at::Tensor &", of a schema "Tensor"
    std::string name;      // empty where it has none
    std::string fallback;  // its default: "1.0"
};

struct CppSignature {
    std::vector<CppParameter> parameters;
    std::string result;  // "at::Tensor"; empty: it is not written
    bool known = false;
    bool is_schema = false;  // types and defaults are those of a schema
};

// "scale(Tensor x, float by=1.0) -> Tensor"
CppSignature schema_signature(std::string_view schema);

// Those between the bracket at `open` and its other end.
std::vector<CppParameter> cpp_parameters(const CppTokens& tokens, std::size_t open);
// The source from one token to the other, each blank of it one space.
std::string cpp_text(const CppTokens& tokens, std::size_t begin, std::size_t end);

}  // namespace migrator
