// Script: one parsed file with its names, and the questions that looking for loops and inserting lines asks.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/text_position.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

class Script {
public:
    // Both must outlive the script.
    Script(const SyntaxTree& of_tree, const Bindings& of_bindings)
        : tree(of_tree), bindings(of_bindings), lines_(of_tree.source()) {}

    const SyntaxTree& tree;
    const Bindings& bindings;

    std::uint32_t line(NodeId node) const { return lines_.position(tree.range(node).begin).line; }
    std::vector<NodeId> all(NodeKind kind) const;                 // in source order
    std::vector<NodeId> below(NodeId node, NodeKind kind) const;  // the same, in a subtree
    // Qualified names that the expression may mean.
    bool means(NodeId expression, const std::vector<std::string>& names) const;
    // The member that a call is made of: `loss.backward()` -> "backward"; empty for other functions.
    std::string_view called_member(NodeId call) const;
    // The function that a node runs in, or kNoNode at module level.
    NodeId function_of(NodeId node) const { return tree.ancestor(node, NodeKind::function_definition); }
    // Positional arguments and keyword arguments of a call, by parameter name. nullopt with stars.
    std::optional<std::map<std::string, NodeId, std::less<>>> arguments(
        NodeId call, const std::vector<std::string>& parameters) const;
    std::vector<std::string> parameters_of(NodeId function) const;
    // Calls of a function that is defined in this file, by its plain name.
    std::vector<NodeId> calls_of(NodeId function) const;
    // The one expression a name is bound to; kNoNode when there are none or several.
    NodeId value_of(NodeId name) const;
    // Names and chains of attributes: no effect, the same value when read again.
    bool is_plain(NodeId expression) const;
    // The statement of a block or of the module that the node belongs to, and where its line begins and ends.
    NodeId statement_of(NodeId node) const;
    std::uint64_t line_begin(std::uint64_t offset) const;
    std::uint64_t line_end(std::uint64_t offset) const;  // one past the line's end mark
    std::string indentation(NodeId statement) const;
    // The text with the file's own line ends in place of "\n".
    std::string with_own_line_ends(std::string_view text) const;

private:
    base::LineIndex lines_;
};

// Whether the list has one of the words of a name, in lower case: optimizerG -> optimizer, g; d_optim2 -> d, optim.
bool has_word(std::string_view name, const std::vector<std::string>& words);
// The name an expression ends in: a, a.b -> b, a[0] -> a; empty for others.
std::string_view last_name(const SyntaxTree& tree, NodeId expression);

}  // namespace migrator
