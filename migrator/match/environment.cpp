#include <algorithm>
#include <map>

#include "base/text.h"
#include "migrator/match/matchers.h"
#include "migrator/match/variables.h"

namespace migrator {
namespace {

class EnvironmentMatcher {
public:
    EnvironmentMatcher(const PythonFile& file, FindingSink& sink) : file_(file), sink_(sink) {}

    void match_literal(const Literal& literal) {
        // "NAME", or a command line that begins with "NAME=value".
        std::string_view name = std::string_view(literal.text).substr(0, literal.text.find('='));
        if (name.empty() || !file_.rules().knows_variable(name) || is_key_of_no_variable(literal.node)) return;
        const bool whole = name.size() == literal.text.size();
        VariableUse use{std::string(name), file_.tree().range(literal.node), literal.range_of(0, name.size())};
        use.certainty = whole ? certainty_of(literal.node) : Certainty::textual;
        if (whole) {
            use.value = constant(value_of(literal.node));
        } else {
            const std::size_t begin = name.size() + 1;
            const std::size_t end = std::min(literal.text.find_first_of(" \t;&|", begin), literal.text.size());
            use.value = {literal.text.substr(begin, end - begin), literal.range_of(begin, end)};
        }
        match_variable(file_.rules(), use, sink_);
        if (use.value) together_[part_around(literal.node)].push_back(std::move(use));
    }

    // dict(os.environ, NAME="0"), env.update(NAME="0")
    void match_keyword(NodeId keyword) {
        const SyntaxTree& tree = file_.tree();
        NodeId name = tree.child(keyword, Field::name);
        if (name == kNoNode || !file_.rules().knows_variable(tree.text(name))) return;
        VariableUse use{std::string(tree.text(name)), tree.range(name), tree.range(name)};
        use.value = constant(tree.child(keyword, Field::value));
        match_variable(file_.rules(), use, sink_);
    }

    void match_together() {
        for (const auto& [part, uses] : together_) match_values_together(file_.rules(), uses, sink_);
    }

private:
    // os.environ["NAME"] = value, {"NAME": value}, os.environ.setdefault("NAME", value); kNoNode elsewhere.
    NodeId value_of(NodeId literal) const {
        const SyntaxTree& tree = file_.tree();
        const NodeId parent = tree.parent(literal);
        if (tree.kind(parent) == NodeKind::pair && tree.field(literal) == Field::key)
            return tree.child(parent, Field::value);
        if (tree.kind(parent) == NodeKind::subscript && tree.field(parent) == Field::left &&
            tree.kind(tree.parent(parent)) == NodeKind::assignment)
            return tree.child(tree.parent(parent), Field::right);
        if (tree.kind(parent) != NodeKind::argument_list || certainty_of(literal) != Certainty::resolved)
            return kNoNode;
        for (NodeId argument : tree.named_children(parent)) {
            if (file_.argument_position(argument) == 1) return argument;
        }
        return kNoNode;
    }

    std::optional<VariableUse::Value> constant(NodeId value) const {
        if (value == kNoNode || file_.tree().kind(value) != NodeKind::string) return std::nullopt;
        const auto literal = read_literal(file_.tree(), value);
        if (!literal || literal->text.find(kHole) != std::string::npos) return std::nullopt;
        return VariableUse::Value{literal->text, literal->range_of(0, literal->text.size())};
    }

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
        const auto& mappings = file_.rules().environment_places.mappings;
        for (const Reference& reference : file_.bindings().references(expression)) {
            if (base::contains(mappings, reference.name)) return true;
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
                const auto& parameters = file_.rules().environment_places.parameters;
                for (const Reference& reference : file_.bindings().references(function)) {
                    if (parameters.contains(reference.name)) return Certainty::resolved;
                }
                return Certainty::likely;
            }
            default: return Certainty::likely;
        }
    }

    // The innermost block or dictionary around the node; kNoNode: the file. Variables in one such part are set for the same program.
    NodeId part_around(NodeId node) const {
        const SyntaxTree& tree = file_.tree();
        for (node = tree.parent(node); node != kNoNode; node = tree.parent(node)) {
            if (tree.kind(node) == NodeKind::block || tree.kind(node) == NodeKind::dictionary) break;
        }
        return node;
    }

    const PythonFile& file_;
    FindingSink& sink_;
    std::map<NodeId, std::vector<VariableUse>> together_;
};

}  // namespace

void match_environment(const PythonFile& file, std::span<const Literal> literals, FindingSink& sink) {
    EnvironmentMatcher matcher(file, sink);
    for (const Literal& literal : literals) matcher.match_literal(literal);
    const SyntaxTree& tree = file.tree();
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (tree.kind(id) == NodeKind::keyword_argument) matcher.match_keyword(id);
    }
    matcher.match_together();
    const auto is_named = [&](std::string_view name) {
        return std::ranges::any_of(literals, [&](const Literal& literal) { return literal.text == name; });
    };
    keep_names_single(file.rules(), is_named, sink);
}

}  // namespace migrator
