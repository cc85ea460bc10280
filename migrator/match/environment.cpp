#include <algorithm>

#include "migrator/match/words.h"

namespace migrator {
namespace {

Finding make(const EnvironmentRow& row, base::ByteRange place, Certainty certainty, std::string name) {
    Finding finding =
        make_finding(*row.rule, place, std::move(name), certainty, row.to.value_or(""), row.note, row.source);
    finding.effort = row.effort;
    return finding;
}

class EnvironmentMatcher {
public:
    EnvironmentMatcher(const PythonFile& file, FindingSink& sink) : file_(file), sink_(sink) {}

    void match_literal(const Literal& literal) {
        // "NAME", or a command line that begins with "NAME=value".
        std::string_view name = std::string_view(literal.text).substr(0, literal.text.find('='));
        const EnvironmentRow* row = name.empty() ? nullptr : file_.rules().environment_row(name);
        if (row == nullptr || is_key_of_no_variable(literal.node)) return;
        bool whole = name.size() == literal.text.size();
        Certainty certainty = whole ? certainty_of(literal.node) : Certainty::textual;
        Finding finding = make(*row, file_.tree().range(literal.node), certainty, std::string(name));
        auto range = literal.range_of(0, name.size());
        if (row->same_values && range) finding.fix = Fix{{{*range, *row->to}}, row->rule->imports};
        sink_.push_back(std::move(finding));
    }

    // dict(os.environ, NAME="0"), env.update(NAME="0")
    void match_keyword(NodeId keyword) {
        const SyntaxTree& tree = file_.tree();
        NodeId name = tree.child(keyword, Field::name);
        const EnvironmentRow* row = name == kNoNode ? nullptr : file_.rules().environment_row(tree.text(name));
        if (row == nullptr) return;
        Finding finding = make(*row, tree.range(name), Certainty::likely, std::string(tree.text(name)));
        if (row->same_values) finding.fix = Fix{{{tree.range(name), *row->to}}, row->rule->imports};
        sink_.push_back(std::move(finding));
    }

private:
    // {"NAME": lambda: ...}: variables are texts, so this is a table of the user's own.
    bool is_key_of_no_variable(NodeId literal) const {
        const SyntaxTree& tree = file_.tree();
        if (tree.field(literal) != Field::key) return false;
        const NodeId value = tree.child(tree.parent(literal), Field::value);
        if (value == kNoNode) return false;
        switch (tree.kind(value)) {
            case NodeKind::lambda:
            case NodeKind::dictionary:
            case NodeKind::list:
            case NodeKind::tuple:
            case NodeKind::set: return true;
            default: return false;
        }
    }

    bool is_mapping(NodeId expression) const {
        const auto& mappings = file_.rules().environment_places().mappings;
        for (const Reference& reference : file_.bindings().references(expression)) {
            if (std::find(mappings.begin(), mappings.end(), reference.name) != mappings.end()) return true;
        }
        return false;
    }

    // Names of variables are their own evidence; where the environment is read or written, there is no doubt.
    Certainty certainty_of(NodeId literal) const {
        const SyntaxTree& tree = file_.tree();
        NodeId parent = tree.parent(literal);
        switch (tree.kind(parent)) {
            case NodeKind::subscript:
                return is_mapping(tree.child(parent, Field::value)) ? Certainty::resolved : Certainty::likely;
            case NodeKind::comparison_operator:
                for (NodeId other : tree.named_children(parent)) {
                    if (other != literal && is_mapping(other)) return Certainty::resolved;
                }
                return Certainty::likely;
            case NodeKind::argument_list: {
                NodeId function = tree.child(tree.parent(parent), Field::function);
                const auto& parameters = file_.rules().environment_places().parameters;
                for (const Reference& reference : file_.bindings().references(function)) {
                    if (parameters.contains(reference.name)) return Certainty::resolved;
                }
                return Certainty::likely;
            }
            default: return Certainty::likely;
        }
    }

    const PythonFile& file_;
    FindingSink& sink_;
};

}  // namespace

void match_environment(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    EnvironmentMatcher matcher(file, sink);
    for (const Literal& literal : literals) matcher.match_literal(literal);
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) == NodeKind::keyword_argument) matcher.match_keyword(id);
    }
}

}  // namespace migrator
