#include "migrator/profile/rank_groups.h"

#include "migrator/profile/json_values.h"

namespace migrator {
namespace {

constexpr double kMostRanks = 1 << 20;

// How Megatron lays out its ranks: tensor parallel ones are next to each other, then those of data and context, pipelines outermost.
void add_by_sizes(const base::Json& sizes, bool needs_pipelines, bool needs_experts, RankGroups& out) {
    const auto size = [&](const char* name) {
        const double value = number_at(sizes, name);
        return value >= 1 && value <= kMostRanks ? static_cast<std::uint64_t>(value) : 1;
    };
    const std::uint64_t world = size("world_size"), tensor = size("tensor_model_parallel_size");
    const std::uint64_t stages = size("pipeline_model_parallel_size"), experts = size("expert_model_parallel_size");
    if (world % (tensor * stages) != 0) return;
    out.world = std::max(out.world, world);
    const std::uint64_t block = world / stages;
    for (std::uint64_t first = 0; needs_pipelines && stages > 1 && first < block; ++first) {
        RankGroup group;
        for (std::uint64_t stage = 0; stage < stages; ++stage) group.push_back(first + stage * block);
        out.pipelines.insert(std::move(group));
    }
    if (!needs_experts || experts < 2 || (block / tensor) % experts != 0) return;
    for (std::uint64_t begin = 0; begin < world; begin += tensor * experts) {
        for (std::uint64_t of_tensor = 0; of_tensor < tensor; ++of_tensor) {
            RankGroup group;
            for (std::uint64_t i = 0; i < experts; ++i) group.push_back(begin + of_tensor + i * tensor);
            out.experts.insert(std::move(group));
        }
    }
}

}  // namespace

void RankGroups::add(const base::JsonDocument& metadata, const ProfileNames& names) {
    bool has_pipeline = false, has_experts = false;
    for (const auto& [id, said] : members(metadata.root.find("parallel_group_info"))) {
        const base::Json *name = said.find("group_name"), *ranks = said.find("global_ranks");
        if (name == nullptr || name->string() == nullptr || ranks == nullptr || ranks->array() == nullptr) continue;
        const std::string lower = lower_case(*name->string());
        const bool is_pipeline = names.pipeline_groups.is(lower), is_experts = names.expert_groups.is(lower);
        RankGroup group;
        for (const base::Json& rank : *ranks->array()) {
            if (rank.integer() != nullptr && *rank.integer() >= 0)
                group.push_back(static_cast<std::uint64_t>(*rank.integer()));
        }
        if (is_pipeline || is_experts) (is_pipeline ? has_pipeline : has_experts) = true;
        if (group.size() < 2) continue;
        if (is_pipeline) pipelines.insert(group);
        if (is_experts) experts.insert(std::move(group));
    }
    if (const base::Json* sizes = metadata.root.find("distributed_args"))
        add_by_sizes(*sizes, !has_pipeline, !has_experts, *this);
}

}  // namespace migrator
