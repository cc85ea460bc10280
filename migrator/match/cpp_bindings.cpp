// Registrations in C++ sources: blocks of a macro with lines that name operators.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "migrator/match/cpp_operators.h"
#include "migrator/match/cpp_uses.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

// Of a library, and of a text behind a macro: any number of operators may have it in their names.
constexpr std::size_t kMaxNameBytes = 1024;

class BindingReader {
public:
    BindingReader(const CppTokens& tokens, const RuleSet& rules) : tokens_(tokens), rules_(rules) { read_macros(); }

    std::vector<OperatorBinding> run() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (!tokens_.is_word(i)) continue;
            for (const RegistrationRow& row : rules_.registrations) {
                if (base::contains(row.macros, tokens_.text(i))) block(i, row);
            }
        }
        return std::move(out_);
    }

private:
    std::string_view text(std::size_t i) const { return tokens_.text(i); }
    bool is_word(std::size_t i) const { return tokens_.is_word(i); }

    // #define NAME "text"
    void read_macros() {
        for (std::size_t i = 0; i + 3 < tokens_.size(); ++i) {
            const bool defines = text(i) == "#" && text(i + 1) == "define" && is_word(i + 2);
            if (defines && tokens_.is_string(i + 3) && text(i + 3).size() <= kMaxNameBytes)
                macros_.emplace(text(i + 2), text(i + 3));
        }
    }

    // MACRO(namespace, variable) { variable.method("name...", ...); }
    void block(std::size_t macro, const RegistrationRow& row) {
        if (text(macro + 1) != "(") return;
        std::size_t body = tokens_.behind_brackets(macro + 1);
        if (text(body) != "{" || body < macro + 4) return;
        if (!row.keys.empty() && !base::contains(row.keys, text(macro + 4))) return;
        if (text(macro + 2).size() > kMaxNameBytes) return;
        std::string library(text(macro + 2));
        std::string_view variable = text(body - 2);
        std::size_t end = tokens_.behind_brackets(body);
        for (std::size_t i = body; i + 3 < end; ++i) {
            // Blocks do not lie in each other: a bracket is missing.
            if (is_word(i) && base::contains(row.macros, text(i))) return;
            // variable.method( or a chained ).method(
            bool call =
                text(i) == "." && is_word(i + 1) && text(i + 2) == "(" && base::contains(row.methods, text(i + 1));
            if (!call || (text(i - 1) != variable && text(i - 1) != ")")) continue;
            operator_name(i + 2, library, row);
        }
    }

    void operator_name(std::size_t open, const std::string& library, const RegistrationRow& row) {
        std::size_t at = open + 1;
        if (is_word(at) && (text(at + 1) == "," || text(at + 1) == ")")) {
            const auto macro = macros_.find(text(at));
            add(at, open, macro == macros_.end() ? text(at) : macro->second, library, row);
            return;
        }
        while (is_word(at) || text(at) == "(" || text(at) == ":") ++at;  // MACRO("...") around the name
        if (tokens_.is_string(at)) add(at, open, text(at), library, row);
    }

    void add(std::size_t at, std::size_t open, std::string_view schema, const std::string& library,
             const RegistrationRow& row) {
        std::string name(schema.substr(0, schema.find_first_of("( ")));
        OperatorBinding out;
        out.row = &row;
        out.subject = row.namespaced ? library + "::" + name : std::move(name);
        out.range = {tokens_[at].begin, tokens_[at].end};
        out.signature = schema_signature(schema);
        const std::size_t behind = tokens_.behind_brackets(open);
        std::size_t argument = at + 1;
        while (argument < behind && text(argument) != ",") ++argument;
        called(argument + 1, behind, out);
        out_.push_back(std::move(out));
    }

    // What stands behind the name: &ns::f, &f<float>, TORCH_FN(f), [](...) { ... }
    void called(std::size_t at, std::size_t end, OperatorBinding& out) const {
        if (at >= end) return;
        if (text(at) == "[") {
            lambda(tokens_.behind_brackets(at), out);
            return;
        }
        std::size_t angles = 0;
        for (; at < end && !(text(at) == "," && angles == 0); ++at) {
            if (text(at) == "<") ++angles;
            else if (text(at) == ">" && angles > 0) --angles;
            else if (is_word(at) && angles == 0) out.function = text(at);
        }
    }

    void lambda(std::size_t at, OperatorBinding& out) const {
        if (text(at) != "(") return;
        out.signature = {cpp_parameters(tokens_, at), {}, true, false};
        std::size_t body = tokens_.behind_brackets(at);
        const std::size_t arrow = body;
        while (body < tokens_.size() && text(body) != "{" && text(body) != ";") ++body;
        if (text(arrow) == "-") out.signature.result = cpp_text(tokens_, arrow + 2, body);
        if (text(body) == "{") out.uses = cpp_uses(tokens_, body, tokens_.behind_brackets(body));
    }

    const CppTokens& tokens_;
    const RuleSet& rules_;
    std::map<std::string_view, std::string_view> macros_;  // the first text of each
    std::vector<OperatorBinding> out_;
};

}  // namespace

std::vector<OperatorBinding> operator_bindings(const CppTokens& tokens, const RuleSet& rules) {
    return BindingReader(tokens, rules).run();
}

}  // namespace migrator
