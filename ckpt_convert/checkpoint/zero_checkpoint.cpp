#include "ckpt_convert/checkpoint/zero_checkpoint.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "base/format.h"
#include "ckpt_convert/checkpoint/flat_runs.h"
#include "ckpt_convert/checkpoint/universal_checkpoint.h"
#include "ckpt_convert/checkpoint/zero_files.h"
#include "ckpt_convert/checkpoint/zero_tables.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

// Ranks of tensor parallelism are not read, so that all files are those of rank 0.
constexpr std::string_view kModelEnd = "mp_rank_00_model_states.pt", kOptimizerEnd = "mp_rank_00_optim_states.pt";
constexpr std::string_view kRankFront = "zero_pp_rank_";
constexpr std::string_view kUniversalDirectory = "zero";
constexpr std::uint64_t kSampledElements = 64;
constexpr std::uint64_t kAliasBytes = 1 << 20;  // at once
constexpr std::array<std::string_view, 2> kMoments{"exp_avg", "exp_avg_sq"};

// "bf16_zero_pp_rank_3_mp_rank_00_optim_states.pt" -> 3
std::optional<std::uint64_t> rank_of_file(std::string_view file, std::string_view ending) {
    const std::size_t front = file.find(kRankFront);
    if (front == file.npos || !file.ends_with(ending)) return std::nullopt;
    const std::string_view rest = file.substr(front + kRankFront.size());
    std::uint64_t rank = 0;
    const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), rank);
    const bool fits =
        code == std::errc() &&
        std::string_view(end, static_cast<std::size_t>(rest.data() + rest.size() - end)) == "_" + std::string(ending);
    return fits ? std::optional(rank) : std::nullopt;
}

bool is_model_file(std::string_view file) { return file == kModelEnd || rank_of_file(file, kModelEnd); }

class ZeroReader {
public:
    ZeroReader(base::FileSystem& fs, const Path& directory) : fs_(fs), files_(fs, out_) { out_.directory = directory; }

    Result<ShardedCheckpoint> read() {
        TRY(find_files());
        out_.ranks = optimizers_.size();
        out_.has_optimizer = !optimizers_.empty();
        out_.format = "DeepSpeed without ZeRO";
        TRY(read_aliases());
        if (is_universal_) TRY(read_universal_files());
        else if (!optimizers_.empty()) TRY(read_groups());
        TRY(read_frozen());
        TRY(read_module());
        return std::move(out_);
    }

private:
    tl::unexpected<base::Error> bad(std::string message, const std::string& file) const {
        return base::fail(ErrorKind::bad_input, std::move(message), base::join(out_.directory, file));
    }

    Path model_path() const { return base::join(out_.directory, first_.name); }

    Status find_files() {
        TRY_ASSIGN(const auto entries, fs_.list(out_.directory));
        for (const auto& entry : entries) {
            const std::string_view name = entry.name;
            const bool of_tp = name.find("mp_rank_") != name.npos && name.find("mp_rank_00") == name.npos;
            const bool of_experts = name.find("expert_") != name.npos || name.starts_with("expp_rank_");
            if (name.ends_with("_states.pt") && (of_tp || of_experts))
                return base::fail(ErrorKind::unsupported,
                                  base::format("the engine ran with {} parallelism, whose parts are not put together; "
                                               "convert it with the tools of the program that wrote it",
                                               of_tp ? "tensor" : "expert"),
                                  base::join(out_.directory, entry.name));
            is_universal_ |= name == kUniversalDirectory;
            if (is_model_file(name)) models_.push_back(entry.name);
            if (rank_of_file(name, kOptimizerEnd)) optimizers_.push_back(entry.name);
        }
        auto by_rank = [](std::string_view ending) {
            return [ending](const std::string& a, const std::string& b) {
                return rank_of_file(a, ending) < rank_of_file(b, ending);
            };
        };
        std::sort(models_.begin(), models_.end(), by_rank(kModelEnd));
        std::sort(optimizers_.begin(), optimizers_.end(), by_rank(kOptimizerEnd));
        if (models_.empty())
            return bad("the file with the names and shapes of the weights is missing; is the copy complete?",
                       std::string(kModelEnd));
        TRY_ASSIGN(first_, files_.open(models_.front()));
        const pickle::Ref world = pickle::find(first_.content->root(), "dp_world_size");
        const auto* told = world == nullptr ? nullptr : world->as<std::int64_t>();
        const bool one_more = told != nullptr && std::cmp_less(optimizers_.size(), *told) && !optimizers_.empty();
        for (std::size_t rank = 0; rank < optimizers_.size() + one_more; ++rank) {
            if (rank < optimizers_.size() && rank_of_file(optimizers_[rank], kOptimizerEnd) == rank) continue;
            return base::fail(ErrorKind::bad_input,
                              base::format("the optimizer's file of rank {} is missing; is the copy complete?", rank),
                              out_.directory);
        }
        return {};
    }

