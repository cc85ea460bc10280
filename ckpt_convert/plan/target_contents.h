// TargetContents: what of a plan is written into each of its targets.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ckpt_convert/plan/conversion_plan.h"

namespace ckpt {

class TargetContents {
public:
    struct Part {
        std::uint32_t move = 0;   // ConversionPlan::moves
        std::uint32_t piece = 0;  // LogicalMove::targets
    };

    // All pieces and fills are of targets that the plan has.
    explicit TargetContents(const ConversionPlan& plan);

    std::span<const Part> parts(std::uint32_t target) const { return parts_.of(target); }
    std::span<const std::uint32_t> fills(std::uint32_t target) const {
        return fills_.of(target);
    }  // ConversionPlan::fills

private:
    // Values by target, one target's behind the other's: filled in two rounds, of which the first counts.
    template <class Value>
    struct Grouped {
        std::vector<std::uint32_t> ends;
        std::vector<Value> values;

        std::span<const Value> of(std::uint32_t target) const {
            const std::uint32_t begin = target == 0 ? 0 : ends[target - 1];
            return std::span(values).subspan(begin, ends[target] - begin);
        }
    };
    template <class Value, class Each>
    static Grouped<Value> grouped(std::size_t targets, Each each);

    Grouped<Part> parts_;
    Grouped<std::uint32_t> fills_;
};

}  // namespace ckpt
