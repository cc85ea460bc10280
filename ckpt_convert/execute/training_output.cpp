#include "ckpt_convert/execute/training_output.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "base/format.h"
#include "ckpt_convert/checkpoint/optimizer_files.h"
#include "ckpt_convert/formats/zip/crc32.h"

namespace ckpt {
namespace {

using pickle::Value;

// In torch_dist: states are stored as whole as weights are.
constexpr const char* kSharding = "fully_reshardable";

// Parameter groups and schedules are flat; the betas of Adam are a tuple in a group.
constexpr int kMaxDepth = 6;

// Numbers, texts and lists of them: what means the same in every file. Tensors would need their bytes.
bool is_plain(pickle::Ref value, int depth = 0) {
    if (depth > kMaxDepth) return false;
    auto all_plain = [&](const std::vector<pickle::Ref>& items) {
        return std::all_of(items.begin(), items.end(), [&](pickle::Ref item) { return is_plain(item, depth + 1); });
    };
    if (const auto* list = value->as<pickle::List>()) return all_plain(list->items);
    if (const auto* tuple = value->as<pickle::Tuple>()) return all_plain(tuple->items);
    if (const auto* dict = value->as<pickle::Dict>()) {
        return std::all_of(dict->items.begin(), dict->items.end(), [&](const auto& item) {
            return is_plain(item.first, depth + 1) && is_plain(item.second, depth + 1);
        });
    }
    return value->as<pickle::Object>() == nullptr && value->as<pickle::PersistentId>() == nullptr;
}

// The group as it is but for whom it is for.
Value* group_value(TorchFilePlan& file, const StateGroup& group) {
    constexpr std::string_view kExpert = "is_expert_parallel";
    Value* out = file.dict();
    for (const auto& [key, value] : *pickle::mapping_items(group.values)) {
        const auto* name = key->as<std::string>();
        if (name != nullptr && (*name == kExpert || *name == "params")) continue;
        out->as<pickle::Dict>()->items.emplace_back(key, value);
    }
    TorchFilePlan::set(out, file.string(std::string(kExpert)), file.boolean(group.expert));
    return out;
}

Value* optimizer_value(TorchFilePlan& file, const RankState& optimizer, bool torch_dist) {
    Value* groups = file.list();
    for (const StateGroup& group : optimizer.groups)
        groups->as<pickle::List>()->items.push_back(group_value(file, group));
    Value* inner = file.dict();
    TorchFilePlan::set(inner, file.string("param_groups"), groups);
    Value* out = file.dict();
    TorchFilePlan::set(out, file.string("optimizer"), inner);
    if (torch_dist) TorchFilePlan::set(out, file.string("param_state_sharding_type"), file.string(kSharding));
    return out;
}

// How a run that loads a torch_dist checkpoint is to ask for its tensors.
Value* content_metadata(TorchFilePlan& file) {
    Value* out = file.dict();
    TorchFilePlan::set(out, file.string("distrib_optim_sharding_type"), file.string(kSharding));
    TorchFilePlan::set(out, file.string("singleton_local_shards"), file.boolean(false));
    TorchFilePlan::set(out, file.string("chained_optim_avoid_prefix"), file.boolean(true));
    return out;
}

// A flat tensor of the file, and the targets that lie in it, from its start. What is between them stays zero.
struct FlatTensor {
    struct Part {
        std::uint64_t offset = 0;  // bytes
        std::uint64_t bytes = 0;
        std::uint32_t target = 0;  // ConversionPlan::targets
    };
    std::uint64_t bytes = 0;
    std::vector<Part> parts;
};

// The checksums of the tensors, given those of all parts in their order.
std::vector<std::uint32_t> tensor_sums(const std::vector<FlatTensor>& tensors,
                                       const std::vector<std::uint32_t>& parts) {
    std::vector<std::uint32_t> out;
    auto next = parts.begin();
    for (const FlatTensor& tensor : tensors) {
        std::uint32_t sum = 0;
        std::uint64_t end = 0;
        auto append = [&](std::uint32_t crc, std::uint64_t bytes) {
            sum = crc32_combine(sum, crc, bytes);
            end += bytes;
        };
        for (const FlatTensor::Part& part : tensor.parts) {
            if (part.offset > end) append(crc32_of_zeros(part.offset - end), part.offset - end);
            append(*next++, part.bytes);
        }
        CHECK(end == tensor.bytes);
        out.push_back(sum);
    }
    CHECK(next == parts.end());
    return out;
}

class StateFileMaker {
public:
    explicit StateFileMaker(const ConversionPlan& plan) : targets_(plan.targets) {}

