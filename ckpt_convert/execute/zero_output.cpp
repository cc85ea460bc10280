#include "ckpt_convert/execute/zero_output.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/check.h"
#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/execute/engine_state.h"
#include "ckpt_convert/execute/numbered_groups.h"
#include "ckpt_convert/plan/plan_proof.h"
#include "ckpt_convert/plan/target_contents.h"

namespace ckpt {
namespace {

using pickle::Value;

constexpr std::array<const char*, 3> kStates{"fp32", "exp_avg", "exp_avg_sq"};
// See flat_runs.cpp.
constexpr std::uint64_t kRowAlignment = 2;
constexpr std::uint32_t kNone = UINT32_MAX;

// Parameters in one vector, and the shares of it by state and rank: numbers in OutputPlan::shares.
struct FlatGroup {
    std::vector<Shared<std::string>> names;
    std::array<std::vector<std::uint32_t>, kStates.size()> shares;
};

class ZeroFilePlanner {
public:
    ZeroFilePlanner(ConversionPlan& plan, const NamedTraining& training, const ZeroRun& run)
        : plan_(plan), training_(training), run_(run), directory_(zero_directory(training)) {}

    Result<OutputPlan> plan() {
        CHECK(plan_.fills.empty());
        find_targets();
        cut_groups();
        for (FlatGroup& group : groups_) place(group);
        TRY(add_models());
        for (std::uint32_t rank = 0; rank < run_.ranks; ++rank) TRY(add_optimizer(rank));
        return std::move(out_);
    }

private:
    bool by_parameter() const { return run_.stage == 3; }
    std::uint64_t elements(const std::string& name) const {
        return *checked_elements(plan_.targets[targets_.at(name)[0]].shape);
    }

    void find_targets() {
        for (std::uint32_t i = 0; i < plan_.targets.size(); ++i) {
            const TargetTensor& target = plan_.targets[i];
            const TensorKey state = split_key(target.name.get());
            const auto place =
                target.of_model ? kStates.begin() : std::find(kStates.begin(), kStates.end(), state.chunk);
            const std::string name(target.of_model ? target.name.get() : state.name);
            auto& of_weight = targets_.try_emplace(name, std::array{kNone, kNone, kNone}).first->second;
            of_weight[static_cast<std::size_t>(place - kStates.begin())] = i;
            if (target.of_model) weights_.push_back(i);
        }
        contents_.emplace(plan_);
    }

    // ZeRO 3 begins a vector when one is as long as asked for.
    void cut_groups() {
        vectors_.resize(training_.groups.size());
        for (std::size_t group = 0; group < training_.groups.size(); ++group) {
            std::uint64_t length = 0;
            bool is_full = true;
            for (const Shared<std::string>& name : training_.groups[group].names) {
                if (is_full) {
                    vectors_[group].push_back(groups_.size());
                    groups_.push_back({{}, {}});
                    length = 0;
                }
                groups_.back().names.push_back(name);
                length += rounded_up(elements(name), run_.ranks) / run_.ranks;
                is_full = by_parameter() && length >= run_.sub_group;
            }
        }
    }

    static std::uint64_t rounded_up(std::uint64_t value, std::uint64_t multiple) {
        return (value + multiple - 1) / multiple * multiple;
    }

    // Of rows the copies of the weights are without what fills them up.
    void place(FlatGroup& group) {
        std::uint64_t total = 0;
        for (const std::string& name : group.names)
            total += by_parameter() ? rounded_up(elements(name), run_.ranks) : elements(name);
        const std::uint64_t filled = by_parameter() ? total : rounded_up(total, kRowAlignment * run_.ranks);
        const std::uint64_t part = filled / run_.ranks;
        for (std::size_t state = 0; state < kStates.size(); ++state) {
            std::vector<FlatShare> shares;
            for (std::uint64_t rank = 0; rank < run_.ranks; ++rank) {
                const std::uint64_t end = state == 0 ? total : filled;
                const std::uint64_t length = std::min(part, end - std::min(rank * part, end));
                group.shares[state].push_back(static_cast<std::uint32_t>(out_.shares.size()));
                shares.push_back({group.shares[state].back(), 0, length});
                TargetTensor share;
                share.name = base::format("{} of group {}", kStates[state], &group - groups_.data());
                share.file = static_cast<std::uint32_t>(rank);
                share.shape = Shape{length};
                out_.shares.push_back(std::move(share));
            }
            const auto rule = by_parameter() ? FlatVector::Rule::shares : FlatVector::Rule::row;
            const auto vector = std::make_shared<const FlatVector>(rule, DType::f32, std::move(shares));
            std::uint64_t at = 0;
            for (const std::string& name : group.names) {
                plan_.targets[targets_.at(name)[state]].flat = {vector, at};
                at += by_parameter() ? vector->share_of(elements(name)) : elements(name);
            }
        }
    }

