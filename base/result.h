// Result<T>: a value or an Error. Every fallible function returns one; nothing throws across a folder.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace base {

// What went wrong, in the terms the exit code speaks (see docs/reference/exit-codes.md).
enum class ErrorKind {
    usage,         // 2: the command line or its combination of options
    rule_data,     // 3: rules/ or a mapping file does not load
    bad_input,     // 4: an input is missing, unreadable or corrupt
    unsupported,   // 5: well-formed, but something we do not handle
    write_failed,  // 6: the output could not be written
    internal,      // 70: our own invariant
    interrupted,   // 128 + the number of the signal: see interrupt.h
    no_memory,     // 71: the machine, or a limit, does not give what is needed
};

struct Error {
    ErrorKind kind = ErrorKind::internal;
    std::string message;               // what, why, and what to do; no trailing full stop
    std::string where;                 // "file", "file:line:column" or "file: byte N"; empty when not about a place
    std::vector<std::string> context;  // outermost last: "while reading shard 3"

    // "where: message (context; context)", as one printable line: names from outside are in it.
    std::string text() const;
    // The same before it is made printable, for what is a part of another text.
    std::string unescaped_text() const;
};

int exit_code(ErrorKind kind);

template <class T>
class [[nodiscard]] Result : public tl::expected<T, Error> {
public:
    using tl::expected<T, Error>::expected;
};

using Status = Result<void>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message, std::string where = {}) {
    return tl::unexpected<Error>(Error{kind, std::move(message), std::move(where), {}});
}

// Adds a context line to a failed result, for callers that know more than the callee.
inline tl::unexpected<Error> fail_with_context(Error error, std::string context) {
    error.context.push_back(std::move(context));
    return tl::unexpected<Error>(std::move(error));
}

}  // namespace base

#define BASE_CONCAT_(a, b) a##b
#define BASE_CONCAT(a, b) BASE_CONCAT_(a, b)

// TRY(status_expression);  returns the error to the caller. __COUNTER__ because a lambda inside may use TRY as well.
#define TRY(expression) TRY_(BASE_CONCAT(try_result_, __COUNTER__), expression)
#define TRY_(temporary, expression)                                                           \
    do {                                                                                      \
        auto temporary = (expression);                                                        \
        if (!temporary) return ::tl::unexpected<::base::Error>(std::move(temporary).error()); \
    } while (false)

// TRY_ASSIGN(auto value, result_expression);
#define TRY_ASSIGN(declaration, expression) TRY_ASSIGN_(BASE_CONCAT(try_value_, __COUNTER__), declaration, expression)
#define TRY_ASSIGN_(temporary, declaration, expression)                                   \
    auto temporary = (expression);                                                        \
    if (!temporary) return ::tl::unexpected<::base::Error>(std::move(temporary).error()); \
    declaration = std::move(*temporary)
