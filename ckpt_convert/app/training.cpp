#include "ckpt_convert/app/training.h"

#include "base/format.h"
#include "ckpt_convert/execute/master_check.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

// Since this version torch_dist has a form of the state that is as whole as the weights are.
constexpr CoreVersion kReshardable{0, 16};

Status check_options(const Source& source, const ConvertOptions& options) {
    auto refuse = [](const char* why) { return base::fail(ErrorKind::usage, std::string("--optimizer keep: ") + why); };
    if (source.side != Side::megatron || options.to != Side::megatron)
        return refuse("the state of an optimizer goes from one Megatron layout to another (--save-model-type mg)");
    if (options.iteration == "release") return refuse("Megatron reads no optimizer of a release checkpoint");
    if (!options.params_dtype.empty()) return refuse("--params-dtype makes weights that the state does not belong to");
    if (!options.source.adapter.empty()) return refuse("--lora-load makes weights that the state does not belong to");
    if (options.source.layers || options.source.true_vocab)
        return refuse("--num-layers and --true-vocab-size leave out weights that the state belongs to");
    return {};
}

Status check_formats(const Source& source, const ConvertOptions& options) {
    auto refuse = [&](const char* why) {
        return base::fail(ErrorKind::unsupported, std::string("--optimizer keep: ") + why, source.directory);
    };
    if (source.parallel->experts.tp_extends_ep || options.topology.experts.tp_extends_ep)
        return refuse("with --moe-tp-extend-ep nothing is known of how the run keeps its state");
    if (!source.parallel->dialect.torch_dist &&
        source.index.files.size() != source.parallel->placement.stages.size() *
                                         state_owners(source.parallel->tp, source.parallel->experts).size())
        return refuse("the checkpoint holds an adapter, whose weights the state does not belong to");
    return {};
}

}  // namespace

Result<Training> open_training(base::FileSystem& fs, const Knowledge& knowledge, const Source& source,
                               ConvertOptions& options) {
    TRY(check_options(source, options));
    TRY(check_formats(source, options));
    Training out;
    TRY_ASSIGN(Layout layout, mcore_layout(source.model, *source.parallel));
    BoundWeights weights{source.model, source.index, source.binding, *source.parallel, layout, source.args};
    if (source.parallel->dialect.torch_dist) {
        TRY_ASSIGN(TorchDistStates states, read_torch_dist_states(fs, source.directory));
        TRY_ASSIGN(out.states, locate_states(weights, states, knowledge.parameter_names));
        out.files = std::move(states.files);
    } else {
        TRY_ASSIGN(out.files, open_optimizer_files(fs, source.index));
        TRY_ASSIGN(out.states, locate_states(weights, out.files));
        TRY(check_master_weights(source.index, out.states, options.threads));
    }
    if (options.iteration.empty()) options.iteration = std::to_string(out.files.iteration);
    const Dialect& dialect = source.parallel->dialect;
    if (options.layers.empty() && !dialect.torch_dist) options.layers = dialect.layers;
    options.grouped_experts |= dialect.grouped;
    options.mla_split |= dialect.mla_split;
    return out;
}

Result<TrainingState> carry_training(const Training& training, Source& source, const MegatronTarget& target,
                                     const ConvertOptions& options, ConversionPlan& plan) {
    const ParallelLayout& layout = target.parallel;
    if (layout.dialect.torch_dist && layout.dialect.core < kReshardable) {
        return base::fail(
            ErrorKind::unsupported,
            base::format("--optimizer keep: before megatron-core {} torch_dist has no state that loads at "
                         "any TP and PP; choose --target mcore@{} or later, or --ckpt-format torch",
                         kReshardable.text(), kReshardable.text()));
    }
    int ep = options.topology.experts.ep;  // torch_dist has none of its own
    TRY_ASSIGN(TrainingState state, plan_training(plan, source.index, source.model, training.states, training.files,
                                                  {&layout, ep > 1, &source.args}));
    if (layout.dialect.torch_dist && source.model.experts() > 0) {
        plan.notes.push_back(ep > 1 ? "the state of the optimizer is for runs with EP > 1"
                                    : "the state of the optimizer is for runs with EP 1; --ep N makes it for others");
    }
    plan.notes.push_back(
        base::format("the optimizer goes on at iteration {}: master weights, moments, parameter groups and schedule "
                     "are carried over; "
                     "random states are not, so that a run needs --no-load-rng",
                     target.iteration));
    if (training.files.has_grad_scaler)
        plan.notes.push_back("the loss scale of fp16 is not carried over: it starts anew from --initial-loss-scale");
    return state;
}

}  // namespace ckpt
