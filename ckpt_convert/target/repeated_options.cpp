#include "ckpt_convert/target/repeated_options.h"

#include <algorithm>
#include <tuple>

#include "base/format.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> contradiction(const std::string& given, const std::string& found) {
    return base::fail(ErrorKind::usage, base::format("{} contradicts the input, which has {}", given, found));
}

// The layers in front of the first one with experts; nullopt of a model without experts.
std::optional<std::int64_t> first_dense_layers(const Model& model) {
    auto moe = model.by_layer().find("moe");
    if (model.experts() == 0 || moe == model.by_layer().end()) return std::nullopt;
    return std::find_if(moe->second.begin(), moe->second.end(), [](std::int64_t layer) { return layer != 0; }) -
           moe->second.begin();
}

// The facts of its layout that claims speak of; of a checkpoint that is not split, all sizes are 1.
ModelValues facts_of(const Source& source) {
    ModelValues facts = {{"tp", 1}, {"pp", 1}, {"ep", 1}};
    if (source.parallel && !source.parallel->dialect.torch_dist) facts = layout_facts(source.model, *source.parallel);
    if (auto dense = first_dense_layers(source.model)) facts.emplace("first_k_dense", *dense);
    return facts;
}

std::optional<std::string> saved_text(const Json& args, std::string_view name) {
    const Json* found = args.find(name);
    return found == nullptr || found->string() == nullptr ? std::nullopt : std::optional(*found->string());
}

// The uneven stages that the saved arguments tell, where the options do not.
Status take_saved_stages(const Json& args, Topology& topology) {
    auto number = [&](std::string_view name) -> std::optional<std::uint32_t> {
        const Json* found = args.find(name);
        if (found == nullptr || found->integer() == nullptr) return std::nullopt;
        return static_cast<std::uint32_t>(*found->integer());
    };
    auto flag = [&](std::string_view name) {
        const Json* found = args.find(name);
        return found != nullptr && found->boolean() != nullptr && *found->boolean();
    };
    TRY_ASSIGN(topology.layers_per_stage,
               number_list("num_layer_list", saved_text(args, "num_layer_list").value_or("")));
    topology.pipeline_layout = saved_text(args, "pipeline_model_parallel_layout").value_or("");
    topology.first_stage_layers = number("decoder_first_pipeline_num_layers");
    topology.last_stage_layers = number("decoder_last_pipeline_num_layers");
    topology.count_embedding = flag("account_for_embedding_in_pipeline_split");
    topology.count_loss = flag("account_for_loss_in_pipeline_split");
    return {};
}

bool has_uneven_stages(const Topology& topology) {
    return !topology.layers_per_stage.empty() || !topology.pipeline_layout.empty() || topology.first_stage_layers ||
           topology.last_stage_layers || topology.count_embedding || topology.count_loss;
}

// What the options say of where the layers go, made complete by what the input says of the rest.
Result<Topology> completed(const Topology& given, const Source& source) {
    const Placement& found = source.parallel->placement;
    Topology out = given;
    out.pp = found.pp();
    if (!has_uneven_stages(given)) TRY(take_saved_stages(source.args, out));
    if (given.noop_layers.empty()) {
        TRY_ASSIGN(out.noop_layers, number_list("noop_layers", saved_text(source.args, "noop_layers").value_or("")));
    }
    out.dualpipev |= found.pp() > 1 && found.head == ChunkPosition{0, 1};
    bool says_chunks =
        out.layers_per_virtual_stage > 0 || out.virtual_stages > 0 || out.dualpipev || !out.pipeline_layout.empty();
    if (found.virtual_stages && !says_chunks) {
        if (has_uneven_stages(out)) out.virtual_stages = found.chunks();
        else out.layers_per_virtual_stage = found.slots / (static_cast<std::uint32_t>(found.pp()) * found.chunks());
    }
    return out;
}

std::string slots_text(const std::vector<LayerSlot>& layers) {
    std::vector<std::uint32_t> slots;
    for (const LayerSlot& layer : layers) slots.push_back(layer.local);
    return slots.empty() ? "no slots" : base::format("the slots {}", base::joined(slots, ","));
}

bool places_layers(const Topology& topology) {
    return has_uneven_stages(topology) || !topology.noop_layers.empty() || topology.dualpipev ||
           topology.layers_per_virtual_stage > 0 || topology.virtual_stages > 0;
}

