#include "ckpt_convert/execute/rank_safetensors.h"

#include <utility>

#include "base/format.h"

namespace ckpt {

Result<OutputPlan> rank_safetensors(const ConversionPlan& plan, std::uint32_t ranks, std::uint64_t part_bytes,
                                    const std::vector<FileNumber>& numbers) {
    std::vector<std::vector<std::uint32_t>> by_rank(ranks);
    for (std::uint32_t i = 0; i < plan.targets.size(); ++i) by_rank[plan.targets[i].file].push_back(i);
    OutputPlan out;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        auto parts = split_by_bytes(plan, by_rank[rank], part_bytes);
        for (std::size_t part = 0; part < parts.size(); ++part) {
            // https://github.com/vllm-project/vllm: sharded_state_loader.py: TP_ONLY_PATTERN
            TRY_ASSIGN(OutputFile file, safetensors_file(plan, std::move(parts[part]),
                                                         base::format("model-rank-{}-part-{}.safetensors", rank, part),
                                                         part == 0 ? numbers : std::vector<FileNumber>{}));
            out.files.push_back(std::move(file));
        }
    }
    return out;
}

}  // namespace ckpt