    // Another target with the same values.
    std::uint32_t copy_of(std::uint32_t number, DType dtype) {
        TargetTensor copy = plan_.targets[number];
        copy.dtype = dtype;
        copy.flat = {};
        const auto made = static_cast<std::uint32_t>(plan_.targets.size());
        for (const auto [move, number_of_piece] : contents_->parts(number)) {
            StoredPiece piece = plan_.moves[move].targets[number_of_piece];
            piece.tensor = made;
            plan_.moves[move].targets.push_back(std::move(piece));
        }
        plan_.targets.push_back(std::move(copy));
        return made;
    }

    // With ZeRO 3 each rank has one; they are all the same, and the parameters in them are empty.
    Status add_models() {
        auto file = std::make_shared<TorchFilePlan>();
        Value* module = file->dict();
        Value* buffers = file->list();
        std::vector<std::uint32_t> whole;  // targets that have their values in the file
        for (const std::uint32_t number : weights_) {
            TargetTensor& weight = plan_.targets[number];
            const bool is_alias = std::any_of(run_.aliases.begin(), run_.aliases.end(),
                                              [&](const auto& alias) { return alias.first == weight.name; });
            const bool is_buffer = !weight.flat.vector && !is_alias;
            if (is_alias) weight.dtype = run_.parameters;
            Value* key = file->string(weight.name);
            Value* tensor = nullptr;
            if (by_parameter() && !is_buffer) {
                TRY_ASSIGN(tensor, file->tensor(run_.parameters, {0}, ""));
            } else {
                TRY_ASSIGN(tensor, file->tensor(is_buffer ? weight.dtype : run_.parameters, weight.shape_in_file()));
                whole.push_back(number);
            }
            TorchFilePlan::set(module, key, tensor);
            if (is_buffer) buffers->as<pickle::List>()->items.push_back(key);
        }
        TRY_ASSIGN(Value * root, model_value(*file, module, buffers));
        TRY(file->finish(root));
        if (!by_parameter()) add_file("mp_rank_00_model_states.pt", file, in_file(whole, 0));
        for (std::uint32_t rank = 0; by_parameter() && rank < run_.ranks; ++rank)
            add_file(base::format("zero_pp_rank_{}_mp_rank_00_model_states.pt", rank), file, in_file(whole, rank));
        return {};
    }

    // Aliases and the buffers of the first rank have no other place.
    std::vector<std::uint32_t> in_file(const std::vector<std::uint32_t>& whole, std::uint32_t rank) {
        std::vector<std::uint32_t> out;
        for (const std::uint32_t number : whole) {
            const bool is_weight = plan_.targets[number].flat.vector != nullptr;
            const DType dtype = is_weight ? run_.parameters : plan_.targets[number].dtype;
            out.push_back(is_weight || rank > 0 ? copy_of(number, dtype) : number);
        }
        return out;
    }

