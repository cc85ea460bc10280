// Patterns and templates as text into trees. Their own names need no resolving: they are written out in full.
#include <algorithm>
#include <set>

#include "base/format.h"
#include "base/text.h"
#include "migrator/pattern/operations.h"
#include "migrator/pattern/pattern_set.h"
#include "migrator/semantic/python_facts.h"

namespace migrator {
namespace {

constexpr std::string_view kHole = "hole__";  // $x is read as the identifier hole__x
constexpr std::uint32_t kMaxLevels = 100;     // of a pattern's tree, on which this file and the matcher recurse

bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string with_identifiers(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '$') out += kHole;
        else out += c;
    }
    return out;
}

// The only expression of the text; kNoNode when it is something else.
NodeId expression_of(const SyntaxTree& tree) {
    if (tree.has_errors()) return kNoNode;
    const NodeList statements = tree.named_children(tree.root());
    if (statements.size() != 1 || tree.kind(statements.front()) != NodeKind::expression_statement) return kNoNode;
    const NodeList inner = tree.named_children(statements.front());
    return inner.size() == 1 ? inner.front() : kNoNode;
}

bool is_deep(const SyntaxTree& tree) {
    std::vector<std::uint32_t> levels(tree.size(), 0);
    for (NodeId id = 1; id < tree.size(); ++id) levels[id] = levels[tree.parent(id)] + 1;  // parents come first
    return std::any_of(levels.begin(), levels.end(), [](std::uint32_t level) { return level > kMaxLevels; });
}

bool is_constant(NodeKind kind) {
    return kind == NodeKind::integer || kind == NodeKind::float_ || kind == NodeKind::true_ ||
           kind == NodeKind::false_ || kind == NodeKind::none || kind == NodeKind::string || kind == NodeKind::ellipsis;
}

}  // namespace

class PatternCompiler {
public:
    explicit PatternCompiler(const RuleSet& rules) : rules_(rules) {}

    base::Result<PatternSet> run() {
        set_.by_root_.resize(rules_.operations.size());
        for (const PatternRow& row : rules_.patterns) TRY(add(row));
        return std::move(set_);
    }

private:
    tl::unexpected<base::Error> error(const std::string& message) const {
        return tl::unexpected<base::Error>(base::Error{base::ErrorKind::rule_data,
                                                       base::format("rule \"{}\": {}", pattern_.row->rule->id, message),
                                                       pattern_.row->place,
                                                       {}});
    }

    base::Status add(const PatternRow& row) {
        pattern_ = {};
        pattern_.row = &row;
        for (const std::string& code : row.code) {
            TRY_ASSIGN(const PatternId root, compile(code));
            const PatternNode& node = set_.nodes_[root];
            if (node.kind != PatternNode::Kind::operation)
                return error(base::format("the pattern \"{}\" does not begin with a known operation", code));
            CompiledPattern::Root added{root, {}};
            collect_operations(root, added.operations);
            set_.by_root_[node.index].push_back({set_.patterns_.size(), pattern_.roots.size()});
            pattern_.roots.push_back(std::move(added));
        }
        // A hole's own patterns may name further holes, so the list grows meanwhile.
        for (std::size_t hole = 0; hole < pattern_.holes.size(); ++hole) {
            if (pattern_.holes[hole].row == nullptr) continue;
            for (const std::string& code : pattern_.holes[hole].row->like) {
                TRY_ASSIGN(const PatternId like, compile(code));
                pattern_.holes[hole].like.push_back(like);
            }
        }
        for (const auto& [name, unused] : row.holes) {
            if (find_hole(name) == pattern_.holes.size())
                return error(base::format("\"holes\" speaks of ${}, which is in no pattern", name));
        }
        if (!row.fix.write.empty()) TRY(compile_template(row.fix.write));
        set_.patterns_.push_back(std::move(pattern_));
        return {};
    }

    base::Result<PatternId> compile(const std::string& code) {
        const std::string text = with_identifiers(code);
        const SyntaxTree tree = SyntaxTree::parse(text);
        if (is_deep(tree)) return error(base::format("a pattern has more than {} levels", kMaxLevels));
        const NodeId expression = expression_of(tree);
        if (expression == kNoNode) return error(base::format("\"{}\" is not one expression of Python", code));
        return compile(tree, expression);
    }

