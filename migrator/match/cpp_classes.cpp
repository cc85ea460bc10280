// Classes of C++ that are an operator with its gradient.
#include <algorithm>

#include "base/text.h"
#include "migrator/match/cpp_operators.h"
#include "migrator/match/cpp_uses.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

constexpr std::size_t kLongestClassHead = 32;  // tokens from the name of a class to its body

class ClassReader {
public:
    ClassReader(const CppTokens& tokens, const RuleSet& rules, CppOperators& out)
        : tokens_(tokens), rules_(rules), out_(out) {}

    void run() {
        for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
            const bool is_class = tokens_.text(i) == "class" || tokens_.text(i) == "struct";
            if (!is_class || !tokens_.is_word(i + 1)) continue;
            const std::size_t body = begin_of_body(i + 1);
            if (body == tokens_.size()) continue;
            for (const RegistrationRow& row : rules_.registrations) {
                if (is_subclass(i + 1, body, row)) add(i + 1, body, row);
            }
        }
    }

private:
    std::size_t begin_of_body(std::size_t name) const {
        for (std::size_t i = name; i < std::min(tokens_.size(), name + kLongestClassHead); ++i) {
            if (tokens_.text(i) == "{") return i;
            if (tokens_.text(i) == ";") break;
        }
        return tokens_.size();
    }

    // NAME : public torch::autograd::Function<NAME>
    bool is_subclass(std::size_t name, std::size_t body, const RegistrationRow& row) const {
        for (std::size_t i = name + 1; i + 2 < body; ++i) {
            if (!base::contains(row.bases, tokens_.text(i)) || tokens_.text(i + 1) != "<") continue;
            for (std::size_t k = i + 2; k < body && tokens_.text(k) != ">"; ++k) {
                if (tokens_.text(k) == tokens_.text(name)) return true;
            }
        }
        return false;
    }

    void add(std::size_t name, std::size_t body, const RegistrationRow& row) {
        const std::size_t end = tokens_.behind_brackets(body);
        OperatorBinding binding;
        binding.row = &row;
        binding.subject = binding.function = tokens_.text(name);
        binding.range = {tokens_[name].begin, tokens_[name].end};
        binding.signature = signature(body, end, row.methods.front());
        CppFunction function;
        function.name = binding.function;
        function.begin = binding.range.begin;
        function.is_defined = function.is_differentiable = true;
        function.signature = binding.signature;
        function.uses = cpp_uses(tokens_, body, end);
        out_.bindings.push_back(std::move(binding));
        out_.functions.push_back(std::move(function));
    }

    // Of the method that computes, without the context in front.
    CppSignature signature(std::size_t body, std::size_t end, std::string_view method) const {
        for (std::size_t i = body; i + 1 < end; ++i) {
            if (tokens_.text(i) != method || tokens_.text(i + 1) != "(") continue;
            std::vector<CppParameter> parameters = cpp_parameters(tokens_, i + 1);
            if (!parameters.empty()) parameters.erase(parameters.begin());
            return {std::move(parameters), {}, true, false};
        }
        return {};
    }

    const CppTokens& tokens_;
    const RuleSet& rules_;
    CppOperators& out_;
};

}  // namespace

void add_differentiable_classes(const CppTokens& tokens, const RuleSet& rules, CppOperators& out) {
    ClassReader(tokens, rules, out).run();
}

}  // namespace migrator
