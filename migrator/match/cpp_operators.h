// CppOperators: which operators a C++ or CUDA source offers to Python, the functions behind them, and the kernels these run.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_position.h"
#include "migrator/match/cpp_signature.h"
#include "migrator/match/cpp_tokens.h"
#include "migrator/source/source_file.h"

namespace migrator {

class RuleSet;
struct RegistrationRow;
struct KernelRow;

// A function on the outer level of a file, or of its name spaces and classes.
struct CppFunction {
    std::string name;
    CppSignature signature;
    std::uint64_t begin = 0;  // of the name, in the text
    std::uint32_t line = 0;
    bool is_kernel = false;          // marked for the device
    bool is_differentiable = false;  // a class, with the gradient of what it computes
    bool is_defined = false;         // false: a declaration
    std::uint32_t build = 0;         // as of a binding
    std::vector<std::string> uses;   // what its body calls, launches or passes on, sorted
};

// One line that offers an operator to Python, or an implementation of it.
struct OperatorBinding {
    const RegistrationRow* row = nullptr;
    std::string subject;    // "scale", "my_ops::scale"
    base::ByteRange range;  // of its name, in the text
    std::uint32_t line = 0;
    std::string module;             // of Python that has it, where the binding says so
    std::uint32_t build = 0;        // of a text in Python: which of the file's calls compiles it, from 1
    std::string function;           // what is called: "scale_cuda"; empty: a lambda, or only a schema
    CppSignature signature;         // of a schema, or of a lambda
    std::vector<std::string> uses;  // of a lambda, sorted
};

struct MarkedKernel {
    const KernelRow* row = nullptr;
    std::size_t token = 0;  // its name
};

struct CppOperators {
    std::vector<OperatorBinding> bindings;
    std::vector<CppFunction> functions;
};

// Whether files of this type can offer operators.
inline bool registers_operators(FileType type) { return type == FileType::cuda || type == FileType::cpp; }

// All in source order. Of bindings alone the lines are not filled.
std::vector<OperatorBinding> operator_bindings(const CppTokens& tokens, const RuleSet& rules);
// Classes that are an operator with its gradient: class Scale : public torch::autograd::Function<Scale> { ... };
void add_differentiable_classes(const CppTokens& tokens, const RuleSet& rules, CppOperators& out);
std::vector<MarkedKernel> marked_kernels(const CppTokens& tokens, const RuleSet& rules);

CppOperators read_cpp_operators(const CppTokens& tokens, const RuleSet& rules);

}  // namespace migrator
