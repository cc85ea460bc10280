#include "ckpt_convert/plan/state_source.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/plan/parameter_order.h"

namespace ckpt {
namespace {

class StateLocator {
public:
    StateLocator(const BoundWeights& weights, const OptimizerFiles& files)
        : model_(weights.model),
          weights_(weights.index),
          binding_(weights.binding),
          parallel_(weights.parallel),
          layout_(weights.layout),
          args_(weights.args),
          files_(files) {}

    Result<StateSource> locate() {
        out_.of_weight.resize(weights_.tensors.size());
        TRY_ASSIGN(auto ranks, stage_ranks(parallel_.tp, parallel_.experts));
        auto by_rank = parameters_by_rank();
        for (auto& parameters : by_rank) learn(parameters);
        for (auto& parameters : by_rank) TRY(check_order(parameters));
        bool own_experts = parallel_.experts.ep > 1;
        for (std::uint32_t rank = 0; rank < by_rank.size(); ++rank) {
            auto split = split_parameters(std::move(by_rank[rank]), parallel_.placement.chunks(),
                                          parallel_.placement.virtual_stages, own_experts);
            auto stage = rank / static_cast<std::uint32_t>(ranks.size());
            const RankOptimizer& found = files_.ranks[rank];
            if (found.dense) TRY(add(rank_buffers(split.dense, stage, args_), *found.dense, found));
            if (found.experts) TRY(add(rank_buffers(split.experts, stage, args_), *found.experts, found));
        }
        TRY(collect_pieces());
        return std::move(out_);
    }

private:
    // The parameters of each rank file, in the order of the file, which is that of registration.
    std::vector<std::vector<StoredParameter>> parameters_by_rank() const {
        std::map<std::pair<std::uint32_t, std::string_view>, const LayoutTensor*> known;
        for (const LayoutTensor& tensor : layout_.tensors) {
            if (!tensor.optional && is_parameter(model_, tensor.pieces)) known[{tensor.file, tensor.name}] = &tensor;
        }
        std::vector<std::vector<StoredParameter>> out(weights_.files.size());
        for (std::uint32_t i = 0; i < weights_.tensors.size(); ++i) {
            const IndexedTensor& stored = weights_.tensors[i];
            auto found = known.find({stored.file, stored.name});
            if (found == known.end()) continue;
            out[stored.file].push_back({i, stored.name, stored.dtype, stored.shape, found->second->of_experts});
        }
        return out;
    }

    // Chunk by chunk; the chunks of a file are behind each other.
    template <class Visit>
    static void each_chunk(const std::vector<StoredParameter>& parameters, Visit visit) {
        for (std::size_t begin = 0, end = 0; begin < parameters.size(); begin = end) {
            std::vector<std::string_view> names;
            std::string_view chunk = split_key(parameters[begin].name).chunk;
            for (end = begin; end < parameters.size() && split_key(parameters[end].name).chunk == chunk; ++end)
                names.push_back(split_key(parameters[end].name).name);
            visit(names);
        }
    }

    void learn(const std::vector<StoredParameter>& parameters) {
        each_chunk(parameters, [&](const auto& names) { out_.order.learn(names); });
    }

    // That the order learnt from all files is that of each.
    Status check_order(const std::vector<StoredParameter>& parameters) const {
        bool sorted = true;
        each_chunk(parameters, [&](const auto& names) {
            for (std::size_t i = 1; i < names.size(); ++i)
                sorted &= *out_.order.place(names[i - 1]) < *out_.order.place(names[i]);
        });
        if (sorted) return {};
        return base::fail(ErrorKind::unsupported,
                          "the tensors are not in the order in which a training run saves them, so that nothing says "
                          "where in the optimizer's buffers their state lies; --optimizer drop leaves it out",
                          path_of(parameters.front()));
    }

    const std::string& path_of(const StoredParameter& parameter) const {
        return weights_.files[weights_.tensors[parameter.tensor].file]->path();
    }

    Status add(const std::vector<FlatBufferLayout>& expected, const std::vector<FlatBuffer>& found,
               const RankOptimizer& rank) {
        bool fits = std::equal(expected.begin(), expected.end(), found.begin(), found.end(),
                               [](const FlatBufferLayout& a, const FlatBuffer& b) {
                                   return a.parameters == b.parameters && a.elements == b.elements;
                               });
        if (!fits) {
            return base::fail(ErrorKind::bad_input,
                              base::format("its buffers have {} elements, the parameters of the model file next to it "
                                           "need {}; were weights frozen, or is it of another run? --optimizer drop "
                                           "leaves it out",
                                           sizes(found), sizes(expected)),
                              rank.file->path());
        }
        auto file = static_cast<std::uint32_t>(out_.index.files.size());
        if (file == 0 || out_.index.files.back() != rank.file) out_.index.files.push_back(rank.file);
        else --file;
        for (std::size_t i = 0; i < found.size(); ++i) {
            out_.gradients[found[i].parameters] = found[i].gradients;
            for (const FlatPlace& place : expected[i].places) add(place, found[i], file);
        }
        return {};
    }

