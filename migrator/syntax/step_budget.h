// StepBudget: how many nodes of a file may be looked at for one purpose in all, so that the time grows with the file and not
// with its square, where a thousand questions look at a thousand nodes each.
#pragma once

#include <algorithm>
#include <cstddef>

namespace migrator {

class StepBudget {
public:
    StepBudget(std::size_t free_steps, std::size_t steps_per_node, std::size_t nodes)
        : left_(free_steps + steps_per_node * nodes) {}

    void take(std::size_t steps) { left_ -= std::min(left_, steps); }
    bool is_spent() const { return left_ == 0; }

private:
    std::size_t left_;
};

}  // namespace migrator
