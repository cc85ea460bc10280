// Effects: which code may change in place what a variable holds.
//
// Sure is what the known operations do, and PyTorch's convention for methods: those that write end in "_". Everything else that
// gets a variable may write to it.
#pragma once

#include <set>
#include <string_view>

#include "migrator/pattern/operations.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/step_budget.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

class Effects {
public:
    // What walks the tree takes its nodes from the steps, and whoever asks looks at what is left.
    Effects(const SyntaxTree& tree, const Bindings& bindings, const OperationReader& reader, StepBudget& steps)
        : tree_(tree), bindings_(bindings), reader_(reader), steps_(steps) {}

    // Variables, as they are written: "x", "self.weight".
    using Names = std::set<std::string_view>;
    // What holds the same as one of the variables, or a view of it: made of it, or what it was made of.
    Names with_aliases(std::span<const NodeId> variables) const;

    // The assignment, call or other node by itself, not what is inside of it, may change what one of them holds.
    bool may_change(NodeId node, const Names& names) const;

private:
    void add_names_in(NodeId expression, Names& out) const;
    bool mentions(NodeId node, const Names& names) const;
    bool mentions_variables(NodeId node) const;
    bool writes_to(NodeId target, const Names& names) const;
    bool call_may_change(NodeId call, const Names& names) const;
    bool statement_may_change(NodeId call, NodeId function, const Names& names) const;
    bool is_plain_module(NodeId function) const;
    std::string_view root_of(NodeId expression) const;

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const OperationReader& reader_;
    StepBudget& steps_;
};

}  // namespace migrator
