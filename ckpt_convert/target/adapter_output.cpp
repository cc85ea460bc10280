#include "ckpt_convert/target/adapter_output.h"

#include "base/format.h"
#include "ckpt_convert/execute/dcp_output.h"
#include "ckpt_convert/execute/hf_output.h"
#include "ckpt_convert/execute/megatron_output.h"
#include "ckpt_convert/execute/torch_dist_output.h"
#include "ckpt_convert/open/peft_directory.h"
#include "ckpt_convert/plan/factor_layout.h"
#include "ckpt_convert/plan/rank_parts.h"
#include "ckpt_convert/target/hf_config.h"
#include "ckpt_convert/target/megatron_files.h"
#include "ckpt_convert/target/named_output.h"
#include "ckpt_convert/target/peft_config.h"
#include "ckpt_convert/target/repeated_options.h"

namespace ckpt {
namespace {

// The layout of an adapter's factors where its weights have the layout `weights`.
Result<Layout> written_factors(AdapterSource& adapter, const Layout& weights,
                               const std::vector<AdapterFormat>& formats) {
    std::uint64_t rank = joined_rank(adapter.factors, weights);
    TRY_ASSIGN(Layout layout, factor_layout(adapter.weights, adapter.factors, weights, formats, rank));
    if (rank > 0) TRY(adapter.join(rank));
    return layout;
}

Result<PlannedOutput> plan_peft(const Knowledge& knowledge, AdapterSource& adapter, const ConvertOptions& options) {
    const auto& formats = knowledge.adapters.huggingface;
    TRY_ASSIGN(Layout weights, written_hf_layout(adapter.weights));
    TRY_ASSIGN(Layout layout, written_factors(adapter, weights, formats));
    PlannedOutput out;
    out.title = "PEFT adapter";
    TRY_ASSIGN(out.plan, make_plan(adapter.factors.model, adapter.source.index, adapter.source.binding, layout,
                                   plan_options(options, VocabFill::zero)));
    TRY_ASSIGN(out.output, single_safetensors(out.plan, base::format("{}.safetensors", kPeftWeights)));
    out.texts.push_back({kPeftConfig, peft_config(adapter, weights, formats.front())});
    out.last = {kPeftConfig};
    return out;
}

// As a model that PEFT wrapped is saved, without its weights.
Result<PlannedOutput> plan_sharded_adapter(base::FileSystem& fs, const Knowledge& knowledge, AdapterSource& adapter,
                                           const ConvertOptions& options) {
    TRY_ASSIGN(Layout weights, written_hf_layout(adapter.weights));
    TRY_ASSIGN(Layout layout, written_factors(adapter, weights, knowledge.adapters.shards));
    PlannedOutput out;
    TRY_ASSIGN(out.plan, make_plan(adapter.factors.model, adapter.source.index, adapter.source.binding, layout,
                                   plan_options(options, VocabFill::zero)));
    if (adapter.source.config) {
        TRY_ASSIGN(std::string config, adapted_config(fs, adapter.source, options));
        out.texts.push_back({"config.json", std::move(config)});
    }
    if (options.format == NamedFormat::dcp) {
        out.title = "adapter in torch.distributed.checkpoint";
        TRY_ASSIGN(out.output, dcp_output(out.plan, options.weights_key.value_or("model"), options.max_shard_bytes));
        out.last = {".metadata"};
    } else {
        out.title = "adapter in a file of DTensors for each rank";
        const std::vector<bool> whole(out.plan.targets.size(), false);
        TRY_ASSIGN(const auto parts, cut_for_ranks(out.plan, adapter.source.index, options.world, whole));
        TRY(add_rank_files(out, parts, {options.world, options.device, {}}, nullptr));
    }
    TRY_ASSIGN(std::string says, adapter_says(adapter));
    out.texts.push_back({kAdapterSays, std::move(says)});
    return out;
}

Result<PlannedOutput> plan_megatron_adapter(base::FileSystem& fs, const Knowledge& knowledge, AdapterSource& adapter,
                                            const ConvertOptions& options) {
    TRY_ASSIGN(MegatronTarget target, megatron_target(knowledge, adapter.weights, options));
    auto formats = knowledge.adapters.written_for(target.parallel.dialect);
    if (formats.empty()) {
        return base::fail(ErrorKind::unsupported,
                          base::format("{}: nothing is known that reads a LoRA adapter there", target.title));
    }
    TRY_ASSIGN(Layout weights, mcore_layout(adapter.weights, target.parallel));
    TRY_ASSIGN(Layout layout, written_factors(adapter, weights, formats));
    PlannedOutput out;
    out.title = base::format("LoRA adapter, {}", target.title);
    TRY_ASSIGN(out.plan, make_plan(adapter.factors.model, adapter.source.index, adapter.source.binding, layout,
                                   plan_options(options, VocabFill::zero)));
    TRY_ASSIGN(MegatronTexts texts, megatron_texts(knowledge, target, adapter.source, main_dtype(out.plan), options));
    TRY(add_adapter_arguments(adapter, texts.state.args));
    texts.state.extra_states = false;
    if (options.torch_dist) {
        TRY_ASSIGN(out.output, torch_dist_output(out.plan, target.parallel, texts.state, options.max_shard_bytes));
    } else {
        TRY_ASSIGN(out.output, megatron_output(out.plan, target.parallel, texts.state));
    }
    TRY(add_tracker_and_config(fs, adapter.source, options, target, out));
    return out;
}

}  // namespace

Result<PlannedOutput> plan_adapter(base::FileSystem& fs, const Knowledge& knowledge, AdapterSource& adapter,
                                   const ConvertOptions& options) {
    if (options.keep_optimizer)
        return base::fail(ErrorKind::unsupported, "--save-lora converts an adapter without the state of its optimizer");
    TRY(check_scaled(adapter));
    if (target_side(adapter.source, options) == Side::megatron)
        return plan_megatron_adapter(fs, knowledge, adapter, options);
    TRY(check_repeated_layout(options, adapter.source));
    if (options.format == NamedFormat::safetensors) return plan_peft(knowledge, adapter, options);
    return plan_sharded_adapter(fs, knowledge, adapter, options);
}

}  // namespace ckpt
