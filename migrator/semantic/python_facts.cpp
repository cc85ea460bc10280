#include "migrator/semantic/python_facts.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <utility>

namespace migrator {
namespace {

// dir(builtins) of Python 3.13, the names every module has of itself, and what Python 2 had besides; sorted.
// clang-format off
constexpr auto kBuiltins = std::to_array<std::string_view>({
    "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError",
    "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError",
    "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning", "EOFError", "Ellipsis",
    "EncodingWarning", "EnvironmentError", "Exception", "ExceptionGroup", "FileExistsError", "FileNotFoundError",
    "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError", "ImportError", "ImportWarning",
    "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError", "KeyError", "KeyboardInterrupt",
    "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "NotADirectoryError", "NotImplemented",
    "NotImplementedError", "OSError", "OverflowError", "PendingDeprecationWarning", "PermissionError",
    "ProcessLookupError", "PythonFinalizationError", "RecursionError", "ReferenceError", "ResourceWarning",
    "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError", "SyntaxWarning",
    "SystemError", "SystemExit", "TabError", "TimeoutError", "TypeError", "UnboundLocalError", "UnicodeDecodeError",
    "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning", "UserWarning", "ValueError",
    "Warning", "WindowsError", "ZeroDivisionError", "__annotations__", "__build_class__", "__builtins__",
    "__cached__", "__class__", "__debug__", "__doc__", "__file__", "__import__", "__loader__", "__module__",
    "__name__", "__package__", "__path__", "__qualname__", "__spec__", "abs", "aiter", "all", "anext", "any", "ascii",
    "basestring", "bin", "bool", "breakpoint", "bytearray", "bytes", "callable", "chr", "classmethod", "cmp",
    "compile", "complex", "copyright", "credits", "delattr", "dict", "dir", "divmod", "enumerate", "eval", "exec",
    "execfile", "exit", "filter", "float", "format", "frozenset", "getattr", "globals", "hasattr", "hash", "help",
    "hex", "id", "input", "int", "isinstance", "issubclass", "iter", "len", "license", "list", "locals", "long",
    "map", "max", "memoryview", "min", "next", "object", "oct", "open", "ord", "pow", "print", "property", "quit",
    "range", "raw_input", "reload", "repr", "reversed", "round", "set", "setattr", "slice", "sorted", "staticmethod",
    "str", "sum", "super", "tuple", "type", "unichr", "unicode", "vars", "xrange", "zip"
});
// clang-format on

using Row = std::pair<std::string_view, std::string_view>;

// clang-format off
constexpr auto kOperators = std::to_array<Row>({
    {"+", "__add__"}, {"-", "__sub__"}, {"*", "__mul__"}, {"/", "__truediv__"}, {"//", "__floordiv__"},
    {"%", "__mod__"}, {"**", "__pow__"}, {"@", "__matmul__"}, {"&", "__and__"}, {"|", "__or__"}, {"^", "__xor__"},
    {"<<", "__lshift__"}, {">>", "__rshift__"}, {"<", "__lt__"}, {"<=", "__le__"}, {"==", "__eq__"}, {"!=", "__ne__"},
    {">", "__gt__"}, {">=", "__ge__"}
});
// clang-format on

// clang-format off
constexpr auto kReflected = std::to_array<Row>({
    {"+", "__radd__"}, {"-", "__rsub__"}, {"*", "__rmul__"}, {"/", "__rtruediv__"}, {"//", "__rfloordiv__"},
    {"%", "__rmod__"}, {"**", "__rpow__"}, {"@", "__rmatmul__"}, {"&", "__rand__"}, {"|", "__ror__"},
    {"^", "__rxor__"}, {"<<", "__rlshift__"}, {">>", "__rrshift__"}, {"<", "__gt__"}, {"<=", "__ge__"},
    {"==", "__eq__"}, {"!=", "__ne__"}, {">", "__lt__"}, {">=", "__le__"}
});
// clang-format on

constexpr auto kUnary = std::to_array<Row>({{"-", "__neg__"}, {"+", "__pos__"}, {"~", "__invert__"}});

template <std::size_t N>
std::optional<std::string_view> find(const std::array<Row, N>& rows, std::string_view key) {
    const auto* found = std::ranges::find(rows, key, &Row::first);
    if (found == rows.end()) return std::nullopt;
    return found->second;
}

// "typing.X" and "typing_extensions.X" -> "X"; empty for everything else.
std::string_view typing_member(std::string_view qualified) {
    for (const std::string_view module : {"typing.", "typing_extensions."}) {
        if (qualified.starts_with(module)) return qualified.substr(module.size());
    }
    return {};
}

}  // namespace

bool is_builtin_name(std::string_view name) { return std::ranges::binary_search(kBuiltins, name); }

std::optional<std::string_view> operator_method(std::string_view symbol) { return find(kOperators, symbol); }
std::optional<std::string_view> reflected_operator_method(std::string_view symbol) { return find(kReflected, symbol); }
std::optional<std::string_view> unary_operator_method(std::string_view symbol) { return find(kUnary, symbol); }

bool is_annotation_wrapper(std::string_view qualified) {
    static constexpr auto kWrappers = std::to_array<std::string_view>(
        {"Annotated", "ClassVar", "Final", "NotRequired", "Optional", "ReadOnly", "Required"});
    return base::contains(kWrappers, typing_member(qualified));
}

bool is_annotation_union(std::string_view qualified) { return typing_member(qualified) == "Union"; }

bool is_typing_name(std::string_view qualified) {
    return !typing_member(qualified).empty() || qualified.starts_with("collections.abc.") ||
           qualified.starts_with("types.");
}

bool is_partial(std::string_view qualified) {
    return qualified == "functools.partial" || qualified == "functools.partialmethod";
}

bool takes_class(std::string_view function) {
    return function == "__new__" || function == "__init_subclass__" || function == "__class_getitem__";
}

}  // namespace migrator
