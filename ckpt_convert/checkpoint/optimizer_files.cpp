#include "ckpt_convert/checkpoint/optimizer_files.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/megatron_checkpoint.h"
#include "ckpt_convert/formats/torch_file/torch_dtypes.h"

namespace ckpt {
namespace {

using pickle::Ref;

tl::unexpected<base::Error> wrong_file(const Path& path, std::string message) {
    return base::fail(ErrorKind::bad_input, std::move(message), path);
}

// nullptr when it is no list.
const std::vector<Ref>* list_items(Ref value) {
    const auto* list = value->as<pickle::List>();
    return list == nullptr ? nullptr : &list->items;
}

std::optional<DType> dtype_in(Ref value) {
    const auto* global = value->as<pickle::Global>();
    if (global == nullptr || global->module != "torch") return std::nullopt;
    return dtype_from_torch_name(global->name);
}

Result<FlatBuffer> buffer_of(const TorchFile& file, Ref key, Ref value, const Path& path) {
    FlatBuffer out;
    const auto* types = key->as<pickle::Tuple>();
    auto parameters = types != nullptr && types->items.size() == 2 ? dtype_in(types->items[0]) : std::nullopt;
    auto gradients = types != nullptr && types->items.size() == 2 ? dtype_in(types->items[1]) : std::nullopt;
    if (!parameters || !gradients)
        return wrong_file(path, "a buffer is not named by the element types of its parameters and their gradients");
    out.parameters = *parameters;
    out.gradients = *gradients;
    Ref count = pickle::find(value, "numel_unpadded");
    const auto* elements = count == nullptr ? nullptr : count->as<std::int64_t>();
    if (elements == nullptr || *elements < 0) return wrong_file(path, "a buffer does not say its numel_unpadded");
    out.elements = static_cast<std::uint64_t>(*elements);
    for (std::size_t i = 0; i < kOptimizerStates.size(); ++i) {
        Ref stored = pickle::find(value, kOptimizerStates[i]);
        if (stored == nullptr) {
            return base::fail(ErrorKind::unsupported,
                              base::format("a buffer has no {}; only the state of Adam can be converted (--optimizer "
                                           "drop leaves it out)",
                                           kOptimizerStates[i]),
                              path);
        }
        TRY_ASSIGN(auto tensor, file.tensor(stored));
        if (!tensor || tensor->dtype != DType::f32 || !tensor->contiguous || tensor->shape != Shape{out.elements}) {
            return wrong_file(path, base::format("{} of a buffer is not a flat float32 tensor of {} elements",
                                                 kOptimizerStates[i], out.elements));
        }
        out.offsets[i] = tensor->file_offset;
    }
    return out;
}

// {"buckets_coalesced": True, 0: {(types): buffer}, 1: ...}
Result<std::optional<std::vector<FlatBuffer>>> buffers_of(const TorchFile& file, Ref value, const Path& path) {
    if (value->as<pickle::None>() != nullptr) return std::optional<std::vector<FlatBuffer>>();
    const auto* items = pickle::mapping_items(value);
    if (items == nullptr || pickle::find(value, "buckets_coalesced") == nullptr) {
        return base::fail(ErrorKind::unsupported,
                          "it does not hold whole buffers, as Megatron writes them since 2024; load it with the "
                          "program that wrote it and save it with a newer Megatron, or leave it out with --optimizer "
                          "drop",
                          path);
    }
    std::vector<FlatBuffer> out;
    for (const auto& [key, by_type] : *items) {
        const auto* number = key->as<std::int64_t>();
        if (number == nullptr) continue;
        if (*number != static_cast<std::int64_t>(out.size())) return wrong_file(path, "a buffer's number is missing");
        const auto* entries = pickle::mapping_items(by_type);
        if (entries == nullptr || entries->size() != 1)
            return wrong_file(path, base::format("buffer {} is not one of one element type", *number));
        TRY_ASSIGN(FlatBuffer buffer, buffer_of(file, entries->front().first, entries->front().second, path));
        out.push_back(buffer);
    }
    return std::optional(std::move(out));
}

Result<RankOptimizer> open_buffers(base::FileSystem& fs, const Path& path) {
    RankOptimizer out;
    if (!fs.exists(path)) return out;
    TRY_ASSIGN(out.file, fs.open(path));
    TRY(reject_placeholder(*out.file));
    TRY_ASSIGN(TorchFile file, TorchFile::read(*out.file));
    const auto* list = list_items(file.root());
    if (list == nullptr) {
        TRY_ASSIGN(out.dense, buffers_of(file, file.root(), path));
        return out;
    }
    if (list->size() != 2) {
        return base::fail(ErrorKind::unsupported,
                          base::format("it holds the state of {} optimizers; known are one, and one for dense weights "
                                       "with one for experts",
                                       list->size()),
                          path);
    }
    out.chained = true;
    TRY_ASSIGN(out.dense, buffers_of(file, list->front(), path));
    TRY_ASSIGN(out.experts, buffers_of(file, list->back(), path));
    return out;
}

// One, a list of them, or in torch_dist a dict of them by their numbers.
std::vector<Ref> optimizers_in(Ref value) {
    if (const auto* list = list_items(value)) return *list;
    const auto* items = pickle::mapping_items(value);
    std::vector<Ref> out;
    if (items != nullptr && !items->empty() && items->front().first->as<std::int64_t>() != nullptr) {
        for (const auto& item : *items) out.push_back(item.second);
        return out;
    }
    return {value};
}

// Whether the run had the kind of optimizer whose state is in files of its own.
Status check_kind(Ref root, const Path& path) {
    if (base::file_name(path) == kOldRankFile)
        return base::fail(ErrorKind::unsupported,
                          base::format("the state of its optimizer is in an {} of each data-parallel rank, as Megatron "
                                       "kept it until 2023, which is not read; --optimizer drop leaves it out",
                                       kOldOptimizerFile),
                          path);
    Ref optimizer = pickle::find(root, "optimizer");
    for (Ref one : optimizer == nullptr ? std::vector<Ref>() : optimizers_in(optimizer)) {
        if (pickle::find(one, "fp32_from_fp16_params") == nullptr && pickle::find(one, "state") == nullptr) continue;
        return base::fail(ErrorKind::unsupported,
                          "the run that saved it had no distributed optimizer; resume it once with "
                          "--use-distributed-optimizer to save its state in that form, or leave it out with "
                          "--optimizer drop",
                          path);
    }
    return {};
}

class GroupCollector {
public:
    explicit GroupCollector(OptimizerFiles& out) : out_(out) {}

