#include <algorithm>
#include <array>

#include "base/text.h"
#include "migrator/match/matchers.h"
#include "migrator/python/literal.h"
#include "migrator/python/literal_expressions.h"

namespace migrator {
namespace {

// The text as the name that it has on the NPU; in a style that computes names, with expressions for what differs.
std::optional<std::vector<Edit>> renamed(const PythonFile& file, const Literal& literal, const StringRow& row,
                                         std::string_view to) {
    const auto whole = literal.range_of(0, literal.text.size());
    const StyleKind style = file.rules().style.kind;
    if (!whole || (style == StyleKind::automatic && row.rule->at_run_time)) return std::nullopt;
    if (style != StyleKind::portable) return rename_dotted(*whole, literal.text, to);
    std::vector<LiteralExpression> parts;
    for (const Edit& edit : rename_dotted({0, literal.text.size()}, literal.text, to)) {
        const auto expression = row.fix.replace_by.find(edit.replacement);
        if (expression == row.fix.replace_by.end()) return std::nullopt;
        parts.push_back({edit.range.begin, edit.range.end, expression->second});
    }
    if (parts.empty()) return std::nullopt;
    return expression_edits(file.tree(), literal, parts);
}

// Functions of Python and its test tools that take an object by its name.
constexpr std::array<std::string_view, 5> kTakesName{"patch", "setattr", "delattr", "import_module", "__import__"};

bool is_key(const SyntaxTree& tree, NodeId literal) {
    const NodeId parent = tree.parent(literal);
    if (tree.kind(parent) == NodeKind::subscript) return tree.field(literal) == Field::subscript;
    return tree.kind(parent) == NodeKind::pair && tree.field(literal) == Field::key;
}

// "torch.cuda.FloatTensor" is what x.type() gives. Other names are as often labels of the user's own.
Certainty certainty_of_name(const PythonFile& file, const Literal& literal) {
    const SyntaxTree& tree = file.tree();
    const char first = literal.text[literal.text.rfind('.') + 1];
    if (first >= 'A' && first <= 'Z') return Certainty::likely;
    const NodeId parent = tree.parent(literal.node);
    if (tree.kind(parent) != NodeKind::argument_list) return Certainty::textual;
    const std::string_view callee = file.last_name(tree.child(tree.parent(parent), Field::function));
    return base::contains(kTakesName, callee) ? Certainty::likely : Certainty::textual;
}

// Where the name of an object of the framework begins in the text; also that of a module's own: "pkg.train.torch.cuda.x".
std::size_t framework_name(const PythonFile& file, const Literal& literal) {
    const std::string inside = "." + file.rules().framework.loaded_by.front() + ".";
    const std::size_t at = literal.text.find(inside);
    return at == literal.text.npos || file.rules().names.row(literal.text) != nullptr ? 0 : at + 1;
}

// patch("torch.cuda.cudart"): what is patched is nowhere on the NPU.
void match_name_without_counterpart(const PythonFile& file, const Literal& literal, const NameRow& name,
                                    FindingSink& sink) {
    if (certainty_of_name(file, literal) != Certainty::likely ||
        file.tree().kind(file.tree().parent(literal.node)) != NodeKind::argument_list)
        return;
    Finding finding = make_finding(*name.rule, file.tree().range(literal.node), literal.text, Certainty::likely, {},
                                   name.note, name.source);
    finding.effort = name.effort;
    sink.push_back(std::move(finding));
}

void match_literal(const PythonFile& file, const Literal& literal, const StringRow& row, FindingSink& sink) {
    base::ByteRange place = file.tree().range(literal.node);
    auto whole = literal.range_of(0, literal.text.size());
    if (row.qualified_names) {
        const std::size_t begin = framework_name(file, literal);
        const NameRow* name = file.rules().names.row(std::string_view(literal.text).substr(begin));
        if (name == nullptr || literal.text.find('.') == literal.text.npos) return;
        if (literal.text.ends_with('.') || is_key(file.tree(), literal.node)) return;
        // The text of an annotation is read by people and type checkers; programs that evaluate it are rare.
        if (file.tree().ancestor(literal.node, NodeKind::type) != kNoNode) return;
        if (!name->on_npu) return match_name_without_counterpart(file, literal, *name, sink);
        const std::string to = literal.text.substr(0, begin) + *name->on_npu;
        Finding finding = make_finding(*row.rule, place, literal.text, certainty_of_name(file, literal), to, name->note,
                                       name->source);
        finding.effort = name->effort;
        // A module's own `torch` has what is in torch, and nothing of other packages.
        const bool is_reached = begin == 0 || name->on_npu->starts_with(literal.text.substr(
                                                  begin, literal.text.find('.', begin) + 1 - begin));
        if (auto edits = renamed(file, literal, row, to); edits && is_reached)
            finding.fix = Fix{std::move(*edits), row.rule->imports};
        sink.push_back(std::move(finding));
        return;
    }
    if (!base::contains(row.values, literal.text)) return;
    auto replacement = row.fix.replace.find(literal.text);
    std::string_view to =
        replacement == row.fix.replace.end() ? std::string_view{} : std::string_view(replacement->second);
    Finding finding = make_finding(*row.rule, place, literal.text, Certainty::likely, to, {}, {});
    if (whole && replacement != row.fix.replace.end())
        finding.fix = Fix{{{*whole, replacement->second}}, row.rule->imports};
    sink.push_back(std::move(finding));
}

}  // namespace

void match_strings(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    for (const Literal& literal : literals) {
        if (literal.text.empty()) continue;
        for (const StringRow& row : file.rules().strings) match_literal(file, literal, row, sink);
    }
}

}  // namespace migrator