    // Of names that share their tensor one is owned by the optimizer.
    Status read_aliases() {
        const pickle::Ref shared = pickle::find(first_.content->root(), "shared_params");
        const auto* items = shared == nullptr ? nullptr : pickle::mapping_items(shared);
        if (items == nullptr) return {};
        for (const auto& [alias, owner] : *items) {
            const auto *name = alias->as<std::string>(), *of = owner->as<std::string>();
            if (name == nullptr) continue;
            if (of != nullptr) TRY(compare_alias(*name, *of));
            known_.insert(*name);
        }
        return {};
    }

    // In the module both names have their values, mostly the same bytes.
    Status compare_alias(const std::string& alias, const std::string& owner) const {
        const pickle::Ref module = pickle::find(first_.content->root(), "module");
        const pickle::Ref one = module == nullptr ? nullptr : pickle::find(module, alias);
        const pickle::Ref other = module == nullptr ? nullptr : pickle::find(module, owner);
        if (one == nullptr || other == nullptr) return {};
        TRY_ASSIGN(const auto a, first_.content->tensor(one));
        TRY_ASSIGN(const auto b, first_.content->tensor(other));
        if (!a || !b || (a->file_offset == b->file_offset && a->shape == b->shape)) return {};
        bool same = a->shape == b->shape && a->dtype == b->dtype && a->contiguous && b->contiguous;
        const std::uint64_t bytes = checked_bytes(a->shape, a->dtype).value_or(0);
        TRY_ASSIGN(const auto file, fs_.open(model_path()));
        std::vector<std::byte> mine, its;
        for (std::uint64_t at = 0; at < bytes && same; at += mine.size()) {
            mine.resize(std::min<std::uint64_t>(bytes - at, kAliasBytes));
            its.resize(mine.size());
            TRY(file->read_at(a->file_offset + at, mine));
            TRY(file->read_at(b->file_offset + at, its));
            same = mine == its;
        }
        if (same) return {};
        return bad(
            base::format("{} has other values than {}, with which it shares them; is the file damaged?", alias, owner),
            first_.name);
    }

    Status read_universal_files() {
        out_.format = "universal checkpoint of DeepSpeed";
        out_.has_optimizer = true;
        TRY_ASSIGN(const auto groups, zero_shapes(pickle::find(first_.content->root(), "param_shapes"), model_path()));
        TRY_ASSIGN(UniversalContent content, read_universal(files_, groups));
        for (TorchDistTensor& weight : content.weights) TRY(add(std::move(weight)));
        std::move(content.moments.begin(), content.moments.end(), std::back_inserter(out_.content.tensors));
        out_.steps = std::move(content.steps);
        out_.groups = std::move(content.groups);
        out_.groups.ordered = pickle::find(first_.content->root(), kParameterOrder) == nullptr;
        return {};
    }

    Result<FlatShare> share_in(const OpenedFile& file, const TorchTensor& vector) {
        if (vector.contiguous) return FlatShare{files_.number(file.name), vector.file_offset, vector.shape[0]};
        return base::fail(ErrorKind::unsupported, "a flat group is a strided view; save it contiguous first",
                          files_.path(file.name));
    }