    Result<OutputFile> make(const std::vector<RankState>& optimizers, std::string path) {
        std::vector<pickle::Ref> values;
        for (const RankState& optimizer : optimizers) {
            TRY_ASSIGN(Value * value, buffers_value(optimizer));
            values.push_back(value);
        }
        pickle::Ref root = values.front();
        if (values.size() > 1) root = plan_->arena().make(pickle::List{std::move(values)});
        TRY(plan_->finish(root));
        OutputFile file;
        file.path = std::move(path);
        file.bytes = plan_->file_bytes();
        for (std::size_t i = 0; i < tensors_.size(); ++i) {
            for (const FlatTensor::Part& part : tensors_[i].parts) {
                file.targets.push_back(part.target);
                file.offsets.push_back(plan_->tensor_offset(i) + part.offset);
            }
        }
        file.chunks = [plan = plan_, tensors = std::move(tensors_)](const std::vector<std::uint32_t>& crc32) {
            return plan->chunks(tensor_sums(tensors, crc32));
        };
        return file;
    }

private:
    Result<Value*> buffers_value(const RankState& optimizer) {
        if (!optimizer.buffers) return plan_->none();
        Value* out = plan_->dict();
        TorchFilePlan::set(out, plan_->string("buckets_coalesced"), plan_->boolean(true));
        for (std::size_t i = 0; i < optimizer.buffers->size(); ++i) {
            TRY_ASSIGN(Value * buffer, buffer_value((*optimizer.buffers)[i]));
            TorchFilePlan::set(out, plan_->integer(static_cast<std::int64_t>(i)), buffer);
        }
        return out;
    }

    // {(torch.bfloat16, torch.float32): {"param": ..., "numel_unpadded": n}}
    Result<Value*> buffer_value(const StateBuffer& buffer) {
        Value* states = plan_->dict();
        for (std::size_t state = 0; state < kOptimizerStates.size(); ++state) {
            TRY_ASSIGN(Value * tensor, plan_->tensor(DType::f32, {buffer.elements}));
            TorchFilePlan::set(states, plan_->string(std::string(kOptimizerStates[state])), tensor);
            const std::uint64_t element_bytes = bits(DType::f32) / 8;
            FlatTensor& flat = tensors_.emplace_back(FlatTensor{buffer.elements * element_bytes, {}});
            for (const StateBuffer::Place& place : buffer.places) {
                const TargetTensor& target = targets_[place.targets[state]];
                flat.parts.push_back({place.first * element_bytes,
                                      checked_bytes(target.shape, target.dtype).value_or(0), place.targets[state]});
            }
        }
        TorchFilePlan::set(states, plan_->string("numel_unpadded"),
                           plan_->integer(static_cast<std::int64_t>(buffer.elements)));
        Value* out = plan_->dict();
        Value* types =
            plan_->arena().make(pickle::Tuple{{plan_->dtype(buffer.parameters), plan_->dtype(buffer.gradients)}});
        TorchFilePlan::set(out, types, states);
        return out;
    }

    const std::vector<TargetTensor>& targets_;
    std::shared_ptr<TorchFilePlan> plan_ = std::make_shared<TorchFilePlan>();
    std::vector<FlatTensor> tensors_;
};

}  // namespace

Status require_plain(pickle::Ref value, std::string_view what) {
    if (is_plain(value)) return {};
    return base::fail(ErrorKind::unsupported,
                      base::format("{} of the optimizer holds tensors or objects, which are not carried over; "
                                   "--optimizer drop leaves its state out",
                                   what));
}

Status add_training_state(TorchFilePlan& file, Value* root, const TrainingState& state, std::size_t rank,
                          bool torch_dist) {
    const std::vector<RankState>& optimizers = state.ranks[rank];
    for (const RankState& optimizer : optimizers) {
        for (const StateGroup& group : optimizer.groups) TRY(require_plain(group.values, "a parameter group"));
    }
    TRY(require_plain(state.scheduler, "the schedule"));
    std::vector<pickle::Ref> values;
    for (const RankState& optimizer : optimizers) values.push_back(optimizer_value(file, optimizer, torch_dist));
    Value* key = file.string("optimizer");
    if (values.size() == 1) {
        root->as<pickle::Dict>()->items.emplace_back(key, values.front());
    } else if (torch_dist) {
        Value* by_number = file.dict();
        for (std::size_t i = 0; i < values.size(); ++i) {
            by_number->as<pickle::Dict>()->items.emplace_back(file.integer(static_cast<std::int64_t>(i)), values[i]);
        }
        TorchFilePlan::set(root, key, by_number);
    } else {
        TorchFilePlan::set(root, key, file.arena().make(pickle::List{std::move(values)}));
    }
    root->as<pickle::Dict>()->items.emplace_back(file.string("opt_param_scheduler"), state.scheduler);
    if (torch_dist) TorchFilePlan::set(root, file.string("content_metadata"), content_metadata(file));
    if (state.flops)
        TorchFilePlan::set(root, file.string("num_floating_point_operations_so_far"), file.integer(*state.flops));
    return {};
}

Status add_state_files(OutputPlan& output, const ConversionPlan& plan, const TrainingState& state) {
    CHECK(output.files.size() == state.ranks.size());
    for (std::size_t rank = 0; rank < state.ranks.size(); ++rank) {
        const auto& optimizers = state.ranks[rank];
        bool has_buffers = std::any_of(optimizers.begin(), optimizers.end(),
                                       [](const RankState& optimizer) { return optimizer.buffers.has_value(); });
        if (!has_buffers) continue;
        std::string path = base::join(base::parent(output.files[rank].path), kOptimizerFile);
        TRY_ASSIGN(OutputFile file, StateFileMaker(plan).make(optimizers, std::move(path)));
        output.files.push_back(std::move(file));
    }
    return {};
}

}  // namespace ckpt
