// OptimizerFiles: what a training run with a distributed optimizer leaves beside the weights of each rank.
//
//   mp_rank_TT_PPP/model_optim_rng.pt   optimizer: {optimizer: {param_groups}}, or a list of these; opt_param_scheduler
//                  distrib_optim.pt     {buckets_coalesced, 0: {(torch.bfloat16, torch.float32): BUFFER}, 1: ...}, or a
//                                       list of such dicts and None: of the dense weights, of the experts
//   BUFFER = {param, exp_avg, exp_avg_sq: flat float32 tensors of equal size, numel_unpadded}
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"

namespace ckpt {

// The state of a parameter: its copy in full precision, the moments of its gradient.
inline constexpr std::array<std::string_view, 3> kOptimizerStates{"param", "exp_avg", "exp_avg_sq"};
// Of these, the first that is a moment: the weights before it are the copies in full precision.
inline constexpr std::size_t kFirstMoment = 1;

// The states of many parameters behind each other.
struct FlatBuffer {
    DType parameters = DType::bf16;
    DType gradients = DType::f32;
    std::uint64_t elements = 0;
    std::array<std::uint64_t, kOptimizerStates.size()> offsets{};  // in the file, of f32 elements
};

// Of one rank file. Experts have an optimizer of their own when EP > 1.
struct RankOptimizer {
    std::shared_ptr<base::ReadableFile> file;  // nullptr: the rank has none, as copies of another one have not
    bool chained = false;                      // the file is a list: dense weights, experts
    std::optional<std::vector<FlatBuffer>> dense;
    std::optional<std::vector<FlatBuffer>> experts;
};

struct OptimizerFiles {
    std::vector<RankOptimizer> ranks;   // in the order of the weights' files
    std::vector<pickle::Ref> groups;    // parameter groups (dicts without `params`) of all ranks, each kind once
    pickle::Ref scheduler = nullptr;    // opt_param_scheduler; nullptr: there is none
    std::uint64_t iteration = 0;        // of the training run
    std::optional<std::int64_t> flops;  // num_floating_point_operations_so_far
    bool has_grad_scaler = false;
    std::vector<std::shared_ptr<const TorchFile>> owners;  // of the values above
    std::shared_ptr<const pickle::Arena> made;             // of values that no file has
};

// What tells a parameter group from the others.
struct GroupKind {
    bool decay = true;  // weight decay applies
    bool expert = false;

    auto operator<=>(const GroupKind&) const = default;
};
// Fails with unsupported when the group has learning rates of its own, with bad_input when it does not say what it is.
Result<GroupKind> kind_of_group(pickle::Ref group, const Path& path);

inline constexpr const char* kOptimizerFile = "distrib_optim.pt";

// `weights`: rank files, in the order of their ranks. Fails with bad_input when something is missing or inconsistent,
// with unsupported when the run had another kind of optimizer.
Result<OptimizerFiles> open_optimizer_files(base::FileSystem& fs, const TensorIndex& weights);

// The same of a torch_dist checkpoint, whose common state `file` is; there are no ranks.
Result<OptimizerFiles> optimizer_of_common_state(const std::shared_ptr<const TorchFile>& file, pickle::Ref root,
                                                 const Path& path);

}  // namespace ckpt
