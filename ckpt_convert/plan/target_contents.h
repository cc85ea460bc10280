// TargetContents: what of a plan is written into each of its targets.
#pragma once

#include <cstdint>
#include <span>

#include "ckpt_convert/plan/conversion_plan.h"
#include "ckpt_convert/tensor/grouped.h"

namespace ckpt {

class TargetContents {
public:
    struct Part {
        std::uint32_t move = 0;   // ConversionPlan::moves
        std::uint32_t piece = 0;  // LogicalMove::targets
    };

    // All pieces and fills are of targets that the plan has.
    explicit TargetContents(const ConversionPlan& plan);

    std::span<const Part> parts(std::uint32_t target) const { return parts_[target]; }
    // ConversionPlan::fills
    std::span<const std::uint32_t> fills(std::uint32_t target) const { return fills_[target]; }

private:
    Grouped<Part> parts_;
    Grouped<std::uint32_t> fills_;
};

}  // namespace ckpt
