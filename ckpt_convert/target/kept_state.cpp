#include "ckpt_convert/target/kept_state.h"

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/open/sharded_source.h"
#include "ckpt_convert/target/adam_values.h"
#include "ckpt_convert/target/megatron_state.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> refuse(const char* why) { return base::fail(ErrorKind::usage, why); }

Status check_weights_stay(const Source& source, const ConvertOptions& options) {
    const bool becomes_megatron = source.side != Side::megatron && (target_side(source, options) == Side::megatron ||
                                                                    options.format == NamedFormat::megatron_fsdp);
    // Megatron and ZeRO have weights of fewer bits beside the copies in full precision.
    if (!options.params_dtype.empty() && !becomes_megatron && options.format != NamedFormat::zero)
        return refuse("--optimizer keep: --params-dtype makes weights that the state does not belong to");
    if (!options.source.adapter.empty())
        return refuse("--optimizer keep: --lora-load makes weights that the state does not belong to");
    if (source.side != Side::megatron &&
        std::any_of(source.binding.tensors.begin(), source.binding.tensors.end(),
                    [](const LogicalSource& weight) { return weight.adapter != nullptr; }))
        return refuse(
            "--optimizer keep: the state belongs to the adapters in this checkpoint, which are merged into the "
            "weights");
    if (options.source.layers || options.source.true_vocab)
        return refuse(
            "--optimizer keep: --num-layers and --true-vocab-size leave out weights that the state belongs to");
    return {};
}

}  // namespace

Result<KeptState> open_kept_state(base::FileSystem& fs, const Knowledge& knowledge, const Source& source,
                                  ConvertOptions& options) {
    TRY(check_weights_stay(source, options));
    const bool to_megatron = target_side(source, options) == Side::megatron;
    if (!to_megatron && !has_optimizer(options.format))
        return refuse(
            "--optimizer keep: these files have no place for the state of an optimizer; --to mcore, dcp, "
            "dtensor, universal, zero and megatron-fsdp have");
    KeptState out;
    if (source.side == Side::megatron) {
        TRY_ASSIGN(out.megatron, open_training(fs, knowledge, source, options));
        return out;
    }
    if (!is_sharded_checkpoint(fs, source.directory)) {
        if (const auto below = sharded_below(fs, knowledge.distributed, source.directory))
            return base::fail(ErrorKind::usage,
                              base::format("the state of the optimizer is in {}, with the weights that it belongs to; "
                                           "name that directory",
                                           *below),
                              source.directory);
        return refuse(needs_optimizer(options.format)
                          ? "such a checkpoint is what a run goes on from, and this input has no state of an "
                            "optimizer; start the run from the weights, as --to hf writes them"
                          : "--optimizer keep: there is none next to the weights of this input");
    }
    TRY_ASSIGN(out.named, open_sharded_training(fs, knowledge.distributed, source.directory,
                                                options.optimizer_step.empty() ? Steps::same : Steps::largest));
    TRY(as_torch_groups(knowledge.adam, out.named->settings, source.directory));
    if (to_megatron || options.format == NamedFormat::megatron_fsdp) {
        TRY_ASSIGN(out.megatron, megatron_state(*out.named, knowledge, source, options));
    }
    return out;
}

void take_masters(Source& source, const StateSource& states) {
    const auto first = static_cast<std::uint32_t>(source.index.tensors.size());
    add_index(source.index, states.index);
    for (std::size_t i = 0; i < source.binding.tensors.size(); ++i) {
        if (states.pieces.front()[i].empty()) continue;
        LogicalSource& weight = source.binding.tensors[i];
        weight.dtype = DType::f32;
        weight.replicas.clear();
        weight.pieces = states.pieces.front()[i];
        for (StoredPiece& piece : weight.pieces) piece.tensor += first;
    }
}

}  // namespace ckpt
