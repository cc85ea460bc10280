#include "ckpt_convert/job/legality.h"

#include <algorithm>
#include <iterator>

#include "ckpt_convert/plan/stage_sizes.h"

namespace ckpt {
namespace {

constexpr const char* kPath = "rules/planner/legality.json";

bool knows(const JobFacts& facts, const std::optional<Expression>& expression) {
    if (!expression) return true;
    const auto& names = expression->names();
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) { return facts.contains(name); });
}

Result<bool> is_broken(const LegalityRule& rule, const JobFacts& facts, const Expression::Lookup& lookup) {
    if (!knows(facts, rule.when) || !knows(facts, rule.that)) return false;
    TRY_ASSIGN(const bool concerned, holds(rule.when, lookup));
    if (!concerned) return false;
    TRY_ASSIGN(const bool legal, holds(rule.that, lookup));
    return !legal;
}

Expression::Lookup lookup_of(const JobFacts& facts) {
    return [&facts](std::string_view name) -> std::optional<std::int64_t> {
        const auto fact = facts.find(name);
        return fact == facts.end() ? std::nullopt : std::optional(fact->second);
    };
}

// Layers of the fullest chunk where stages are even.
std::int64_t even_chunks(const Parallelism& ranks, std::int64_t slots) {
    if (ranks.dualpipev) return 2;
    if (ranks.virtual_stages > 0) return ranks.virtual_stages;
    const std::int64_t stage = slots / ranks.pp;
    return ranks.layers_per_virtual_stage > 0 ? std::max<std::int64_t>(1, stage / ranks.layers_per_virtual_stage) : 1;
}

struct ListFacts {
    std::int64_t layers = 0, shortest = 0, of_towers = 0;
};

ListFacts list_facts(const std::vector<std::uint32_t>& list, int towers) {
    ListFacts out;
    const auto behind = list.begin() + std::min<std::ptrdiff_t>(towers, std::ssize(list));
    for (const std::uint32_t layers : list) out.layers += layers;
    for (auto at = list.begin(); at != behind; ++at) out.of_towers += *at;
    if (behind != list.end()) out.shortest = *std::min_element(behind, list.end());
    return out;
}

struct LetterFacts {
    std::int64_t modules = 0;
    bool apart = false;  // from the loss
};

// A layout that cannot be read is refused where layers are laid out.
LetterFacts letter_facts(const Parallelism& ranks) {
    LetterFacts out;
    if (ranks.pipeline_layout.empty()) return out;
    const auto stages = parse_pipeline_layout(ranks.pipeline_layout);
    if (!stages) return out;
    for (const StageLetters& stage : *stages) out.modules += stage.modules;
    out.apart = out.modules > stages->back().modules;
    return out;
}

}  // namespace

