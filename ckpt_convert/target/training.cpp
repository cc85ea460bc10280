#include "ckpt_convert/target/training.h"

#include "base/format.h"
#include "ckpt_convert/execute/content_check.h"
#include "ckpt_convert/execute/master_check.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {
namespace {

// Since this version torch_dist has a form of the state that is as whole as the weights are.
constexpr CoreVersion kReshardable{0, 16};

tl::unexpected<base::Error> unknown_expert_layout(const Path& directory) {
    return base::fail(ErrorKind::unsupported,
                      "with --moe-tp-extend-ep nothing is known of how the run keeps the state of its optimizer",
                      directory);
}

Status check_formats(const Source& source) {
    if (source.reordered)
        return base::fail(ErrorKind::unsupported,
                          "the checkpoint is older than the optimizers whose state is read, by its checkpoint_version; "
                          "--optimizer drop leaves the state out",
                          source.directory);
    if (source.parallel->experts.tp_extends_ep) return unknown_expert_layout(source.directory);
    if (!source.parallel->dialect.torch_dist &&
        source.index.files.size() != source.parallel->placement.stages.size() *
                                         state_owners(source.parallel->tp, source.parallel->experts).size())
        return base::fail(
            ErrorKind::unsupported,
            "the checkpoint holds an adapter, whose weights the state of the optimizer does not belong to",
            source.directory);
    return {};
}

// The state that belongs to the weights of `source`.
Result<Training> open_state(base::FileSystem& fs, const Knowledge& knowledge, const Source& source) {
    TRY(check_formats(source));
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
        if (source.legacy) {  // its own order is that of no model of megatron-core
            out.states.order = {};
            out.states.order.learn({knowledge.parameter_names.begin(), knowledge.parameter_names.end()});
        }
    }
    return out;
}

// The states of one kind in the place of the weights they belong to. Buffers of modules, which have none, stay.
SourceBinding state_binding(const SourceBinding& weights, const StateSource& states, std::size_t state,
                            std::size_t first_tensor) {
    SourceBinding out = weights;
    for (std::size_t i = 0; i < out.tensors.size(); ++i) {
        LogicalSource& source = out.tensors[i];
        source.plus = 0;
        if (states.pieces[state][i].empty()) continue;
        source.dtype = DType::f32;
        source.replicas.clear();
        source.pieces = states.pieces[state][i];
        for (StoredPiece& piece : source.pieces) piece.tensor += static_cast<std::uint32_t>(first_tensor);
    }
    return out;
}

}  // namespace

Result<Training> open_training(base::FileSystem& fs, const Knowledge& knowledge, const Source& source,
                               ConvertOptions& options) {
    if (options.iteration == "release")
        return base::fail(ErrorKind::usage, "--optimizer keep: Megatron reads no optimizer of a release checkpoint");
    if (options.topology.experts.tp_extends_ep) return unknown_expert_layout(source.directory);
    TRY_ASSIGN(Training out, open_state(fs, knowledge, source));
    TRY(check_master_weights(source.index, out.states, options.threads));
    if (target_side(source, options) != Side::megatron) return out;
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
    if (options.topology.experts.tp_extends_ep) return unknown_expert_layout(source.directory);
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
        source.side == Side::megatron || !training.schedule_title.empty()
            ? base::format(
                  "the optimizer goes on at iteration {}: master weights, moments, parameter groups and schedule "
                  "are carried over; "
                  "random states are not, so that a run needs --no-load-rng",
                  target.iteration)
            : base::format(
                  "the optimizer goes on at iteration {}: master weights, moments and settings are carried over; "
                  "a run needs --override-opt_param-scheduler, as its schedule starts again, and --no-load-rng",
                  target.iteration));
    if (!training.schedule_title.empty()) std::erase(source.beside, training.schedule_title);
    if (training.files.has_grad_scaler)
        plan.notes.push_back("the loss scale of fp16 is not carried over: it starts again from --initial-loss-scale");
    return state;
}

Result<StateFindings> verify_training(base::FileSystem& fs, const Knowledge& knowledge, const Source& source,
                                      const CompareOptions& options) {
    StateFindings out;
    auto opened = open_state(fs, knowledge, source);
    if (!opened && opened.error().kind == ErrorKind::unsupported) {
        out.note = "the state of the optimizer is not checked: " + opened.error().message;
        return out;
    }
    TRY_ASSIGN(Training training, std::move(opened));
    if (!source.parallel->dialect.torch_dist) {
        TRY_ASSIGN(ContentFindings content, check_content(fs, source.directory, source.directory, training.states.index,
                                                          {}, {options.threads, options.progress}));
        out.differences = std::move(content.problems);
    }
    TensorIndex all = source.index;
    add_index(all, training.states.index);
    std::vector<SourceBinding> states;
    for (std::size_t state = 0; state < kOptimizerStates.size(); ++state)
        states.push_back(state_binding(source.binding, training.states, state, source.index.tensors.size()));
    auto add = [&](const std::vector<TensorDifference>& found, std::string_view what) {
        for (const TensorDifference& one : found)
            out.differences.push_back({one.tensor, base::format("{}: {}", what, one.what)});
    };
    for (std::size_t state = 0; state < kOptimizerStates.size(); ++state) {
        TRY_ASSIGN(auto found, check_values({&all, &states[state], &source.model}, options));
        add(found, base::format("{} of the optimizer", kOptimizerStates[state]));
    }
    SourceBinding weights = source.binding;
    for (LogicalSource& one : weights.tensors) one.plus = 0;
    TRY_ASSIGN(auto found, compare({&all, &weights, &source.model}, {&all, &states.front(), &source.model}, options));
    add(found, "the weights are not the rounded ones of the optimizer");
    out.note =
        "the state of the optimizer is checked too: checksums, finite values, and that the weights are those of "
        "its copies in full precision, rounded";
    return out;
}

}  // namespace ckpt