    // Recursive, up to kMaxLevels.
    base::Result<PatternId> compile(const SyntaxTree& tree, NodeId at) {
        at = skip_parentheses(tree, at);
        PatternNode node;
        const std::string_view text = tree.text(at);
        const NodeKind kind = tree.kind(at);
        if (kind == NodeKind::identifier && text.starts_with(kHole)) {
            node.kind = PatternNode::Kind::hole;
            node.index = hole(text.substr(kHole.size()));
        } else if (is_constant(kind) || is_negative_number(tree, at)) {
            node.kind = PatternNode::Kind::constant;
            node.text = text;
        } else if (kind == NodeKind::identifier || is_qualified_name(tree, at)) {
            node.kind = PatternNode::Kind::name;
            node.text = text;
        } else if (kind == NodeKind::call || kind == NodeKind::binary_operator || kind == NodeKind::unary_operator ||
                   element_of_member(tree, at) != nullptr) {
            return compile_operation(tree, at);
        } else {
            node.node = kind;
            for (NodeId child = tree.first_child(at); child != kNoNode; child = tree.next_sibling(child)) {
                if (!tree.named(child) || is_member_name(tree, child)) {
                    node.tokens.emplace_back(tree.text(child));
                    continue;
                }
                TRY_ASSIGN(const PatternId part, compile(tree, child));
                node.parts.push_back(part);
            }
        }
        return add_node(std::move(node));
    }

    base::Result<PatternId> compile_operation(const SyntaxTree& tree, NodeId at) {
        // Names are written out, so what a spelling is called is its text.
        const OperationSpelling* spelling = nullptr;
        std::vector<std::pair<std::string, NodeId>> written;  // keyword or empty, value
        if (tree.kind(at) == NodeKind::call) {
            const NodeId function = tree.child(at, Field::function);
            const bool is_method = tree.kind(function) == NodeKind::attribute && !is_qualified_name(tree, function);
            if (is_method) written.emplace_back("", tree.child(function, Field::object));
            spelling =
                rules_.spelling(is_method ? base::format(".{}", tree.text(tree.child(function, Field::attribute)))
                                          : std::string(tree.text(function)));
            for (const NodeId argument : tree.named_children(tree.child(at, Field::arguments))) {
                const bool named = tree.kind(argument) == NodeKind::keyword_argument;
                written.emplace_back(named ? std::string(tree.text(tree.child(argument, Field::name))) : "",
                                     named ? tree.child(argument, Field::value) : argument);
            }
        } else if (tree.kind(at) == NodeKind::subscript) {
            spelling = element_of_member(tree, at);
            written.emplace_back("", tree.child(tree.child(at, Field::value), Field::object));
            written.emplace_back("", tree.child(at, Field::subscript));
        } else {
            const std::string sign(tree.text(tree.child(at, Field::operator_)));
            const bool is_prefix = tree.kind(at) == NodeKind::unary_operator;
            spelling = rules_.spelling(is_prefix ? sign + "x" : sign);
            written.emplace_back("", tree.child(at, is_prefix ? Field::argument : Field::left));
            if (!is_prefix) written.emplace_back("", tree.child(at, Field::right));
        }
        if (spelling == nullptr)
            return error(
                base::format("\"{}\" is not a spelling of an operation; add it to \"operations\"", tree.text(at)));
        return arguments_of(tree, *spelling, written);
    }

    // $x.shape[0]
    const OperationSpelling* element_of_member(const SyntaxTree& tree, NodeId at) const {
        if (tree.kind(at) != NodeKind::subscript) return nullptr;
        const NodeId object = tree.child(at, Field::value);
        if (tree.kind(object) != NodeKind::attribute) return nullptr;
        return rules_.spelling(base::format(".{}[]", tree.text(tree.child(object, Field::attribute))));
    }

    base::Result<PatternId> arguments_of(const SyntaxTree& tree, const OperationSpelling& spelling,
                                         const std::vector<std::pair<std::string, NodeId>>& written) {
        PatternNode node;
        node.kind = PatternNode::Kind::operation;
        node.index = spelling.operation;
        node.parts.assign(rules_.operations[spelling.operation].parameters.size(), kNoPattern);
        std::size_t position = 0;
        for (const auto& [keyword, value] : written) {
            auto parameter = spelling.parameters.begin();
            if (keyword.empty())
                parameter += static_cast<std::ptrdiff_t>(std::min(position++, spelling.parameters.size()));
            while (!keyword.empty() && parameter != spelling.parameters.end() &&
                   !base::contains(parameter->keywords, keyword))
                ++parameter;
            if (parameter == spelling.parameters.end())
                return error(base::format("\"{}\" fits no parameter of the operation", tree.text(value)));
            TRY_ASSIGN(node.parts[parameter->place], compile(tree, value));
        }
        for (const SpelledParameter& parameter : spelling.parameters) {
            if (!parameter.fixed) continue;
            TRY_ASSIGN(node.parts[parameter.place], compile(*parameter.value));
        }
        return add_node(std::move(node));
    }

    void collect_operations(PatternId id, std::vector<std::size_t>& out) const {
        if (id == kNoPattern) return;
        const PatternNode& node = set_.nodes_[id];
        if (node.kind == PatternNode::Kind::operation) out.push_back(node.index);
        for (const PatternId part : node.parts) collect_operations(part, out);
    }

