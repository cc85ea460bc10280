// ModuleTree: the modules of a network as they ran, forward and backward, with their operators and kernels.
#pragma once

#include <string>
#include <vector>

#include "migrator/compare/frame_tree.h"
#include "migrator/compare/operator_tree.h"

namespace migrator {

// An operator that stands on no other one of its module.
struct ModuleOperator {
    std::uint32_t event = 0;  // of the host
    std::vector<std::uint32_t> kernels;
};

// A module that ran once.
struct ModuleRun {
    std::uint32_t level = 0;  // 1: it is in no other one
    Ticks begin = 0;
    std::string name{};         // "nn.Module: Linear_3"
    TextNumber path = kNoText;  // "/nn.Module: Net_0/nn.Module: Linear_3"
    TextNumber stack = kNoText;
    double own_time = 0, time = 0;  // on the device, in microseconds: without and with the modules in it
    std::vector<ModuleOperator> operators{};
    std::vector<std::uint32_t> children{};
};

class ModuleTree {
public:
    // Without frames of Python there are no modules. Ours: what a module starts is what its thread starts while it is open; msprof:
    // threads are one. Backward is a module whose operators an arrow leads to.
    ModuleTree(const ProfileSide& side, const OperatorTree& operators, ProfileNumbers numbers);

    const std::vector<ModuleRun>& all() const { return modules_; }
    // On top, of the forward pass and of the backward pass.
    const std::vector<std::uint32_t>& forward() const { return forward_; }
    const std::vector<std::uint32_t>& backward() const { return backward_; }
    std::string_view path(const ModuleRun& module) const { return texts_[module.path]; }
    std::string_view stack(const ModuleRun& module) const { return texts_[module.stack]; }

private:
    class Builder;

    TextPool texts_;
    std::vector<ModuleRun> modules_;
    std::vector<std::uint32_t> forward_, backward_;
};

}  // namespace migrator
