#include "ckpt_convert/execute/shard.h"

#include <algorithm>
#include <cstddef>

#include "base/format.h"

namespace ckpt {

std::string Shard::text() const { return base::format("{}/{}", number, count); }

void keep_files(ConversionPlan& plan, OutputPlan& output, const std::function<bool(const OutputFile&)>& wanted) {
    std::vector<bool> ours(plan.targets.size() + output.shares.size(), false);
    std::vector<OutputFile> kept;
    for (OutputFile& file : output.files) {
        if (!wanted(file)) continue;
        for (std::uint32_t target : file.targets) ours[target] = true;
        kept.push_back(std::move(file));
    }
    output.files = std::move(kept);
    for (std::uint32_t i = 0; i < plan.targets.size(); ++i) {
        const TargetTensor& target = plan.targets[i];
        if (!target.flat.vector) continue;
        const std::uint64_t elements = *checked_elements(target.shape);
        (void)each_run(target.flat, elements, 0, elements, [&](const FlatRun& run, std::uint64_t) -> Status {
            ours[i] = ours[i] || ours[plan.targets.size() + run.file];
            return {};
        });
    }
    for (LogicalMove& move : plan.moves)
        std::erase_if(move.targets, [&](const StoredPiece& piece) { return !ours[piece.tensor]; });
    std::erase_if(plan.fills, [&](const FilledRows& fill) { return !ours[fill.target]; });
    // The mean of a vocabulary is that of all its rows, so its move stays although nothing else is written of it.
    std::erase_if(plan.moves, [&](const LogicalMove& move) {
        bool fills = std::any_of(plan.fills.begin(), plan.fills.end(),
                                 [&](const FilledRows& fill) { return fill.logical == move.logical; });
        return move.targets.empty() && !fills;
    });
}

void take_shard(ConversionPlan& plan, OutputPlan& output, const Shard& shard) {
    // A file belongs to the shard in whose share of all bytes its middle lies.
    double total = static_cast<double>(std::max<std::uint64_t>(output.total_bytes(), 1));
    std::uint64_t before = 0;
    keep_files(plan, output, [&](const OutputFile& file) {
        double middle = static_cast<double>(before) + static_cast<double>(file.bytes) / 2;
        before += file.bytes;
        auto owner = std::min(static_cast<std::uint32_t>(middle / total * shard.count), shard.count - 1);
        return owner + 1 == shard.number;
    });
}

}  // namespace ckpt
