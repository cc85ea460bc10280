// OperatorCall: a call in Python that may reach an operator which the C++ sources of the project register.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

struct MatchContext;
struct ParsedText;

struct OperatorCall {
    std::string op;          // as operator_in_python names it
    std::uint32_t line = 0;  // from 1
};

// Of a Python file, in source order: what goes through the framework's name space of operators, or into a module that is
// neither a known package nor one of the project with a source.
std::vector<OperatorCall> operator_calls(const MatchContext& context, const ParsedText& parsed);

// How Python reaches a registered operator: "torch.ops.ns.scale" for "ns::scale". The function of a compiled module, which
// may have any name, is "scale".
std::string operator_in_python(std::string_view registered);

}  // namespace migrator