Status check_placement(const Topology& given, const Source& source) {
    if (!places_layers(given)) return {};
    const Placement& found = source.parallel->placement;
    TRY_ASSIGN(Topology topology, completed(given, source));
    auto expected = place_layers(topology, source.model.layers());
    if (!expected)
        return base::fail(ErrorKind::usage, base::format("the options do not describe the {} layers of the input: {}",
                                                         source.model.layers(), expected.error().message));
    if (expected->chunks() != found.chunks())
        return contradiction(base::format("a layout of {} virtual stages", expected->chunks()),
                             std::to_string(found.chunks()));
    for (std::size_t pp = 0; pp < found.stages.size(); ++pp) {
        for (std::size_t chunk = 0; chunk < found.stages[pp].size(); ++chunk) {
            const auto& wanted = expected->stages[pp][chunk];
            if (wanted == found.stages[pp][chunk]) continue;
            return contradiction(base::format("a layout with layers in {} of pipeline rank {}, model chunk {},",
                                              slots_text(wanted), pp, chunk),
                                 base::format("them in {}", slots_text(found.stages[pp][chunk])));
        }
    }
    return {};
}

Status check_experts(const ConvertOptions& options, const Source& source) {
    if (source.model.experts() == 0) return {};
    const ParallelLayout& found = *source.parallel;
    const ExpertParallel& given = options.topology.experts;
    int etp = found.experts.etp == 0 ? found.tp : found.experts.etp;
    if (given.etp > 0 && given.etp != etp)
        return contradiction(base::format("--etp {}", given.etp), base::format("experts over {} ranks", etp));
    if (given.tp_extends_ep && found.tp > 1 && !found.experts.tp_extends_ep)
        return contradiction("--moe-tp-extend-ep", base::format("each expert on {} of the TP ranks", etp));
    if (options.repeated.grouped_experts && !found.dialect.grouped)
        return contradiction("--moe-grouped-gemm", "a module for each expert");
    return {};
}

}  // namespace

Status check_claims(const ConvertOptions& options, const Source& source) {
    const ModelValues facts = facts_of(source);
    auto lookup = lookup_in(facts, source.model.values());
    for (const Claim& claim : options.claims) {
        auto found = lookup(claim.value);
        if (found && *found != std::max<std::int64_t>(claim.number, 0))
            return contradiction(base::format("{} {}", claim.option, claim.number), std::to_string(*found));
    }
    auto mtp = options.repeated.mtp_layers;
    if (source.side == Side::megatron && mtp && *mtp != source.model.mtp_layers())
        return contradiction(base::format("--mtp-num-layers {}", *mtp), std::to_string(source.model.mtp_layers()));
    return {};
}

namespace {

Status check_tp_alone(const ConvertOptions& options) {
    Topology tp;
    tp.tp = options.topology.tp;
    if (options.topology == tp) return {};
    return base::fail(
        ErrorKind::usage,
        "--to vllm: files for ranks of tensor parallelism are written, so of the parallel sizes give --tp "
        "alone; other splits vLLM makes from a Hugging Face checkpoint");
}

}  // namespace

Status check_repeated_layout(const ConvertOptions& options, const Source& source) {
    if (options.format == NamedFormat::vllm) return check_tp_alone(options);
    if (!options.topology_given || (source.parallel && source.parallel->dialect.torch_dist)) return {};
    if (!source.parallel)
        return base::fail(ErrorKind::usage,
                          "the parallel sizes describe a Megatron checkpoint, and neither input nor output is one: "
                          "leave them out (or add --save-model-type mg)");
    const Topology& given = options.topology;
    const ParallelLayout& found = *source.parallel;
    const std::tuple<const char*, int, int> sizes[] = {{"--tp", given.tp, found.tp},
                                                       {"--pp", given.pp, found.placement.pp()},
                                                       {"--ep", given.experts.ep, found.experts.ep}};
    // 1 is what scripts write for an output that is not split.
    for (const auto& [option, wanted, there] : sizes) {
        if (wanted > 1 && wanted != there)
            return contradiction(base::format("{} {}", option, wanted), std::to_string(there));
    }
    TRY(check_experts(options, source));
    return check_placement(given, source);
}

}  // namespace ckpt