    base::Status compile_template(const std::string& code) {
        const std::string text = with_identifiers(without_marks(code));
        const SyntaxTree tree = SyntaxTree::parse(text);
        const NodeId root = expression_of(tree);
        if (root == kNoNode) return error(base::format("\"{}\" is not one expression of Python", code));
        const NodeKind kind = tree.kind(root);
        pattern_.template_is_primary = kind == NodeKind::call || kind == NodeKind::subscript ||
                                       kind == NodeKind::attribute || kind == NodeKind::parenthesized_expression;
        std::set<std::string> names;
        for (NodeId id = 0; id < tree.size(); ++id) {
            if (tree.kind(id) != NodeKind::identifier || is_member_name(tree, id)) continue;
            const std::string name(tree.text(id));
            if (!name.starts_with(kHole) && !is_builtin_name(name)) names.insert(name);
            if (name.starts_with(kHole) && find_hole(name.substr(kHole.size())) == pattern_.holes.size())
                return error(base::format("\"write\" has ${}, which is in no pattern", name.substr(kHole.size())));
        }
        pattern_.template_names.assign(names.begin(), names.end());
        pattern_.writes = code.substr(0, code.find('('));
        split_template(code);
        return {};
    }

    static std::string without_marks(std::string code) {
        std::erase(code, '?');
        return code;
    }

    // "f($x, eps=$eps?)": pieces of text with the hole behind each. A ? makes an argument that is written only when the
    // code has it.
    void split_template(std::string_view code) {
        TemplatePiece piece;
        while (!code.empty()) {
            const std::size_t dollar = std::min(code.find('$'), code.size());
            piece.text += code.substr(0, dollar);
            code.remove_prefix(dollar);
            if (code.empty()) break;
            std::size_t end = 1;
            while (end < code.size() && is_name_character(code[end])) ++end;
            piece.hole = find_hole(code.substr(1, end - 1));
            code.remove_prefix(end);
            piece.optional = code.starts_with('?');
            if (piece.optional) {
                code.remove_prefix(1);
                const std::size_t comma = piece.text.rfind(',');
                piece.optional_text = comma == std::string::npos ? "" : piece.text.substr(comma);
                piece.text.resize(piece.text.size() - piece.optional_text.size());
            }
            const std::string before = piece.text + piece.optional_text;
            const std::size_t last = before.find_last_not_of(' ');
            const bool opens =
                last != std::string::npos && std::string_view("(,=[").find(before[last]) != std::string_view::npos;
            const bool closes = !code.empty() && std::string_view("),]").find(code.front()) != std::string_view::npos;
            piece.delimited = opens && closes;
            pattern_.pieces.push_back(std::move(piece));
            piece = {};
        }
        pattern_.pieces.push_back(std::move(piece));
    }

    static bool is_member_name(const SyntaxTree& tree, NodeId id) {
        const NodeKind parent = tree.kind(tree.parent(id));
        return (parent == NodeKind::attribute && tree.field(id) == Field::attribute) ||
               (parent == NodeKind::keyword_argument && tree.field(id) == Field::name);
    }

    static bool is_negative_number(const SyntaxTree& tree, NodeId at) {
        if (tree.kind(at) != NodeKind::unary_operator || !tree.text(at).starts_with('-')) return false;
        const NodeKind kind = tree.kind(tree.child(at, Field::argument));
        return kind == NodeKind::integer || kind == NodeKind::float_;
    }

    static bool is_qualified_name(const SyntaxTree& tree, NodeId at) {
        if (tree.kind(at) != NodeKind::attribute) return false;
        while (tree.kind(at) == NodeKind::attribute) at = tree.child(at, Field::object);
        return tree.kind(at) == NodeKind::identifier && !tree.text(at).starts_with(kHole);
    }

    std::size_t find_hole(std::string_view name) const {
        const auto found = std::find_if(pattern_.holes.begin(), pattern_.holes.end(),
                                        [&](const CompiledPattern::Hole& hole) { return hole.name == name; });
        return static_cast<std::size_t>(found - pattern_.holes.begin());
    }

    std::size_t hole(std::string_view name) {
        const std::size_t found = find_hole(name);
        if (found < pattern_.holes.size()) return found;
        const auto row = pattern_.row->holes.find(name);
        pattern_.holes.push_back({std::string(name), row == pattern_.row->holes.end() ? nullptr : &row->second, {}});
        return found;
    }

    PatternId add_node(PatternNode node) {
        set_.nodes_.push_back(std::move(node));
        return static_cast<PatternId>(set_.nodes_.size() - 1);
    }

    const RuleSet& rules_;
    PatternSet set_;
    CompiledPattern pattern_;  // of the rule at hand
};

base::Result<PatternSet> PatternSet::compile(const RuleSet& rules) { return PatternCompiler(rules).run(); }

}  // namespace migrator
