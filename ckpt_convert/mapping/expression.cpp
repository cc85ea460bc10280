#include "ckpt_convert/mapping/expression.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/format.h"

namespace ckpt {

// Precedence climbing with an explicit operator stack, so that nested parentheses need no recursion.
class ExpressionParser {
public:
    ExpressionParser(std::string_view text, const std::string& where) : rest_(text), where_(where) {
        out_.text_ = text;
    }

    Result<Expression> parse() {
        bool want_operand = true;
        while (skip_space(), !rest_.empty()) {
            if (want_operand) {
                TRY_ASSIGN(want_operand, operand());
            } else {
                TRY_ASSIGN(want_operand, binary_or_close());
            }
        }
        if (want_operand) return error("a value is missing at the end");
        while (!stack_.empty()) {
            if (stack_.back().open) return error("a closing parenthesis is missing");
            pop();
        }
        return std::move(out_);
    }

private:
    using Op = Expression::Op;
    struct Pending {
        bool open = false;  // "("
        Op op = Op::add;
        int precedence = 0;
    };
    static constexpr int kUnaryPrecedence = 7;

    // Each returns whether an operand must follow.
    Result<bool> operand() {
        char c = rest_.front();
        if (c == '(' || c == '!' || c == '-') {
            rest_.remove_prefix(1);
            stack_.push_back(c == '(' ? Pending{true, Op::add, 0}
                                      : Pending{false, c == '!' ? Op::logical_not : Op::negate, kUnaryPrecedence});
            return true;
        }
        std::size_t length = 0;
        while (length < rest_.size() &&
               (std::isalnum(static_cast<unsigned char>(rest_[length])) || rest_[length] == '_'))
            ++length;
        if (length == 0) return error(base::format("\"{}\" is not expected here", c));
        std::string_view word = rest_.substr(0, length);
        rest_.remove_prefix(length);
        if (!std::isdigit(static_cast<unsigned char>(word.front()))) {
            push_name(word);
            return false;
        }
        std::int64_t value = 0;
        auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (code != std::errc() || end != word.data() + word.size())
            return error(base::format("\"{}\" is not a number", word));
        out_.steps_.push_back({Op::push_integer, value});
        return false;
    }

    Result<bool> binary_or_close() {
        if (rest_.front() == ')') {
            rest_.remove_prefix(1);
            while (!stack_.empty() && !stack_.back().open) pop();
            if (stack_.empty()) return error("a closing parenthesis has no opening one");
            stack_.pop_back();
            return false;
        }
        struct Binary {
            std::string_view text;
            Op op;
            int precedence;
        };
        static constexpr Binary kBinary[] = {
            {"==", Op::equal, 3},     {"!=", Op::not_equal, 3}, {"<=", Op::less_equal, 3}, {">=", Op::greater_equal, 3},
            {"<", Op::less, 3},       {">", Op::greater, 3},    {"+", Op::add, 4},         {"-", Op::subtract, 4},
            {"*", Op::multiply, 5},   {"/", Op::divide, 5},     {"%", Op::remainder, 5},   {"&", Op::logical_and, 2},
            {"|", Op::logical_or, 1},
        };
        for (const Binary& binary : kBinary) {
            if (!rest_.starts_with(binary.text)) continue;
            rest_.remove_prefix(binary.text.size());
            while (!stack_.empty() && !stack_.back().open && stack_.back().precedence >= binary.precedence) pop();
            stack_.push_back({false, binary.op, binary.precedence});
            return true;
        }
        return error(base::format("an operator is expected before \"{}\"", rest_));
    }

    void push_name(std::string_view word) {
        auto found = std::find(out_.names_.begin(), out_.names_.end(), word);
        auto index = found - out_.names_.begin();
        if (found == out_.names_.end()) out_.names_.emplace_back(word);
        out_.steps_.push_back({Op::push_name, index});
    }

    void pop() {
        out_.steps_.push_back({stack_.back().op, 0});
        stack_.pop_back();
    }

    void skip_space() {
        while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
    }

    tl::unexpected<base::Error> error(const std::string& problem) const {
        return base::fail(ErrorKind::rule_data,
                          base::format("the expression \"{}\" does not parse: {}", out_.text_, problem), where_);
    }

    Expression out_;
    std::string_view rest_;
    std::string where_;
    std::vector<Pending> stack_;
};

Result<Expression> Expression::parse(std::string_view text, const std::string& where) {
    return ExpressionParser(text, where).parse();
}

bool Expression::is_truth() const {
    const Step& last = steps_.back();
    if (last.op == Op::push_integer) return last.operand == 0 || last.operand == 1;
    return last.op == Op::logical_not || last.op >= Op::equal;
}

Result<std::int64_t> Expression::evaluate(const Lookup& lookup) const {
    std::vector<std::int64_t> stack;
    for (const Step& step : steps_) {
        if (step.op == Op::push_integer) {
            stack.push_back(step.operand);
            continue;
        }
        if (step.op == Op::push_name) {
            const std::string& name = names_[static_cast<std::size_t>(step.operand)];
            auto value = lookup(name);
            if (!value)
                return base::fail(ErrorKind::bad_input, base::format("\"{}\" has no value in \"{}\"", name, text_));
            stack.push_back(*value);
            continue;
        }
        std::int64_t right = stack.back();
        stack.pop_back();
        if (step.op == Op::logical_not) {
            stack.push_back(right == 0);
            continue;
        }
        if (step.op == Op::negate) {
            TRY_ASSIGN(const std::int64_t value, apply(Op::subtract, 0, right));
            stack.push_back(value);
            continue;
        }
        std::int64_t left = stack.back();
        stack.pop_back();
        TRY_ASSIGN(std::int64_t value, apply(step.op, left, right));
        stack.push_back(value);
    }
    return stack.back();
}

Result<std::int64_t> Expression::apply(Op op, std::int64_t left, std::int64_t right) const {
    std::int64_t out = 0;
    bool overflow = false;
    switch (op) {
        case Op::add: overflow = __builtin_add_overflow(left, right, &out); break;
        case Op::subtract: overflow = __builtin_sub_overflow(left, right, &out); break;
        case Op::multiply: overflow = __builtin_mul_overflow(left, right, &out); break;
        case Op::divide:
        case Op::remainder:
            if (right <= 0 || left < 0) {
                return base::fail(ErrorKind::bad_input, base::format("\"{}\" divides {} by {}", text_, left, right));
            }
            if (op == Op::remainder) return left % right;
            if (left % right != 0) {
                return base::fail(ErrorKind::bad_input,
                                  base::format("\"{}\": {} is not a multiple of {}", text_, left, right));
            }
            return left / right;
        case Op::equal: return left == right;
        case Op::not_equal: return left != right;
        case Op::less: return left < right;
        case Op::less_equal: return left <= right;
        case Op::greater: return left > right;
        case Op::greater_equal: return left >= right;
        case Op::logical_and: return left != 0 && right != 0;
        case Op::logical_or: return left != 0 || right != 0;
        default: break;
    }
    if (overflow) return base::fail(ErrorKind::bad_input, base::format("\"{}\" is too large", text_));
    return out;
}

}  // namespace ckpt
