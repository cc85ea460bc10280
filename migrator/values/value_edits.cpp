#include "migrator/values/value_edits.h"

#include <utility>

#include "migrator/python/literal_expressions.h"

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
        const auto expression = row.fix.replace_by.find(literal.text.substr(token.begin, token.end - token.begin));
        if (expression == row.fix.replace_by.end()) return std::nullopt;
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

namespace {

// The source of a node with these edits.
std::string edited(const SyntaxTree& tree, NodeId node, const std::vector<Edit>& edits) {
    const base::ByteRange range = tree.range(node);
    EditSet set;
    for (Edit edit : edits) {
        edit.range = {edit.range.begin - range.begin, edit.range.end - range.begin};
        if (!set.add({edit})) return {};
    }
    return set.apply(tree.text(node));
}

bool has_text(const SyntaxTree& tree, NodeId node) {
    for (NodeId id = node; id < tree.subtree_end(node); ++id) {
        if (tree.kind(id) == NodeKind::string) return true;
    }
    return false;
}

}  // namespace

std::optional<std::vector<Edit>> entry_beside(const PythonFile& file, const Literal& key, const ValueRow& row,
                                              const std::vector<ValueToken>& tokens, ValueFlow& flow) {
    const SyntaxTree& tree = file.tree();
    const NodeId pair = tree.parent(key.node);
    const NodeId value = tree.child(pair, Field::value);
    if (tree.kind(pair) != NodeKind::pair || value == kNoNode) return std::nullopt;
    std::string new_value(tree.text(value));
    if (const auto literal = read_literal(tree, value)) {
        const std::vector<ValueToken> of_value = value_tokens(literal->text, row);
        if (of_value.empty()) return std::vector<Edit>{};
        const auto edits = value_edits(file, *literal, row, of_value, flow);
        if (!edits) return std::nullopt;
        new_value = edited(tree, value, *edits);
    } else if (has_text(tree, value)) {
        return std::nullopt;
    }
    const auto edits = value_edits(file, key, row, tokens, flow);
    if (!edits) return std::nullopt;
    const std::string new_key = edited(tree, key.node, *edits);
    if (new_key.empty() || new_value.empty()) return std::nullopt;
    for (NodeId entry : tree.named_children(tree.parent(pair))) {
        const NodeId other = tree.child(entry, Field::key);
        if (other != kNoNode && tree.text(other) == new_key) return std::vector<Edit>{};
    }
    const std::uint64_t end = tree.range(pair).end;
    return std::vector<Edit>{{{end, end}, ", " + new_key + ": " + new_value}};
}

std::optional<std::vector<Edit>> value_edits(const PythonFile& file, const Literal& literal, const ValueRow& row,
                                             const std::vector<ValueToken>& tokens, ValueFlow& flow) {
    switch (file.rules().style.kind) {
        case StyleKind::npu: return renamed(literal, tokens);
        case StyleKind::portable: return computed(file, literal, row, tokens);
        case StyleKind::automatic:
            return row.rule->at_run_time ? compared_with_both(file, literal, tokens, flow) : renamed(literal, tokens);
    }
    return std::nullopt;
}

}  // namespace migrator
