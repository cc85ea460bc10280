#include "ckpt_convert/target/rank_matrix.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "base/human.h"
#include "ckpt_convert/plan/expert_layout.h"

namespace ckpt {
namespace {

constexpr std::size_t kColumns = 8;  // more ranks than that are a range
constexpr double kUneven = 1.1;      // of the mean: less is what embedding and head make of equal stages

std::uint64_t weight_bytes(const ConversionPlan& plan, const OutputFile& file) {
    std::uint64_t sum = 0;
    for (const std::uint32_t i : file.targets)
        sum += checked_bytes(plan.targets[i].shape_in_file(), plan.targets[i].dtype).value_or(0);
    return sum;
}

std::vector<std::uint64_t> all_bytes(const RankMatrix& matrix) {
    std::vector<std::uint64_t> out;
    for (const auto& stage : matrix.stages) out.insert(out.end(), stage.bytes.begin(), stage.bytes.end());
    return out;
}

// The cells of a row: each rank's bytes, or their range.
std::vector<std::string> cells_of(const RankMatrix::Stage& stage) {
    std::vector<std::string> out;
    if (stage.bytes.size() <= kColumns) {
        for (const std::uint64_t bytes : stage.bytes) out.push_back(base::human_bytes(bytes));
        return out;
    }
    const auto [least, most] = std::minmax_element(stage.bytes.begin(), stage.bytes.end());
    out.push_back(*least == *most ? base::human_bytes(*most)
                                  : base::format("{} to {}", base::human_bytes(*least), base::human_bytes(*most)));
    return out;
}

std::string table_row(const std::string& stage, const std::string& layers, std::size_t width,
                      const std::vector<std::string>& cells) {
    std::string out = base::format("           {:<6} {:<{}}", stage, layers, width);
    for (const std::string& cell : cells) out += base::format("  {:>11}", cell);
    return out + "\n";
}

}  // namespace

std::uint64_t RankMatrix::largest() const {
    const auto bytes = all_bytes(*this);
    return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

std::uint64_t RankMatrix::mean() const {
    const auto bytes = all_bytes(*this);
    return bytes.empty() ? 0 : std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}) / bytes.size();
}

std::string layer_ranges(const std::vector<LayerSlot>& slots) {
    std::vector<std::string> ranges;
    for (std::size_t i = 0; i < slots.size();) {
        std::size_t last = i;
        while (last + 1 < slots.size() && slots[last + 1].layer == slots[last].layer + 1) ++last;
        ranges.push_back(last == i ? std::to_string(slots[i].layer)
                                   : base::format("{} to {}", slots[i].layer, slots[last].layer));
        i = last + 1;
    }
    return ranges.empty() ? "none" : base::joined(ranges, ", ");
}

Result<RankMatrix> rank_matrix(const ConversionPlan& plan, const ParallelLayout& layout, const OutputPlan& output) {
    RankMatrix out;
    TRY_ASSIGN(const auto ranks, stage_ranks(layout.tp, layout.experts));
    for (const StageRank& rank : ranks)
        out.ranks.push_back(layout.experts.ep > 1 ? base::format("TP {} EP {}", rank.tp, rank.ep)
                                                  : base::format("TP {}", rank.tp));
    for (std::size_t stage = 0; stage < layout.placement.stages.size(); ++stage) {
        std::vector<std::string> chunks;
        for (const auto& chunk : layout.placement.stages[stage]) chunks.push_back(layer_ranges(chunk));
        RankMatrix::Stage row{base::joined(chunks, " | "), {}};
        for (std::size_t rank = 0; rank < ranks.size(); ++rank)
            row.bytes.push_back(weight_bytes(plan, output.files[stage * ranks.size() + rank]));
        out.stages.push_back(std::move(row));
    }
    return out;
}

std::string uneven_text(const RankMatrix& matrix) {
    const double mean = static_cast<double>(std::max<std::uint64_t>(matrix.mean(), 1));
    const double ratio = static_cast<double>(matrix.largest()) / mean;
    if (ratio <= kUneven) return "";
    return base::format("uneven: the largest rank holds {}, {:.1f} times the mean of {}",
                        base::human_bytes(matrix.largest()), ratio, base::human_bytes(matrix.mean()));
}

std::string matrix_text(const RankMatrix& matrix) {
    std::size_t width = 6;
    for (const auto& stage : matrix.stages) width = std::max(width, stage.layers.size());
    std::vector<std::string> heads = matrix.ranks;
    if (heads.size() > kColumns) heads = {base::format("{} ranks", heads.size())};
    std::string out = "  ranks\n" + table_row("stage", "layers", width, heads);
    for (std::size_t stage = 0; stage < matrix.stages.size(); ++stage)
        out +=
            table_row(base::format("PP {}", stage), matrix.stages[stage].layers, width, cells_of(matrix.stages[stage]));
    const std::string uneven = uneven_text(matrix);
    return uneven.empty() ? out : out + base::format("           {}\n", uneven);
}

}  // namespace ckpt
