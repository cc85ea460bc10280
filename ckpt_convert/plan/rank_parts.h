// Cuts the targets of a plan for the ranks of a run as FSDP does: equal shares of the rows, rounded up; the last are smaller or
// empty.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ckpt_convert/plan/conversion_plan.h"

namespace ckpt {

// Of a target that was cut.
struct RankParts {
    TargetTensor whole;
    bool cut = true;               // false: every rank has all of it
    std::uint32_t first_part = 0;  // that of rank 0 in ConversionPlan::targets; those of the next ranks follow
    std::uint32_t ranks = 1;

    std::optional<std::uint32_t> part(std::uint64_t rank) const;  // in ConversionPlan::targets; nullopt: an empty part
    // Of a part of what is cut.
    std::uint64_t rows(std::uint64_t rank) const;
    std::uint64_t first_row(std::uint64_t rank) const;
};

// Replaces each target by its parts, whose `file` is the rank; gives them in the order that the targets had. What `keep` says is
// on every rank, as is what has no axis. The plan is proven again. Fails with unsupported when the rows of a target are not
// those of its box.
Result<std::vector<RankParts>> cut_for_ranks(ConversionPlan& plan, const TensorIndex& source, std::uint32_t ranks,
                                             const std::vector<bool>& keep);

}  // namespace ckpt
