// RankMatrix: what every rank of a Megatron output holds: layers and bytes, for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/plan/layout.h"

namespace ckpt {

struct RankMatrix {
    struct Stage {
        std::string layers;                // "0 to 15 | 32 to 47": of each chunk
        std::vector<std::uint64_t> bytes;  // of each rank's weights
    };
    std::vector<std::string> ranks;  // "TP 0", "TP 1 EP 0": of every stage
    std::vector<Stage> stages;

    std::uint64_t largest() const;
    std::uint64_t mean() const;
};

// Of rank files; the output is all of the conversion.
Result<RankMatrix> rank_matrix(const ConversionPlan& plan, const ParallelLayout& layout, const OutputPlan& output);

// How far the largest rank is from the mean; empty where they are alike.
std::string uneven_text(const RankMatrix& matrix);

// A table, and what is uneven.
std::string matrix_text(const RankMatrix& matrix);

// "0 to 15", "0 to 3, 12 to 15": the layers of a chunk.
std::string layer_ranges(const std::vector<LayerSlot>& slots);

}  // namespace ckpt
