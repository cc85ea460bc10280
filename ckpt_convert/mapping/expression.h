// Expression: the small integer arithmetic of mapping files: "heads * head_dim", "tied & pp > 1", "!tied".
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"

namespace ckpt {

// Grammar, loosest first:  | ; & ; == != < <= > >= ; + - ; * / % ; ! and unary - ; integer, name, (...).
// Truth values are 0 and 1. Division must be exact.
class Expression {
public:
    // The value of a name, or nullopt when it has none.
    using Lookup = std::function<std::optional<std::int64_t>(std::string_view name)>;

    // Fails with rule_data; `where` is the place of the text in its file.
    static Result<Expression> parse(std::string_view text, const std::string& where);

    // Fails with bad_input: a name without value, a division with remainder or by zero, an overflow.
    Result<std::int64_t> evaluate(const Lookup& lookup) const;

    // A comparison, what ! & | make of others, or 0 or 1.
    bool is_truth() const;

    const std::string& text() const { return text_; }
    const std::vector<std::string>& names() const { return names_; }

private:
    friend class ExpressionParser;

    enum class Op : std::uint8_t {
        push_integer,
        push_name,
        negate,
        logical_not,
        multiply,
        divide,
        remainder,
        add,
        subtract,
        equal,
        not_equal,
        less,
        less_equal,
        greater,
        greater_equal,
        logical_and,
        logical_or,
    };
    struct Step {
        Op op = Op::push_integer;
        std::int64_t operand = 0;  // the integer, or the index of the name
    };
    Result<std::int64_t> apply(Op op, std::int64_t left, std::int64_t right) const;

    std::string text_;
    std::vector<std::string> names_;
    std::vector<Step> steps_;  // postfix
};

}  // namespace ckpt