JobFacts facts_of(const ModelShape& model, const TrainingJob& job, bool npu) {
    const Parallelism& ranks = job.ranks;
    const LayerShape& layer = model.layer(0);
    const auto slots = static_cast<std::int64_t>(model.layer_count() + ranks.noop_layers.size());
    const std::int64_t ways = std::int64_t{!ranks.layers_per_stage.empty()} +
                              std::int64_t{ranks.first_stage_layers || ranks.last_stage_layers} +
                              std::int64_t{ranks.count_embedding || ranks.count_loss} +
                              std::int64_t{!ranks.pipeline_layout.empty()};
    const ListFacts list = list_facts(ranks.layers_per_stage, model.tower_stages());
    const LetterFacts letters = letter_facts(ranks);
    const std::int64_t dense = std::int64_t{ranks.tp} * ranks.pp * ranks.cp;
    const std::int64_t experts = std::int64_t{ranks.etp()} * ranks.ep() * ranks.pp;
    return {
        {"layers", slots},
        {"heads", layer.heads},
        {"kv_heads", layer.kv_heads},
        {"grouped", layer.attention == Attention::grouped},
        {"tower_heads", model.towers.empty() ? 0 : model.towers.front().heads},
        {"vocab", model.vocab},
        {"positions", model.positions},
        {"tied", model.tied},
        {"mtp", model.mtp},
        {"experts", model.moe.experts},
        {"topk", model.moe.topk},
        {"devices", ranks.devices},
        {"per_node", ranks.per_node},
        {"tp", ranks.tp},
        {"pp", ranks.pp},
        {"cp", ranks.cp},
        {"ep", ranks.ep()},
        {"etp", ranks.etp()},
        {"tp_extends_ep", ranks.experts.tp_extends_ep},
        {"chunks", even_chunks(ranks, slots)},
        {"layers_per_chunk", ranks.layers_per_virtual_stage},
        {"group_size", ranks.group_size},
        {"sequence_parallel", ranks.sequence_parallel},
        {"dualpipev", ranks.dualpipev},
        {"noop_layers", static_cast<std::int64_t>(ranks.noop_layers.size())},
        {"uneven_ways", ways},
        {"list_entries", static_cast<std::int64_t>(ranks.layers_per_stage.size())},
        {"list_layers", list.layers},
        {"list_shortest", list.shortest},
        {"list_towers", list.of_towers},
        {"pipeline_layout", !ranks.pipeline_layout.empty()},
        {"layout_modules", letters.modules},
        {"modules_apart", letters.apart},
        {"tower_stages", model.tower_stages()},
        {"tower_layers", model.towers.empty() ? 0 : model.towers.front().layers},
        {"first_layers", ranks.first_stage_layers ? static_cast<std::int64_t>(*ranks.first_stage_layers) : -1},
        {"last_layers", ranks.last_stage_layers ? static_cast<std::int64_t>(*ranks.last_stage_layers) : -1},
        {"dense_ranks", dense},
        {"expert_ranks", experts},
        {"dp", std::max<std::int64_t>(1, ranks.devices / dense)},
        {"micro", job.batch.micro},
        {"global", job.batch.global},
        {"micro_batches", job.micro_batches()},
        {"sequence", job.batch.sequence},
        {"distributed", job.optimizer.distributed},
        {"swap_optimizer", job.optimizer.swap},
        {"reuse_fp32", job.optimizer.reuse_fp32},
        {"swap_attention", job.memory.swap_attention},
        {"recompute_full", job.memory.recompute != Recompute::none},
        {"recompute_layers", job.memory.recompute_layers},
        {"flash_attention", job.memory.flash_attention},
        {"fp8", job.fp8},
        {"lora", job.mode == TrainingMode::lora},
        {"dpo", job.mode == TrainingMode::dpo},
        {"fsdp2", job.engine == Engine::fsdp2},
        {"megatron", job.engine == Engine::megatron},
        {"mindspeed", job.engine == Engine::mindspeed},
        {"expert_shards", job.sharded.expert_shards},
        {"npu", npu},
    };
}

Result<LegalityRules> load_legality(const base::DataStore& store) {
    return base::read_rule_record<LegalityRules>(store, kPath);
}

Result<std::vector<Illegal>> broken_rules(const LegalityRules& rules, const JobFacts& facts) {
    const Expression::Lookup lookup = lookup_of(facts);
    std::vector<Illegal> out;
    for (const LegalityRule& rule : rules.rules) {
        TRY_ASSIGN(const bool broken, is_broken(rule, facts, lookup));
        if (broken) out.push_back({&rule, with_numbers(rule.because, facts), with_numbers(rule.instead, facts)});
    }
    return out;
}

Result<const LegalityRule*> first_broken(const LegalityRules& rules, const JobFacts& facts) {
    const Expression::Lookup lookup = lookup_of(facts);
    for (const LegalityRule& rule : rules.rules) {
        TRY_ASSIGN(const bool broken, is_broken(rule, facts, lookup));
        if (broken) return &rule;
    }
    return static_cast<const LegalityRule*>(nullptr);
}

}  // namespace ckpt
