// DtypeFlow: the type of a tensor's elements where the code shows it: dtype=, .double(), .to(torch.float64).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "migrator/python/python_file.h"

namespace migrator {

class DtypeFlow {
public:
    explicit DtypeFlow(const PythonFile& file) : file_(file), facts_(file.rules().tensors) {}

    // The tables' word for it ("fp64"), through variables that have one type wherever they are bound; nullopt: not
    // shown, or of no type that the rules look for.
    std::optional<std::string_view> of(NodeId expression) const;

private:
    // What an expression is made of: its own type, or the expression that has the same one.
    struct Step {
        std::optional<std::string_view> dtype;
        NodeId next = kNoNode;
    };
    std::optional<NodeList> reaching_values(NodeId read) const;
    bool is_in_loop_below(NodeId node, NodeId block) const;
    Step step(NodeId expression) const;
    Step step_of_call(NodeId call) const;
    Step step_of_operator(NodeId expression) const;
    std::optional<std::string_view> named_dtype(NodeId expression) const;

    const PythonFile& file_;
    const TensorFacts& facts_;
};

}  // namespace migrator
