#include "migrator/match/cpp_operators.h"

#include <algorithm>

#include "base/text.h"
#include "migrator/match/cpp_uses.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

constexpr std::size_t kLongestMarkedHead = 64;  // tokens from the marker to the name of a kernel
constexpr std::size_t kLongestTail = 32;        // tokens from the parameters to the body

// The functions of a file, of its name spaces and classes.
class FunctionReader {
public:
    FunctionReader(const CppTokens& tokens, const RuleSet& rules) : tokens_(tokens), rules_(rules) {}

    std::vector<CppFunction> run() {
        std::size_t head = 0;  // of what is being declared
        for (std::size_t i = 0; i < tokens_.size();) {
            const std::string_view c = tokens_.text(i);
            if (!tokens_.is_word(i)) {
                if (c == "#") {
                    head = i = behind_directive(i);
                    continue;
                }
                if (c == ";" || c == "{" || c == "}") head = i + 1;
                // Values in front of which a = stands are no declarations.
                i = c == "{" && i > 0 && tokens_.text(i - 1) == "=" ? tokens_.behind_brackets(i) : i + 1;
                continue;
            }
            if (tokens_.text(i + 1) != "(") {
                ++i;
                continue;
            }
            i = function(head, i);
            if (tokens_.text(i - 1) == "}" || tokens_.text(i - 1) == ";") head = i;
        }
        return std::move(out_);
    }

private:
    // The first token behind the line of a #, and behind the lines that a backslash joins to it.
    std::size_t behind_directive(std::size_t sign) const {
        const std::string_view source = tokens_.source();
        std::size_t end = source.find('\n', tokens_[sign].begin);
        while (end != source.npos && source[source.find_last_not_of(" \t\r", end - 1)] == '\\')
            end = source.find('\n', end + 1);
        while (sign < tokens_.size() && tokens_[sign].begin < end) ++sign;
        return sign;
    }

    // A name in front of brackets; where to go on.
    std::size_t function(std::size_t head, std::size_t name) {
        const std::size_t behind = tokens_.behind_brackets(name + 1);
        std::size_t body = behind;
        while (body < std::min(tokens_.size(), behind + kLongestTail) && is_of_tail(body)) ++body;
        const bool is_defined = tokens_.text(body) == "{";
        const bool is_declared = tokens_.text(body) == ";" && name > head;
        if (!is_defined && !is_declared) return behind;
        CppFunction out;
        out.name = tokens_.text(name);
        out.begin = tokens_[name].begin;
        out.is_defined = is_defined;
        out.signature = {cpp_parameters(tokens_, name + 1), cpp_text(tokens_, result_begin(head, name), name), true,
                         false};
        for (std::size_t i = head; i < name; ++i) {
            for (const KernelRow& row : rules_.kernels) out.is_kernel |= base::contains(row.all, tokens_.text(i));
        }
        const std::size_t end = is_defined ? tokens_.behind_brackets(body) : body + 1;
        if (is_defined) out.uses = cpp_uses(tokens_, body, end);
        out_.push_back(std::move(out));
        return end;
    }

    // const, noexcept, -> type
    bool is_of_tail(std::size_t i) const {
        static constexpr std::string_view kSigns = "->&:<>";
        return tokens_.is_word(i) ? tokens_.text(i + 1) != "("
                                  : !tokens_.is_string(i) && kSigns.find(tokens_.text(i)) != kSigns.npos;
    }

    // Behind template <...>.
    std::size_t result_begin(std::size_t head, std::size_t name) const {
        if (tokens_.text(head) != "template" || tokens_.text(head + 1) != "<") return head;
        std::size_t angles = 0;
        for (std::size_t i = head + 1; i < name; ++i) {
            if (tokens_.text(i) == "<") ++angles;
            if (tokens_.text(i) == ">" && --angles == 0) return i + 1;
        }
        return head;
    }

    const CppTokens& tokens_;
    const RuleSet& rules_;
    std::vector<CppFunction> out_;
};

// __global__ void __launch_bounds__(256) name(...): the last word in front of the parameters
std::size_t kernel_name(const CppTokens& tokens, std::size_t marker) {
    for (std::size_t i = marker + 1; i < tokens.size() && i < marker + kLongestMarkedHead; ++i) {
        if (tokens.text(i) == ";" || tokens.text(i) == "{") break;
        if (tokens.text(i + 1) != "(" || !tokens.is_word(i)) continue;
        const std::size_t behind = tokens.behind_brackets(i + 1);
        if (!tokens.is_word(behind)) return i;
        i = behind - 1;  // an attribute with arguments
    }
    return tokens.size();
}

}  // namespace

std::vector<std::string> cpp_uses(const CppTokens& tokens, std::size_t begin, std::size_t end) {
    std::vector<std::string> out;
    for (std::size_t i = begin; i < std::min(end, tokens.size()); ++i) {
        if (!tokens.is_word(i) || tokens.text(i - 1) == "." || (tokens.text(i - 1) == ">" && tokens.text(i - 2) == "-"))
            continue;
        const std::string_view next = tokens.text(i + 1);
        // Scale::apply(x)
        const bool is_applied = next == ":" && tokens.text(i + 3) == "apply" && tokens.text(i + 4) == "(";
        if (next == "(" || next == "<" || is_applied || tokens.text(i - 1) == "&") out.emplace_back(tokens.text(i));
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

std::vector<MarkedKernel> marked_kernels(const CppTokens& tokens, const RuleSet& rules) {
    std::vector<MarkedKernel> out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens.is_word(i)) continue;
        for (const KernelRow& row : rules.kernels) {
            if (!base::contains(row.all, tokens.text(i))) continue;
            if (const std::size_t name = kernel_name(tokens, i); name < tokens.size()) out.push_back({&row, name});
        }
    }
    return out;
}

CppOperators read_cpp_operators(const CppTokens& tokens, const RuleSet& rules) {
    CppOperators out{operator_bindings(tokens, rules), FunctionReader(tokens, rules).run()};
    add_differentiable_classes(tokens, rules, out);
    const base::LineIndex lines(tokens.source());
    for (OperatorBinding& binding : out.bindings) binding.line = lines.position(binding.range.begin).line;
    for (CppFunction& function : out.functions) function.line = lines.position(function.begin).line;
    return out;
}

}  // namespace migrator
