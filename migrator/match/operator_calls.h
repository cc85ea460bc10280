// OperatorUses: where Python builds extensions, and calls what may be an operator of the project's C++ sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace migrator {

struct MatchContext;
struct ParsedText;

struct OperatorCall {
    std::string op;              // as operator_in_python names it
    std::string module;          // that has it: "ops._C"; empty for the framework's name space
    bool is_of_package = false;  // that rules know: it counts where the project builds a module of this name
    std::uint32_t line = 0;      // from 1
    std::string wrapper;         // the class around it that pairs an operator with its gradient; empty: none
    bool is_gradient = false;    // in that class's method for the gradient
};

struct ExtensionBuild {
    std::string module;
    std::vector<std::string> sources;  // that are written out
};

struct OperatorUses {
    std::vector<OperatorCall> calls;
    std::vector<ExtensionBuild> builds;
};

// Of a Python file, in source order: what goes through the framework's name space of operators, or into a module that is
// neither a known package nor one of the project with a source.
OperatorUses operator_uses(const MatchContext& context, const ParsedText& parsed);

// How Python reaches a registered operator: "torch.ops.ns.scale" for "ns::scale". The function of a compiled module, which
// may have any name, is "scale".
std::string operator_in_python(std::string_view registered);
// The same of a name in Python, whose last part may be an overload of it.
std::string_view operator_without_overload(std::string_view qualified);

}  // namespace migrator
