// C++ and CUDA sources: kernels, registered operators, names of C++ and CUDA.
#include <algorithm>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "migrator/match/cpp_operators.h"
#include "migrator/match/cpp_tokens.h"
#include "migrator/match/known_operators.h"
#include "migrator/match/matchers.h"
#include "migrator/match/text_file.h"

namespace migrator {
namespace {

class SourceMatcher {
public:
    SourceMatcher(const CppTokens& tokens, const RuleSet& rules, FindingSink& sink)
        : tokens_(tokens), rules_(rules), sink_(sink), found_(read_cpp_operators(tokens, rules)) {}

    void run() {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (!is_word(i)) continue;
            if (text(i) == "include" && i > 0 && text(i - 1) == "#" && text(i + 1) == "<")
                while (i < tokens_.size() && text(i) != ">") ++i;
            if (is_word(i)) symbol(i);
        }
        for (const MarkedKernel& kernel : marked_kernels(tokens_, rules_)) {
            const CppToken& name = tokens_[kernel.token];
            add(*kernel.row->rule, {name.begin, name.end}, std::string(name.text));
        }
        add_operators();
        for (SymbolUse& use : uses_) {
            add_use_count(use.finding, use.count);
            sink_.push_back(std::move(use.finding));
        }
    }

private:
    std::string_view text(std::size_t i) const { return tokens_.text(i); }
    bool is_word(std::size_t i) const { return tokens_.is_word(i); }
    void add(const Rule& rule, base::ByteRange range, std::string subject) {
        sink_.push_back(make_finding(rule, range, std::move(subject), Certainty::resolved, {}, {}, {}));
    }

    void add_operators() {
        std::map<std::string_view, const CppSignature*> signatures;
        for (const CppFunction& function : found_.functions) signatures.emplace(function.name, &function.signature);
        for (const OperatorBinding& binding : found_.bindings) {
            add(*binding.row->rule, binding.range, binding.subject);
            const auto function = signatures.find(binding.function);
            const bool is_elsewhere = binding.signature.known || function == signatures.end();
            const std::string_view name = std::string_view(binding.subject).substr(binding.subject.rfind(':') + 1);
            const KnownOperatorRow* known = known_operator(rules_, {std::string(name), binding.function},
                                                           is_elsewhere ? binding.signature : *function->second);
            if (known != nullptr) become_known(*known, sink_.back());
        }
    }

    // a::b::c, said once for every symbol, where the file uses it first.
    struct SymbolUse {
        Finding finding;
        std::size_t count = 1;
    };
    void symbol(std::size_t first) {
        if (first > 1 && text(first - 1) == ":" && text(first - 2) == ":") return;
        std::string spelled(text(first));
        std::size_t last = first;
        while (text(last + 1) == ":" && text(last + 2) == ":" && is_word(last + 3)) {
            last += 3;
            spelled += "::" + std::string(text(last));
        }
        const auto [known, fresh] = row_of_.try_emplace(std::move(spelled), nullptr);
        if (fresh) known->second = rules_.symbol(known->first);
        const SymbolRow* row = known->second;
        // A function of the file is not the one of PyTorch that ends so.
        if (row == nullptr || (first == last && row->name != known->first && defines(known->first))) return;
        const auto [at, is_new] = use_of_.emplace(row, uses_.size());
        if (!is_new) {
            ++uses_[at->second].count;
            return;
        }
        Finding finding = make_finding(*row->rule, {tokens_[first].begin, tokens_[last].end}, known->first,
                                       Certainty::likely, row->to, row->note, row->source);
        finding.effort = row->effort;
        uses_.push_back({std::move(finding)});
    }

    bool defines(std::string_view name) const {
        return std::ranges::any_of(found_.functions, [&](const CppFunction& function) {
            return function.is_defined && function.name == name;
        });
    }

    const CppTokens& tokens_;
    const RuleSet& rules_;
    FindingSink& sink_;
    const CppOperators found_;
    std::vector<SymbolUse> uses_;
    std::map<const SymbolRow*, std::size_t> use_of_;
    std::map<std::string, const SymbolRow*> row_of_;  // by spelling
};

// A copy with comments blanked out, so that words in them are not found.
std::string without_comments(const CppTokens& tokens) {
    std::string out(tokens.source().size(), ' ');
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto begin = static_cast<std::ptrdiff_t>(tokens[i].begin);
        std::copy(tokens.source().begin() + begin, tokens.source().begin() + static_cast<std::ptrdiff_t>(tokens[i].end),
                  out.begin() + begin);
    }
    return out;
}

}  // namespace

void match_cuda_source(const SourceFile& file, std::string_view text, const MatchContext& context, FindingSink& sink) {
    const CppTokens tokens(text);
    SourceMatcher(tokens, *context.rules, sink).run();
    std::string code = without_comments(tokens);
    TextContents contents{code, 0, {code}, {}, {}, {}};
    match_text_words({file.path, file.type, context.rules, nullptr, std::move(contents)}, sink);
    if (sink.empty()) match_named_file(file, context, sink);
}

}  // namespace migrator
