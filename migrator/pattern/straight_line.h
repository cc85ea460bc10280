// StraightLine: what is sure about variables from the order of statements alone: which assignment an identifier reads,
// whether an expression means the same at another place, and whether an assignment is needed by anything else.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "migrator/pattern/effects.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/step_budget.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

// `name = value`, or `a, name = value`, where `name` is element 1 of the value.
struct Definition {
    static constexpr int kWhole = -1;
    NodeId statement = kNoNode;
    NodeId value = kNoNode;
    int element = kWhole;
};

class StraightLine {
public:
    // What walks the tree takes its nodes from the steps, and whoever asks looks at what is left.
    StraightLine(const SyntaxTree& tree, const Bindings& bindings, const OperationReader& reader, StepBudget& steps)
        : tree_(tree), bindings_(bindings), effects_(tree, bindings, reader, steps), steps_(steps) {}

    // The assignment that surely gave the identifier its value: it stands before it in the same block or one around it,
    // with no other binding of the variable in between.
    std::optional<Definition> definition(NodeId identifier) const;

    // Whether the expression at `from`, evaluated at `to` instead, has the same value: nothing in between binds or
    // changes in place what it reads. Assignments in `removed` do not count.
    bool same_value(NodeId from, NodeId to, std::span<const NodeId> removed = {}) const;

    // The assignment can go when all reads of what it binds are below one of `consumers` nodes.
    bool is_needed_outside(const Definition& definition, std::span<const NodeId> uses) const;

    // The statement that an expression is part of, right in a block.
    NodeId statement_of(NodeId node) const;

    // Identifiers and attributes in an expression that read variables; with those of nested expressions.
    std::vector<NodeId> variables(NodeId expression) const;

    // All variables in the code, with what holds the same; and whether a node by itself may change one (see Effects).
    Effects::Names names_in(NodeId code) const { return effects_.with_aliases(variables(code)); }
    bool may_change(NodeId node, const Effects::Names& names) const { return effects_.may_change(node, names); }

private:
    bool is_bound_between(NodeId variable, NodeId from, NodeId to, std::span<const NodeId> removed) const;
    bool is_changed_between(NodeId expression, NodeId from, NodeId to) const;
    NodeId effect_of(NodeId target) const;
    NodeId loop_around(NodeId node, NodeId without) const;

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    Effects effects_;
    StepBudget& steps_;
};

}  // namespace migrator
