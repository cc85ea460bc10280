// Operations in code: which operation an expression computes, whatever way it is written, and its arguments by parameter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "migrator/ruleset/rule_set.h"
#include "migrator/semantic/bindings.h"
#include "migrator/syntax/step_budget.h"
#include "migrator/syntax/syntax_tree.h"

namespace migrator {

// Without parentheses and what else means nothing around an expression.
NodeId skip_parentheses(const SyntaxTree& tree, NodeId expression);

// What stands for a parameter: the expression that is written, else the text of its default.
struct OperationArgument {
    NodeId node = kNoNode;
    const std::string* value = nullptr;  // the default, also when something is written
};

struct CodeOperation {
    std::size_t index = 0;  // in RuleSet::operations
    std::vector<OperationArgument> arguments;
    Certainty certainty = Certainty::resolved;
    bool of_unknown = false;  // a method of an object of unknown class: what it is follows from the rest, if at all
    bool open = false;        // f(*a, **b): there may be more than is written
};

class OperationReader {
public:
    // What walks an expression takes its nodes from the steps, and whoever asks looks at what is left.
    OperationReader(const SyntaxTree& tree, const Bindings& bindings, const RuleSet& rules, StepBudget& steps)
        : tree_(tree), bindings_(bindings), rules_(rules), steps_(steps) {}

    // nullopt for everything that is no known operation, or a call that does not fit its parameters.
    std::optional<CodeOperation> read(NodeId expression) const;

    // The key of the spelling and how sure it is.
    struct Spelled {
        const OperationSpelling* spelling = nullptr;
        NodeId receiver = kNoNode;      // of a method
        NodeId construction = kNoNode;  // of a module: the call that made the instance
        Certainty certainty = Certainty::resolved;
        bool of_unknown = false;
    };
    // Of a call, operator or prefix operator; cheap.
    Spelled spelled(NodeId expression) const;

    // Anything may happen in a call of what is no operation, and random numbers differ every time.
    bool has_side_effects(NodeId expression) const;
    // The call is of a known operation, with arguments that it has, and writes to none of them.
    bool only_computes(NodeId call) const;
    // It is more than numbers, names and members.
    bool computes_tensors(NodeId expression) const;

private:
    Spelled spelled_call(NodeId call) const;
    bool may_be_filled(NodeId function) const;
    Spelled spelled_method(NodeId function) const;
    Spelled spelled_module(NodeId function) const;
    bool add_arguments(NodeId call, std::span<const SpelledParameter> parameters, CodeOperation& out) const;

    const SyntaxTree& tree_;
    const Bindings& bindings_;
    const RuleSet& rules_;
    StepBudget& steps_;
};

}  // namespace migrator