    // The tensors of a list, one for each group.
    Result<std::vector<FlatShare>> shares_in(const OpenedFile& file, pickle::Ref list) {
        std::vector<FlatShare> out;
        const auto* items = list == nullptr ? nullptr : list->as<pickle::List>();
        if (items == nullptr) return bad("it has no list of flat groups", file.name);
        for (pickle::Ref item : items->items) {
            TRY_ASSIGN(const auto tensor, file.content->tensor(item));
            if (!tensor || tensor->shape.size() != 1 || tensor->dtype != DType::f32)
                return bad("a flat group is not a vector of float32", file.name);
            TRY_ASSIGN(const FlatShare share, share_in(file, *tensor));
            out.push_back(share);
        }
        return out;
    }

    Status read_groups() {
        TRY_ASSIGN(const auto groups, zero_shapes(pickle::find(first_.content->root(), "param_shapes"), model_path()));
        std::vector<std::vector<FlatShare>> by_group(groups.size());
        std::array<std::vector<std::vector<FlatShare>>, kMoments.size()> moments;
        moments.fill(by_group);
        std::optional<bool> by_parameter;  // ZeRO 3
        for (const std::string& name : optimizers_) {
            TRY_ASSIGN(const OpenedFile file, files_.open(name));
            const pickle::Ref state = pickle::find(file.content->root(), "optimizer_state_dict");
            if (state == nullptr) return bad("it has no optimizer_state_dict", name);
            pickle::Ref flat = pickle::find(state, "fp32_flat_groups");
            const bool is_third = flat != nullptr;
            if (!is_third) flat = pickle::find(state, "single_partition_of_fp32_groups");
            if (by_parameter.value_or(is_third) != is_third)
                return bad("files of different ZeRO stages are mixed", name);
            by_parameter = is_third;
            TRY_ASSIGN(const auto shares, shares_in(file, flat));
            if (shares.size() != groups.size())
                return bad(
                    base::format(
                        "it has {} flat groups, but the weights are listed in {}{}", shares.size(), groups.size(),
                        shares.empty() ? "; of an optimizer that was offloaded to NVMe there is nothing in it" : ""),
                    name);
            for (std::size_t group = 0; group < shares.size(); ++group) by_group[group].push_back(shares[group]);
            const pickle::Ref base = pickle::find(state, is_third ? "optimizer_state_dict" : "base_optimizer_state");
            for (std::size_t i = 0; i < kMoments.size(); ++i) TRY(add_moments(file, base, kMoments[i], moments[i]));
            if (name == optimizers_.front()) TRY(read_settings(file, base, groups));
        }
        out_.format = *by_parameter ? "DeepSpeed ZeRO 3" : "DeepSpeed ZeRO 1 or 2";
        std::size_t parameters = 0;
        for (const NamedShapes& group : groups) parameters += group.size();
        out_.content.tensors.reserve(parameters * (1 + kMoments.size()));
        const auto rule = *by_parameter ? FlatVector::Rule::shares : FlatVector::Rule::row;
        for (std::size_t group = 0; group < groups.size(); ++group) {
            auto tensors = parameters_in(rule, groups[group], std::move(by_group[group]));
            if (!tensors)
                return bad(base::format("group {} of the weights: {}", group, tensors.error().message),
                           optimizers_.front());
            for (TorchDistTensor& tensor : *tensors) TRY(add(std::move(tensor)));
            for (std::size_t i = 0; i < kMoments.size(); ++i) {
                if (moments[i][group].size() != optimizers_.size()) continue;
                auto states = parameters_in(rule, groups[group], std::move(moments[i][group]));
                if (!states)
                    return bad(
                        base::format("{} of group {} of the weights: {}", kMoments[i], group, states.error().message),
                        optimizers_.front());
                for (TorchDistTensor& tensor : *states)
                    out_.content.tensors.push_back(state_of_weight(std::move(tensor), kMoments[i]));
            }
        }
        return {};
    }

