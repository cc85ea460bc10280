#include "migrator/match/value_edits.h"

#include <utility>

#include "migrator/match/literal_expressions.h"

namespace migrator {
namespace {

// Another text between the quotes of a literal.
std::string requoted(std::string_view literal, const std::string& text) {
    const std::size_t quotes = literal.size() >= 6 && literal[literal.size() - 3] == literal.back() ? 3 : 1;
    const std::size_t open = literal.find_first_of("'\"") + quotes;
    return std::string(literal.substr(0, open)) + text + std::string(literal.substr(literal.size() - quotes));
}

// Other text in the place of the tokens.
std::optional<std::vector<Edit>> renamed(const Literal& literal, const std::vector<ValueToken>& tokens) {
    std::vector<Edit> edits;
    for (const ValueToken& token : tokens) {
        const auto range = literal.range_of(token.begin, token.end);
        if (!range) return std::nullopt;
        edits.push_back({*range, token.replacement});
    }
    return edits;
}

// Expressions in the place of the tokens.
std::optional<std::vector<Edit>> computed(const PythonFile& file, const Literal& literal, const ValueRow& row,
                                          const std::vector<ValueToken>& tokens) {
    std::vector<LiteralExpression> parts;
    for (const ValueToken& token : tokens) {
        const auto expression = row.replace_by.find(literal.text.substr(token.begin, token.end - token.begin));
        if (expression == row.replace_by.end()) return std::nullopt;
        parts.push_back({token.begin, token.end, expression->second});
    }
    return expression_edits(file.tree(), literal, parts);
}

// What the program asks about a device is told by the device itself, which nothing redirects: both names are right.
//   kind == "cuda" -> kind in ("cuda", "npu")      kind in ["cuda", "mps"] -> kind in ["cuda", "npu", "mps"]
//   case "cuda": -> case "cuda" | "npu":
std::optional<std::vector<Edit>> compared_with_both(const PythonFile& file, const Literal& literal,
                                                    const std::vector<ValueToken>& tokens, ValueFlow& flow) {
    const SyntaxTree& tree = file.tree();
    const base::ByteRange range = tree.range(literal.node);
    const std::string_view text = tree.text(literal.node);
    if (tree.kind(literal.node) != NodeKind::string || tokens.size() != 1) return std::nullopt;
    const std::string both = std::string(text) + ", " + requoted(text, replaced(literal.text, tokens));
    NodeId operand = literal.node;
    const NodeKind around = tree.kind(tree.parent(operand));
    if (around == NodeKind::case_pattern || around == NodeKind::keyword_pattern)
        return std::vector<Edit>{{range, std::string(text) + " | " + requoted(text, replaced(literal.text, tokens))}};
    const bool is_listed = around == NodeKind::list || around == NodeKind::tuple || around == NodeKind::set;
    if (is_listed) operand = tree.parent(operand);
    const NodeId comparison = tree.parent(operand);
    if (tree.kind(comparison) != NodeKind::comparison_operator) return std::nullopt;
    const NodeList operands = tree.named_children(comparison);
    if (operands.size() != 2 || operands[1] != operand || !flow.is_value(operands[0])) return std::nullopt;
    const base::ByteRange between{tree.range(operands[0]).end, tree.range(operand).begin};
    const std::string_view written = tree.source().substr(between.begin, between.end - between.begin);
    if (is_listed && written.find("in") != written.npos) return std::vector<Edit>{{range, both}};
    for (const auto& [sign, word] : {std::pair{"==", "in"}, std::pair{"!=", "not in"}}) {
        const std::size_t at = written.find(sign);
        if (is_listed || at == written.npos) continue;
        // `x=="cuda"`: words need blanks around them.
        const std::string before = at == 0 ? " " : "";
        const std::string behind = at + 2 == written.size() ? " " : "";
        const base::ByteRange place{between.begin + at, between.begin + at + 2};
        return std::vector<Edit>{{place, before + word + behind}, {range, "(" + both + ")"}};
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<Edit>> value_edits(const PythonFile& file, const Literal& literal, const ValueRow& row,
                                             const std::vector<ValueToken>& tokens, ValueFlow& flow) {
    switch (file.rules().style().kind) {
        case StyleKind::npu: return renamed(literal, tokens);
        case StyleKind::portable: return computed(file, literal, row, tokens);
        case StyleKind::automatic:
            return row.rule->at_run_time ? compared_with_both(file, literal, tokens, flow) : renamed(literal, tokens);
    }
    return std::nullopt;
}

}  // namespace migrator
