#include "migrator/match/inline_operators.h"

#include <algorithm>
#include <unordered_set>

#include "base/text.h"
#include "migrator/match/call_argument.h"
#include "migrator/match/matchers.h"
#include "migrator/python/literal.h"
#include "migrator/ruleset/rule_set.h"

namespace migrator {
namespace {

class InlineReader {
public:
    InlineReader(const ParsedText& parsed, const RuleSet& rules)
        : tree_(*parsed.tree), bindings_(*parsed.bindings), rules_(rules), lines_(tree_.source()) {}

    CppOperators run() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.kind(id) != NodeKind::call) continue;
            for (const Reference& reference : bindings_.references(tree_.child(id, Field::function)))
                call(id, reference.name);
        }
        return std::move(out_);
    }

private:
    void call(NodeId id, std::string_view function) {
        for (const ExtensionBuilder& builder : rules_.operator_places.builders) {
            if (!builder.is_inline() || !base::contains(builder.of, function)) continue;
            ++build_;
            source(call_argument(tree_, id, builder.sources, builder.sources_keyword));
            source(call_argument(tree_, id, builder.device_sources, builder.device_sources_keyword));
            for (const RegistrationRow& row : rules_.registrations) {
                if (base::contains(row.builders, function))
                    names(call_argument(tree_, id, builder.functions, builder.functions_keyword), row);
            }
            const NodeId name = call_argument(tree_, id, builder.name, builder.name_keyword);
            const auto module = name == kNoNode ? std::nullopt : bindings_.constant_string(name);
            for (; named_ < out_.bindings.size(); ++named_) {
                out_.bindings[named_].module = module.value_or("");
                out_.bindings[named_].build = build_;
            }
        }
    }

    // A text, or a list of them; of a variable what it is bound to.
    std::vector<Literal> texts(NodeId value, int depth = 0) const {
        std::vector<Literal> out;
        if (value == kNoNode) return out;
        if (tree_.kind(value) == NodeKind::identifier) {
            const BindingSites sites = bindings_.binding_sites(value);
            for (const BindingSite& site : sites.first(std::min(sites.size(), kMaxBindingSites))) {
                if (site.value == kNoNode || tree_.kind(site.value) == NodeKind::identifier) continue;
                for (Literal& literal : texts(site.value, depth + 1)) out.push_back(std::move(literal));
            }
            return out;
        }
        const NodeKind kind = tree_.kind(value);
        if (kind == NodeKind::string || kind == NodeKind::concatenated_string) {
            if (auto literal = read_literal(tree_, value, Escapes::common)) out.push_back(std::move(*literal));
        } else if (kind == NodeKind::list || kind == NodeKind::tuple || kind == NodeKind::dictionary) {
            for (const NodeId item : tree_.named_children(value)) {
                // {"scale": "what is said of it"}
                const NodeId text = tree_.kind(item) == NodeKind::pair ? tree_.child(item, Field::key) : item;
                const bool is_list_in_list = depth > 0 && tree_.kind(text) != NodeKind::string;
                if (is_list_in_list) continue;
                for (Literal& literal : texts(text, depth + 1)) out.push_back(std::move(literal));
            }
        }
        return out;
    }

    void names(NodeId value, const RegistrationRow& row) {
        for (const Literal& literal : texts(value)) {
            if (literal.text.empty() || !std::ranges::all_of(literal.text, base::is_word_char)) continue;
            OperatorBinding binding;
            binding.row = &row;
            binding.subject = binding.function = literal.text;
            binding.range = literal.range_of(0, literal.text.size()).value_or(tree_.range(literal.node));
            binding.line = lines_.position(binding.range.begin).line;
            out_.bindings.push_back(std::move(binding));
        }
    }

    void source(NodeId value) {
        for (const Literal& literal : texts(value)) {
            // Of calls that share a text, the first has what is in it.
            if (!read_.insert(literal.node).second) continue;
            const auto place = [&](std::uint64_t offset) {
                return offset < literal.offsets.size() ? literal.offsets[offset] : tree_.range(literal.node).end;
            };
            CppOperators found = read_cpp_operators(CppTokens(literal.text), rules_);
            for (OperatorBinding& binding : found.bindings) {
                binding.range = {place(binding.range.begin), place(binding.range.end)};
                binding.line = lines_.position(binding.range.begin).line;
                out_.bindings.push_back(std::move(binding));
            }
            for (CppFunction& function : found.functions) {
                function.begin = place(function.begin);
                function.line = lines_.position(function.begin).line;
                function.build = build_;
                out_.functions.push_back(std::move(function));
            }
        }
    }

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const RuleSet& rules_;
    const base::LineIndex lines_;
    CppOperators out_;
    std::uint32_t build_ = 0;  // the calls that compile, so far
    std::size_t named_ = 0;    // bindings whose module is known
    std::unordered_set<NodeId> read_;
};

bool may_build_inline(std::string_view source, const RuleSet& rules) {
    return std::ranges::any_of(rules.operator_places.builders, [&](const ExtensionBuilder& builder) {
        return builder.is_inline() && std::ranges::any_of(builder.of, [&](const std::string& function) {
                   return source.find(last_part(function)) != source.npos;
               });
    });
}

}  // namespace

CppOperators inline_operators(const ParsedText& parsed, const RuleSet& rules) {
    if (!may_build_inline(parsed.tree->source(), rules)) return {};
    return InlineReader(parsed, rules).run();
}

void match_inline_operators(const PythonFile& file, const ParsedText& parsed, FindingSink& sink) {
    const auto report = [&](const CppOperators& found) {
        for (const OperatorBinding& binding : found.bindings)
            sink.push_back(
                make_finding(*binding.row->rule, binding.range, binding.subject, Certainty::resolved, {}, {}, {}));
    };
    if (parsed.operators != nullptr) report(*parsed.operators);
    else report(inline_operators(parsed, file.rules()));
}

}  // namespace migrator