    // Before the first step there are none.
    Status add_moments(const OpenedFile& file, pickle::Ref base, std::string_view moment,
                       std::vector<std::vector<FlatShare>>& by_group) {
        for (std::size_t group = 0; group < by_group.size(); ++group) {
            const pickle::Ref state = zero_state(base, group);
            const pickle::Ref value = state == nullptr ? nullptr : pickle::find(state, moment);
            if (value == nullptr) continue;
            TRY_ASSIGN(const auto tensor, file.content->tensor(value));
            if (!tensor || tensor->shape.size() != 1 || tensor->dtype != DType::f32)
                return bad(base::format("{} of a group is not a vector of float32", moment), file.name);
            TRY_ASSIGN(const FlatShare share, share_in(file, *tensor));
            by_group[group].push_back(share);
        }
        return {};
    }

    // The steps and the groups of parameters.
    Status read_settings(const OpenedFile& file, pickle::Ref base, const std::vector<NamedShapes>& groups) {
        out_.groups.owners.push_back(file.content);
        for (std::size_t group = 0; group < groups.size(); ++group) {
            const pickle::Ref state = zero_state(base, group);
            TRY_ASSIGN(const auto step, files_.step(file, state == nullptr ? nullptr : pickle::find(state, "step")));
            if (step && !groups[group].empty()) out_.steps.emplace(*step, groups[group].front().first);
        }
        TRY_ASSIGN(out_.groups.groups, zero_groups(base, groups, base::join(out_.directory, file.name)));
        return {};
    }

    // Of weights that are not trained, with ZeRO 3 each rank has a share in its own file.
    Status read_frozen() {
        const pickle::Ref shapes = pickle::find(first_.content->root(), "frozen_param_shapes");
        if (shapes == nullptr || pickle::mapping_items(shapes) == nullptr || models_.size() < 2) return {};
        TRY_ASSIGN(const auto groups, zero_shapes(shapes, model_path()));
        std::vector<TorchDistTensor> frozen;
        for (const auto& [name, shape] : groups.front()) frozen.push_back({name, DType::f32, shape, {}});
        std::vector<std::vector<FlatShare>> shares(frozen.size());
        for (std::size_t rank = 0; rank < models_.size(); ++rank) {
            TRY_ASSIGN(const OpenedFile file, files_.open(models_[rank]));
            const pickle::Ref parts = pickle::find(file.content->root(), "frozen_param_fragments");
            for (std::size_t i = 0; i < frozen.size(); ++i) {
                TorchDistTensor& tensor = frozen[i];
                const pickle::Ref part = parts == nullptr ? nullptr : pickle::find(parts, tensor.fqn);
                if (part == nullptr) return bad(base::format("it has no share of {}", tensor.fqn), file.name);
                TRY_ASSIGN(const auto vector, file.content->tensor(part));
                if (!vector || vector->shape.size() != 1)
                    return bad(base::format("the share of {} is not a vector", tensor.fqn), file.name);
                if (rank == 0) tensor.dtype = vector->dtype;
                if (tensor.dtype != vector->dtype)
                    return bad(base::format("the shares of {} have different types", tensor.fqn), file.name);
                TRY_ASSIGN(const FlatShare share, share_in(file, *vector));
                shares[i].push_back(share);
            }
        }
        for (std::size_t i = 0; i < frozen.size(); ++i) {
            auto place = place_alone(frozen[i].shape, frozen[i].dtype, std::move(shares[i]));
            if (!place) return bad(base::format("the shares of {} do not make it up", frozen[i].fqn), first_.name);
            frozen[i].flat = std::move(*place);
            TRY(add(std::move(frozen[i])));
        }
        return {};
    }

    // What the optimizer does not have: buffers, weights that are not trained, all weights without ZeRO.
    Status read_module() {
        const pickle::Ref module = pickle::find(first_.content->root(), "module");
        const auto* items = module == nullptr ? nullptr : pickle::mapping_items(module);
        if (items == nullptr)
            return base::fail(
                ErrorKind::unsupported,
                "it has no module: a pipeline of DeepSpeed numbers its layers itself, and is converted by the "
                "program that wrote it",
                base::join(out_.directory, first_.name));
        for (const auto& [key, value] : *items) {
            const auto* name = key->as<std::string>();
            TRY_ASSIGN(auto tensor, first_.content->tensor(value));
            if (name == nullptr || !tensor) continue;
            if (const auto master = masters_.find(*name); master != masters_.end())
                TRY(check_master(out_.content.tensors[master->second], *tensor));
            if (known_.contains(*name)) continue;
            if (tensor->shape == Shape{0} && models_.size() + optimizers_.size() > 2 &&
                rank_of_file(first_.name, kModelEnd))
                return bad(base::format("{} is in neither a flat group nor this file", *name), first_.name);
            TorchDistTensor whole{*name, tensor->dtype, tensor->shape, {}};
            whole.chunks.push_back({Shape(tensor->shape.size(), 0), tensor->shape, files_.number(first_.name),
                                    tensor->file_offset, std::move(tensor->strides), tensor->contiguous});
            TRY(add(std::move(whole)));
        }
        return {};
    }