    Result<Value*> model_value(TorchFilePlan& file, Value* module, Value* buffers) const {
        Value* aliases = file.dict();
        for (const auto& [alias, owner] : run_.aliases) {
            Value* key = file.string(alias);
            TorchFilePlan::set(aliases, key, file.string(owner));
            if (targets_.contains(alias)) continue;
            TRY_ASSIGN(Value * empty, file.tensor(run_.parameters, {0}, ""));
            TorchFilePlan::set(module, key, empty);
        }
        Value* root = file.dict();
        auto set = [&](const char* key, Value* value) { TorchFilePlan::set(root, file.string(key), value); };
        set("module", module);
        set("buffer_names", buffers);
        set("optimizer", file.none());
        set("param_shapes", shapes(file));
        set("frozen_param_shapes", file.none());
        set("shared_params", aliases);
        set("frozen_param_fragments", file.none());
        set("data_sampler", file.none());
        set("random_ltd", file.none());
        set("ds_config", file.dict());
        set_engine_state(file, root, training_, run_.ranks);
        return root;
    }

    Value* shapes(TorchFilePlan& file) const {
        Value* out = file.list();
        for (const FlatGroup& group : groups_) {
            Value* by_name = file.dict();
            for (const std::string& name : group.names)
                TorchFilePlan::set(by_name, file.string(name),
                                   file.size(plan_.targets[targets_.at(name)[0]].shape_in_file()));
            out->as<pickle::List>()->items.push_back(by_name);
        }
        return out;
    }

    Status add_optimizer(std::uint32_t rank) {
        auto file = std::make_shared<TorchFilePlan>();
        std::vector<std::uint32_t> targets;
        auto vector = [&](const FlatGroup& group, std::size_t state) -> Result<Value*> {
            const std::uint32_t share = group.shares[state][rank];
            targets.push_back(static_cast<std::uint32_t>(plan_.targets.size()) + share);
            return file->tensor(DType::f32, out_.shares[share].shape);
        };
        Value* weights = file->list();
        Value* states = file->dict();
        for (std::size_t number = 0; number < groups_.size(); ++number) {
            TRY_ASSIGN(Value * weight, vector(groups_[number], 0));
            weights->as<pickle::List>()->items.push_back(weight);
            Value* moments = file->dict();
            TorchFilePlan::set(moments, file->string("step"), file->scalar(training_.step));
            for (std::size_t state = 1; state < kStates.size(); ++state) {
                TRY_ASSIGN(Value * moment, vector(groups_[number], state));
                TorchFilePlan::set(moments, file->string(kStates[state]), moment);
            }
            TorchFilePlan::set(states, file->integer(static_cast<std::int64_t>(number)), moments);
        }
        TRY_ASSIGN(Value * groups, numbered_groups(*file, training_, vectors_));
        Value* base = file->dict();
        TorchFilePlan::set(base, file->string("state"), states);
        TorchFilePlan::set(base, file->string("param_groups"), groups);
        Value* engine = file->dict();
        auto set = [&](const char* key, Value* value) { TorchFilePlan::set(engine, file->string(key), value); };
        set("zero_stage", file->integer(run_.stage));
        set("dynamic_loss_scale", file->boolean(false));
        set("overflow", file->boolean(false));
        set("ds_version", file->string(kDeepSpeedVersion));
        if (by_parameter()) add_third(*file, engine, base, weights);
        else add_first(*file, engine, base, weights, rank);
        Value* root = file->dict();
        TorchFilePlan::set(root, file->string("optimizer_state_dict"), engine);
        TorchFilePlan::set(root, file->string("ds_config"), file->dict());
        TorchFilePlan::set(root, file->string("ds_version"), file->string(kDeepSpeedVersion));
        const char* front = run_.parameters == DType::bf16 ? "bf16_" : "";
        TRY(file->finish(root));
        add_file(base::format("{}zero_pp_rank_{}_mp_rank_00_optim_states.pt", front, rank), file, std::move(targets));
        return {};
    }

    // Of ZeRO 3. The engine asks for the object that scales losses, also where none are scaled.
    void add_third(TorchFilePlan& file, Value* engine, Value* base, Value* weights) const {
        Value* scale = file.dict();
        TorchFilePlan::set(scale, file.string("cur_scale"), file.real(1));
        TorchFilePlan::set(scale, file.string("dynamic"), file.boolean(false));
        TorchFilePlan::set(engine, file.string("loss_scaler"),
                           file.call("deepspeed.runtime.fp16.loss_scaler", "LossScaler", {}, true, scale));
        TorchFilePlan::set(engine, file.string("partition_count"), file.integer(run_.ranks));
        TorchFilePlan::set(engine, file.string("optimizer_state_dict"), base);
        TorchFilePlan::set(engine, file.string("fp32_flat_groups"), weights);
    }

