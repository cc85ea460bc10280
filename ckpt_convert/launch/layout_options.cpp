#include "ckpt_convert/launch/layout_options.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"
#include "ckpt_convert/open/wanted_values.h"

namespace ckpt {
namespace {

// The slots of each chunk: of gaps between layers the number that would fill them.
std::vector<std::uint32_t> slots_of_chunks(const Placement& placement) {
    std::vector<std::uint32_t> out;
    for (const auto& stage : placement.stages) {
        for (const auto& chunk : stage)
            out.push_back(static_cast<std::uint32_t>(chunk.empty() ? 0 : chunk.back().local + 1));
    }
    return out;
}

// Which slots of the sequence hold no layer, when every chunk has as many slots.
std::vector<std::uint32_t> noops_of(const Placement& placement, std::uint32_t per_chunk) {
    std::vector<bool> filled(placement.slots, false);
    const auto pp = static_cast<std::uint32_t>(placement.pp());
    for (std::uint32_t stage = 0; stage < pp; ++stage) {
        for (std::uint32_t chunk = 0; chunk < placement.chunks(); ++chunk) {
            const bool returns = placement.head.pp == 0 && placement.head.chunk == 1 && pp > 1 && chunk == 1;
            const std::uint32_t order = returns ? 2 * pp - 1 - stage : chunk * pp + stage;
            for (const LayerSlot& slot : placement.stages[stage][chunk]) {
                const std::uint32_t at = order * per_chunk + slot.local;
                if (at < filled.size()) filled[at] = true;
            }
        }
    }
    std::vector<std::uint32_t> out;
    for (std::uint32_t slot = 0; slot < filled.size(); ++slot) {
        if (!filled[slot]) out.push_back(slot);
    }
    return out;
}

}  // namespace

Result<Topology> topology_of(const ParallelLayout& parallel) {
    const Placement& placement = parallel.placement;
    Topology out;
    out.tp = parallel.tp;
    out.pp = placement.pp();
    out.experts = parallel.experts;
    out.kv_sharing = parallel.kv_sharing;
    const std::uint32_t chunks = placement.chunks();
    const std::uint32_t all = static_cast<std::uint32_t>(placement.pp()) * chunks;
    const std::vector<std::uint32_t> sizes = slots_of_chunks(placement);
    const std::uint32_t largest = *std::max_element(sizes.begin(), sizes.end());
    const bool is_even = placement.slots % all == 0 && placement.slots / all >= largest;
    if (!is_even && chunks == 1 && std::accumulate(sizes.begin(), sizes.end(), 0u) == placement.slots) {
        out.layers_per_stage = sizes;
        return out;
    }
    if (!is_even)
        return base::fail(ErrorKind::unsupported,
                          base::format("the layers of the checkpoint lie in {} as no option says; give the layout with "
                                       "the Hugging Face model",
                                       parallel_sizes(parallel)));
    out.noop_layers = noops_of(placement, placement.slots / all);
    out.dualpipev = chunks == 2 && placement.head.pp == 0 && placement.pp() > 1;
    if (placement.virtual_stages && !out.dualpipev) out.layers_per_virtual_stage = placement.slots / all;
    return out;
}

std::vector<std::string> topology_options(const Topology& topology) {
    std::vector<std::string> out;
    const auto add = [&](const char* name, const auto& value) { out.push_back(base::format("{} {}", name, value)); };
    add("--tp", topology.tp);
    add("--pp", topology.pp);
    if (topology.experts.ep > 1) add("--ep", topology.experts.ep);
    if (topology.experts.etp > 0 && topology.experts.etp != topology.tp) add("--etp", topology.experts.etp);
    if (topology.experts.tp_extends_ep) out.push_back("--moe-tp-extend-ep");
    if (!topology.layers_per_stage.empty()) add("--num-layer-list", base::joined(topology.layers_per_stage, ","));
    if (!topology.noop_layers.empty()) add("--noop-layers", base::joined(topology.noop_layers, ","));
    if (topology.first_stage_layers) add("--decoder-first-pipeline-num-layers", *topology.first_stage_layers);
    if (topology.last_stage_layers) add("--decoder-last-pipeline-num-layers", *topology.last_stage_layers);
    if (topology.count_embedding) out.push_back("--account-for-embedding-in-pipeline-split");
    if (topology.count_loss) out.push_back("--account-for-loss-in-pipeline-split");
    if (!topology.pipeline_layout.empty())
        out.push_back(base::format("--pipeline-model-parallel-layout '{}'", topology.pipeline_layout));
    if (topology.layers_per_virtual_stage > 0)
        add("--num-layers-per-virtual-pipeline-stage", topology.layers_per_virtual_stage);
    if (topology.virtual_stages > 0) add("--num-virtual-stages-per-pipeline-rank", topology.virtual_stages);
    if (topology.dualpipev) add("--schedules-method", "dualpipev");
    if (topology.kv_sharing == KvSharing::repeat) add("--tp-beyond-kv-groups", "repeat");
    if (topology.kv_sharing == KvSharing::split) add("--tp-beyond-kv-groups", "split");
    return out;
}

std::vector<std::string> vocabulary_options(const VocabOptions& vocab) {
    std::vector<std::string> out;
    if (vocab.rows) out.push_back(base::format("--padded-vocab-size {}", *vocab.rows));
    if (vocab.divisor) out.push_back(base::format("--make-vocab-size-divisible-by {}", *vocab.divisor));
    if (!vocab.rule.empty()) out.push_back("--vocab-padding " + vocab.rule);
    if (!vocab.fill.empty()) out.push_back("--vocab-fill " + vocab.fill);
    return out;
}

std::vector<std::string> conversion_options(const ConvertOptions& conversion, const LaunchTarget& target,
                                            const ModelValues& numbers) {
    const std::string release = target.torch_dist ? "@" + target.release : std::string();
    // torch_dist loads at any layout.
    std::vector<std::string> out = target.torch_dist ? std::vector<std::string>{"--ckpt-format torch_dist"}
                                                     : topology_options(conversion.topology);
    out.insert(out.begin(), {"--to mcore", base::format("--target {}{}", target.dialect, release)});
    for (std::string& option : vocabulary_options(conversion.vocab)) out.push_back(std::move(option));
    if (const std::int64_t layers = value_or_zero(numbers, "mtp"); layers > 0)
        out.push_back(base::format("--mtp-num-layers {}", layers));
    const SourceOptions& source = conversion.source;
    if (!source.family.empty()) out.push_back("--model-type-hf " + source.family);
    if (source.language_part) out.push_back("--language-part");
    if (source.dequantize) out.push_back(*source.dequantize == DType::f32 ? "--dequantize fp32" : "--dequantize bf16");
    return out;
}

}  // namespace ckpt