    // The module's tensor is the optimizer's copy in float32, rounded. That some elements at both ends are so shows that the
    // order of the parameters is this one.
    Status check_master(const TorchDistTensor& master, const TorchTensor& rounded) const {
        const std::uint64_t elements = checked_elements(master.shape).value_or(0);
        // With ZeRO 3 the module's tensors are empty.
        if (rounded.shape != master.shape || elements == 0 || !rounded.contiguous ||
            !can_cast(DType::f32, rounded.dtype))
            return rounded.shape == master.shape || rounded.shape == Shape{0}
                       ? Status()
                       : bad(base::format("{} has the shape {} in the module, but {} in param_shapes", master.fqn,
                                          to_string(rounded.shape), to_string(master.shape)),
                             first_.name);
        if (master.dtype != DType::f32) return {};
        const std::uint64_t count = std::min(elements, kSampledElements);
        TRY(compare_run(master, rounded, 0, count));
        return compare_run(master, rounded, elements - count, elements);
    }

    // The elements from `begin` to `end`.
    Status compare_run(const TorchDistTensor& master, const TorchTensor& rounded, std::uint64_t begin,
                       std::uint64_t end) const {
        const std::uint64_t count = end - begin, bytes = bits(rounded.dtype) / 8;
        std::vector<std::byte> full(count * sizeof(float)), stored(count * bytes), expected(count * bytes);
        auto read = [&](const FlatRun& run, std::uint64_t number) -> Status {
            TRY_ASSIGN(const auto file, fs_.open(files_.path(out_.content.files[run.file])));
            return file->read_at(
                run.offset, std::span(full).subspan((number - begin) * sizeof(float), run.elements * sizeof(float)));
        };
        if (master.flat.vector) TRY(each_run(master.flat, *checked_elements(master.shape), begin, end, read));
        else TRY(read({master.chunks[0].file, master.chunks[0].file_offset + begin * sizeof(float), count}, begin));
        TRY_ASSIGN(const auto module, fs_.open(model_path()));
        TRY(module->read_at(rounded.file_offset + begin * bytes, stored));
        cast(expected.data(), rounded.dtype, full.data(), DType::f32, count);
        if (expected == stored) return {};
        return bad(
            base::format("{} is not what the optimizer's copy of it in float32 is when it is rounded; the files are "
                         "of different saves, or the parameters are in an unusual order",
                         master.fqn),
            first_.name);
    }

    Status add(TorchDistTensor tensor) {
        if (!known_.insert(tensor.fqn).second) return bad(base::format("{} is there twice", tensor.fqn), first_.name);
        masters_.emplace(tensor.fqn, out_.content.tensors.size());
        tensor.path = {"module", tensor.fqn};
        out_.content.tensors.push_back(std::move(tensor));
        return {};
    }

    base::FileSystem& fs_;
    ShardedCheckpoint out_;
    ZeroFiles files_;
    std::vector<std::string> models_, optimizers_;          // names, by rank
    OpenedFile first_;                                      // of models_
    std::unordered_set<std::string> known_;                 // names that are read, or stand for others
    std::unordered_map<std::string, std::size_t> masters_;  // tensors by name
    bool is_universal_ = false;
};

}  // namespace

bool is_zero_file(std::string_view file) { return is_model_file(file) || rank_of_file(file, kOptimizerEnd); }

Result<ShardedCheckpoint> open_zero_checkpoint(base::FileSystem& fs, const Path& directory) {
    return ZeroReader(fs, directory).read();
}

}  // namespace ckpt