    void add_first(TorchFilePlan& file, Value* engine, Value* base, Value* weights, std::uint32_t rank) const {
        Value* counts = file.list();
        Value* fillings = file.list();
        Value* fragments = file.list();
        for (const FlatGroup& group : groups_) {
            fragments->as<pickle::List>()->items.push_back(fragments_of(file, group, rank));
            const std::uint64_t length = out_.shares[group.shares[1][rank]].shape[0];
            const std::uint64_t filling = length - out_.shares[group.shares[0][rank]].shape[0];
            counts->as<pickle::List>()->items.push_back(file.integer(run_.ranks));
            fillings->as<pickle::List>()->items.push_back(file.integer(static_cast<std::int64_t>(filling)));
        }
        TorchFilePlan::set(engine, file.string("partition_count"), counts);
        TorchFilePlan::set(engine, file.string("group_paddings"), fillings);
        TorchFilePlan::set(engine, file.string("param_slice_mappings"), fragments);
        TorchFilePlan::set(engine, file.string("base_optimizer_state"), base);
        TorchFilePlan::set(engine, file.string("single_partition_of_fp32_groups"), weights);
    }

    // Where in the share of the rank its parameters lie, by name: what ds_to_universal.py takes them by.
    Value* fragments_of(TorchFilePlan& file, const FlatGroup& group, std::uint32_t rank) const {
        const std::uint64_t length = out_.shares[group.shares[1][rank]].shape[0], first = rank * length;
        Value* out = file.dict();
        std::uint64_t at = 0;
        for (const std::string& name : group.names) {
            const std::uint64_t begin = std::max(at, first), end = std::min(at += elements(name), first + length);
            if (begin >= end) continue;
            Value* place = file.dict();
            TorchFilePlan::set(place, file.string("numel"), file.integer(static_cast<std::int64_t>(end - begin)));
            TorchFilePlan::set(place, file.string("start"), file.integer(static_cast<std::int64_t>(begin - first)));
            TorchFilePlan::set(out, file.string(name),
                               file.call("deepspeed.utils.tensor_fragment", "fragment_address", {}, true, place));
        }
        return out;
    }

    void add_file(const std::string& name, const std::shared_ptr<TorchFilePlan>& planned,
                  std::vector<std::uint32_t> targets) {
        OutputFile file;
        file.path = base::format("{}/{}", directory_, name);
        file.bytes = planned->file_bytes();
        for (std::size_t i = 0; i < targets.size(); ++i) file.offsets.push_back(planned->tensor_offset(i));
        file.targets = std::move(targets);
        file.chunks = [planned](const std::vector<std::uint32_t>& crc32) { return planned->chunks(crc32); };
        out_.files.push_back(std::move(file));
    }

    ConversionPlan& plan_;
    const NamedTraining& training_;
    const ZeroRun& run_;
    std::string directory_;
    std::unordered_map<std::string, std::array<std::uint32_t, kStates.size()>> targets_;  // of states, by weight
    std::vector<std::uint32_t> weights_;                                                  // targets of the model
    std::optional<TargetContents> contents_;                                              // of the plan as it was given
    std::vector<FlatGroup> groups_;
    std::vector<std::vector<std::size_t>> vectors_;  // by group of the optimizer, numbers in groups_
    OutputPlan out_;
};

}  // namespace

std::string zero_directory(const NamedTraining& training) {
    return base::format("global_step{}", static_cast<std::uint64_t>(training.step));
}

Result<OutputPlan> zero_output(ConversionPlan& plan, const TensorIndex& source, const NamedTraining& training,
                               const ZeroRun& run) {
    TRY_ASSIGN(OutputPlan out, ZeroFilePlanner(plan, training, run).plan());
    TRY(prove_plan(plan, source));
    return out;
}

}  // namespace ckpt
