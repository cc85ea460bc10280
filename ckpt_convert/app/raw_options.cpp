#include "ckpt_convert/app/raw_options.h"

#include "base/format.h"
#include "ckpt_convert/open/option_values.h"

namespace ckpt {

Status check_layout(ConvertOptions& options, const RawOptions& raw) {
    Topology& topology = options.topology;
    TRY_ASSIGN(topology.layers_per_stage, number_list("--num-layer-list", raw.layer_list));
    TRY_ASSIGN(topology.noop_layers, number_list("--noop-layers", raw.noop_layers));
    topology.dualpipev = raw.schedule == "dualpipev";
    if (raw.kv_sharing == "repeat") topology.kv_sharing = KvSharing::repeat;
    if (raw.kv_sharing == "split") topology.kv_sharing = KvSharing::split;
    if (!raw.transformer_impl.empty() && raw.transformer_impl != "local" &&
        raw.transformer_impl != "transformer_engine") {
        return base::fail(
            ErrorKind::usage,
            base::format("--transformer-impl: \"{}\" is neither local nor transformer_engine", raw.transformer_impl));
    }
    if (!raw.transformer_impl.empty()) options.layers = raw.transformer_impl == "local" ? "local" : "te";
    if (!raw.format.empty() && raw.format != "torch" && raw.format != "torch_dist") {
        return base::fail(raw.format == "zarr" ? ErrorKind::unsupported : ErrorKind::usage,
                          base::format("--ckpt-format: \"{}\" is neither torch nor torch_dist", raw.format));
    }
    options.torch_dist = raw.format == "torch_dist";
    if (topology.experts.tp_extends_ep && topology.experts.etp > 0) {
        return base::fail(
            ErrorKind::usage,
            "--moe-tp-extend-ep spreads whole experts; --expert-tensor-parallel-size cannot be given too");
    }
    options.topology_given = topology.tp > 1 || topology.pp > 1 || topology.experts != ExpertParallel{} ||
                             !topology.layers_per_stage.empty() || topology.layers_per_virtual_stage > 0 ||
                             !topology.noop_layers.empty() || topology.virtual_stages > 0 || topology.dualpipev ||
                             !topology.pipeline_layout.empty() || topology.first_stage_layers ||
                             topology.last_stage_layers || topology.count_embedding || topology.count_loss;
    return {};
}

namespace {

Status check_format(ConvertOptions& options, const RawOptions& raw) {
    const bool needed = needs_optimizer(options.format);
    if (needed && raw.optimizer == "drop")
        return base::fail(
            ErrorKind::usage,
            base::format("--to {}: such a checkpoint is what a run goes on from, so that the state of the optimizer "
                         "belongs to it; weights alone DeepSpeed takes from a Hugging Face checkpoint",
                         raw.to));
    options.keep_optimizer = raw.optimizer == "keep" || needed;
    options.source.keep_padding =
        options.keep_optimizer && (options.to != Side::huggingface || options.format == NamedFormat::megatron_fsdp);
    if (options.adapter_alone && options.to != Side::megatron && !has_adapters(options.format))
        return base::fail(ErrorKind::usage,
                          base::format("--to {}: an adapter alone is written as a PEFT directory (--to hf), for "
                                       "Megatron (--to mcore) or in shards (--to dcp, dtensor); without --save-lora it "
                                       "is merged",
                                       raw.to));
    if (options.adapter_alone && !options.names.empty())
        return base::fail(ErrorKind::usage, "--names: adapters in shards have the names of PEFT");
    const bool by_rank = is_for_ranks(options.format), is_zero = options.format == NamedFormat::zero;
    if (by_rank && options.world == 0)
        return base::fail(ErrorKind::usage,
                          base::format("--to {}: --world says how many ranks load a file each", raw.to));
    if (!by_rank && options.world > 0)
        return base::fail(ErrorKind::usage, "--world is for --to dtensor and zero, whose ranks load a file each");
    if (is_zero != (options.zero_stage > 0))
        return base::fail(ErrorKind::usage, is_zero ? "--to zero: --stage 1, 2 or 3 says how the run shares its state"
                                                    : "--stage is for --to zero, whose files differ by it");
    return {};
}

}  // namespace

Result<std::vector<Claim>> claims_of(const std::vector<GivenPeers::Claim>& given) {
    std::vector<Claim> out;
    for (const auto& [option, value, text] : given) {
        TRY_ASSIGN(std::int64_t number, whole_option(option, text));
        out.push_back({option, value, number});
    }
    return out;
}

void take_vocabulary(const RawOptions& raw, VocabOptions& out) {
    if (raw.divisor > 0) out.divisor = raw.divisor;
    if (raw.padded_vocab > 0) out.rows = raw.padded_vocab;
}

Status check_conversion(ConvertOptions& options, const RawOptions& raw) {
    if (options.source.directory.empty() || options.save_dir.empty()) {
        return base::fail(ErrorKind::usage,
                          base::format("{} is needed: ckpt_convert INPUT OUTPUT; see ckpt_convert --help",
                                       options.source.directory.empty() ? "--load-dir" : "--save-dir"));
    }
    TRY_ASSIGN(options.source.side, side("--load-model-type", raw.load_type));
    TRY_ASSIGN(options.to, side("--save-model-type", raw.save_type));
    if (!raw.to.empty()) {
        if (!raw.save_type.empty())
            return base::fail(ErrorKind::usage, "--to and --save-model-type say the same thing; give one of them");
        options.to = raw.to == "mcore" ? Side::megatron : Side::huggingface;
        if (raw.to == "dcp") options.format = NamedFormat::dcp;
        if (raw.to == "dtensor") options.format = NamedFormat::dtensor;
        if (raw.to == "megatron-fsdp") options.format = NamedFormat::megatron_fsdp;
        if (raw.to == "mindspore") options.format = NamedFormat::mindspore;
        if (raw.to == "vllm") options.format = NamedFormat::vllm;
        if (raw.to == "universal") options.format = NamedFormat::universal;
        if (raw.to == "zero") options.format = NamedFormat::zero;
        options.source.plain_names = options.to == Side::huggingface && options.format != NamedFormat::megatron_fsdp &&
                                     options.format != NamedFormat::vllm;
    }
    TRY(check_layout(options, raw));
    if (raw.layers > 0) options.source.layers = raw.layers;
    options.source.dequantize = weight_dtype(raw.dequantize);
    TRY(check_format(options, raw));
    options.repeated.mtp_layers = options.source.mtp_layers;
    options.repeated.grouped_experts = options.grouped_experts;
    if (!options.source.mtp_layers) options.source.mtp_layers = 0;
    options.source.noop_layers = static_cast<std::uint32_t>(options.topology.noop_layers.size());
    if (raw.true_vocab > 0) options.source.true_vocab = raw.true_vocab;
    take_vocabulary(raw, options.vocab);
    if (!raw.max_shard_size.empty()) {
        TRY_ASSIGN(options.max_shard_bytes, byte_count("--max-shard-size", raw.max_shard_size));
    }
    return {};
}

}  // namespace ckpt