    // The groups that no other file had. `root`: of a rank file, or the common state of torch_dist.
    Status add(const std::shared_ptr<const TorchFile>& file, Ref root, const Path& path) {
        Ref optimizer = pickle::find(root, "optimizer");
        if (optimizer == nullptr) {
            return wrong_file(path,
                              "there is no state of an optimizer: the run had --no-save-optim, or this is a "
                              "checkpoint of weights alone; --optimizer drop converts these");
        }
        bool used = false;
        for (Ref one : optimizers_in(optimizer)) {
            out_.has_grad_scaler |= pickle::find(one, "grad_scaler") != nullptr;
            Ref inner = pickle::find(one, "optimizer");
            Ref groups = inner == nullptr ? nullptr : pickle::find(inner, "param_groups");
            if (groups == nullptr || list_items(groups) == nullptr)
                return wrong_file(path, "the state of the optimizer has no list of parameter groups");
            for (Ref group : *list_items(groups)) {
                TRY_ASSIGN(GroupKind kind, kind_of_group(group, path));
                if (!kinds_.try_emplace(kind, group).second) continue;
                out_.groups.push_back(group);
                used = true;
            }
        }
        if (used) out_.owners.push_back(file);
        return {};
    }

private:
    OptimizerFiles& out_;
    std::map<GroupKind, Ref> kinds_;
};

// What is the same in all files.
Status read_progress(OptimizerFiles& out, const std::shared_ptr<const TorchFile>& file, Ref root, const Path& path) {
    Ref iteration = pickle::find(root, "iteration"), flops = pickle::find(root, "num_floating_point_operations_so_far");
    const auto* number = iteration == nullptr ? nullptr : iteration->as<std::int64_t>();
    if (number == nullptr || *number < 1)
        return wrong_file(path, "it does not say at which iteration the training run was");
    out.iteration = static_cast<std::uint64_t>(*number);
    if (flops != nullptr && flops->as<std::int64_t>() != nullptr) out.flops = *flops->as<std::int64_t>();
    out.scheduler = pickle::find(root, "opt_param_scheduler");
    if (out.scheduler == nullptr) return wrong_file(path, "there is no opt_param_scheduler next to the optimizer");
    out.owners.push_back(file);
    return {};
}

// nullopt when the key is missing or no number.
std::optional<double> number_in(Ref mapping, std::string_view key) {
    Ref found = pickle::find(mapping, key);
    if (found == nullptr) found = pickle::find(mapping, "pre_" + std::string(key));  // as NeMo calls it
    if (found == nullptr) return std::nullopt;
    if (const auto* integer = found->as<std::int64_t>()) return static_cast<double>(*integer);
    if (const auto* real = found->as<double>()) return *real;
    return std::nullopt;
}

bool is_true(Ref mapping, std::string_view key) {
    Ref found = pickle::find(mapping, key);
    const bool* flag = found == nullptr ? nullptr : found->as<bool>();
    return flag != nullptr && *flag;
}

}  // namespace

Result<GroupKind> kind_of_group(Ref group, const Path& path) {
    auto decay = number_in(group, "wd_mult"), rate = number_in(group, "lr_mult");
    if (!decay) return wrong_file(path, "a parameter group of the optimizer does not say its wd_mult");
    bool plain = (*decay == 0 || *decay == 1) && rate.value_or(1) == 1 && !is_true(group, "is_decoupled_lr");
    if (plain) return GroupKind{*decay == 1, is_true(group, "is_expert_parallel")};
    return base::fail(ErrorKind::unsupported,
                      "the optimizer has parameter groups with learning rates or weight decays of their own, and "
                      "nothing says which parameters are in them; --optimizer drop leaves it out",
                      path);
}

Result<OptimizerFiles> open_optimizer_files(base::FileSystem& fs, const TensorIndex& weights) {
    OptimizerFiles out;
    GroupCollector groups(out);
    for (const auto& weight_file : weights.files) {
        const Path& path = weight_file->path();
        TRY_ASSIGN(TorchFile read, TorchFile::read(*weight_file));
        auto file = std::make_shared<const TorchFile>(std::move(read));
        TRY(check_kind(file->root(), path));
        TRY(groups.add(file, file->root(), path));
        TRY_ASSIGN(RankOptimizer rank, open_buffers(fs, base::join(base::parent(path), kOptimizerFile)));
        out.ranks.push_back(std::move(rank));
        if (out.ranks.size() == 1) TRY(read_progress(out, file, file->root(), path));
    }
    bool found = std::any_of(out.ranks.begin(), out.ranks.end(), [](const RankOptimizer& rank) { return rank.file; });
    if (!found) {
        return wrong_file(base::parent(weights.files.front()->path()),
                          base::format("there is no {}, in which a distributed optimizer keeps its state; is the copy "
                                       "complete? --optimizer drop converts the weights alone",
                                       kOptimizerFile));
    }
    return out;
}

Result<OptimizerFiles> optimizer_of_common_state(const std::shared_ptr<const TorchFile>& file, Ref root,
                                                 const Path& path) {
    OptimizerFiles out;
    TRY(GroupCollector(out).add(file, root, path));
    TRY(read_progress(out, file, root, path));
    return out;
}

}  // namespace ckpt