    void add(const FlatPlace& place, const FlatBuffer& buffer, std::uint32_t file) {
        const IndexedTensor& weight = weights_.tensors[place.tensor];
        auto& states = out_.of_weight[place.tensor].emplace();
        for (std::size_t state = 0; state < states.size(); ++state) {
            states[state] = static_cast<std::uint32_t>(out_.index.tensors.size());
            out_.index.tensors.push_back(
                {base::format("{} of {}", kOptimizerStates[state], weight.name), DType::f32, weight.shape, file,
                 buffer.offsets[state] + place.first * (bits(DType::f32) / 8), row_major_strides(weight.shape), true});
        }
    }

    Status collect_pieces() {
        for (auto& by_logical : out_.pieces) by_logical.resize(binding_.tensors.size());
        for (std::size_t logical = 0; logical < binding_.tensors.size(); ++logical) {
            if (model_.tensors()[logical].buffer || binding_.tensors[logical].absent) continue;
            for (const StoredPiece& piece : binding_.tensors[logical].pieces) TRY(add_pieces(piece, logical));
        }
        return {};
    }

    // Of several ranks with the same part of a weight one has its state.
    Status add_pieces(const StoredPiece& piece, std::size_t logical) {
        const StoredPiece* found = &piece;
        for (const StoredPiece& copy : binding_.tensors[logical].replicas) {
            if (out_.of_weight[found->tensor]) break;
            if (copy.in_logical == piece.in_logical && copy.extent == piece.extent) found = &copy;
        }
        const auto& states = out_.of_weight[found->tensor];
        if (!states) {
            const IndexedTensor& weight = weights_.tensors[piece.tensor];
            return base::fail(
                ErrorKind::bad_input,
                base::format("there is no {} of {} next to its weights; is a {} missing? --optimizer drop "
                             "leaves the state of the optimizer out",
                             kOptimizerStates.front(), weight.name, kOptimizerFile),
                weights_.files[weight.file]->path());
        }
        for (std::size_t state = 0; state < states->size(); ++state)
            out_.pieces[state][logical].emplace_back(*found).tensor = (*states)[state];
        return {};
    }

    // "bf16 1024, f32 64"
    template <class Buffers>
    static std::string sizes(const Buffers& buffers) {
        std::vector<std::string> out;
        for (const auto& buffer : buffers)
            out.push_back(base::format("{} {}", name(buffer.parameters), buffer.elements));
        return out.empty() ? "no" : base::joined(out, ", ");
    }

    const Model& model_;
    const TensorIndex& weights_;
    const SourceBinding& binding_;
    const ParallelLayout& parallel_;
    const Layout& layout_;
    const Json& args_;
    const OptimizerFiles& files_;
    StateSource out_;
};

// The element type that gradients of parameters of type `parameters` are added up in.
DType gradient_type(DType parameters, const Json& args) {
    const Json* full = args.find("accumulate_allreduce_grads_in_fp32");
    bool as_parameters = full != nullptr && full->boolean() != nullptr && !*full->boolean();
    return as_parameters ? parameters : DType::f32;
}

}  // namespace

bool is_parameter(const Model& model, const std::vector<Piece>& pieces) {
    return std::all_of(pieces.begin(), pieces.end(),
                       [&](const Piece& piece) { return !model.tensors()[piece.logical].buffer; });
}

Result<StateSource> locate_states(const BoundWeights& weights, const OptimizerFiles& files) {
    return StateLocator(weights, files).locate();
}

Result<StateSource> locate_states(const BoundWeights& weights, const TorchDistStates& states,
                                  const std::vector<std::string>& parameter_names) {
    StateSource out;
    out.order.learn({parameter_names.begin(), parameter_names.end()});
    out.index.files = states.tensors.front().files;
    for (std::size_t state = 0; state < kOptimizerStates.size(); ++state) {
        const TensorIndex& index = states.tensors[state];
        auto nothing_left_out = [](std::string_view) { return std::nullopt; };
        auto bound = bind_source(weights.model, index, weights.layout, nothing_left_out, Bound::parameters);
        if (!bound) {
            return base::fail_with_context(
                std::move(bound).error(),
                base::format("of the state {} of the optimizer, which --optimizer drop leaves out",
                             kOptimizerStates[state]));
        }
        auto first = static_cast<std::uint32_t>(out.index.tensors.size());
        for (LogicalSource& source : bound->tensors) {
            for (StoredPiece& piece : source.pieces) piece.tensor += first;
            out.pieces[state].push_back(std::move(source.pieces));
        }
        out.index.tensors.insert(out.index.tensors.end(), index.tensors.begin(), index.tensors.end());
    }
    for (const LogicalSource& source : weights.binding.tensors)
        out.gradients[source.dtype] = gradient_type(source.dtype, weights.args);
    return out;
}

}  // namespace ckpt
