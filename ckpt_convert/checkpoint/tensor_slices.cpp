#include "ckpt_convert/checkpoint/tensor_slices.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/format.h"
#include "ckpt_convert/checkpoint/affine_maps.h"
#include "ckpt_convert/checkpoint/master_copies.h"
#include "ckpt_convert/checkpoint/slice_rules.h"

namespace ckpt {
namespace {

constexpr std::string_view kStateFront = "optimizer.state.";

// "optimizer.state.norm.weight.exp_avg" -> "norm.weight"
std::string weight_of(const TorchDistTensor& tensor) {
    if (!tensor.path.empty() || !tensor.fqn.starts_with(kStateFront)) return tensor.fqn;
    return tensor.fqn.substr(kStateFront.size(), tensor.fqn.rfind('.') - kStateFront.size());
}

class SliceJoiner {
public:
    SliceJoiner(base::FileSystem& fs, ZeroFiles& files, std::vector<ShardedCheckpoint> slices, const OpenedFile& model,
                SliceRules rules)
        : copies_(fs, files),
          files_(files),
          slices_(std::move(slices)),
          model_(model),
          rules_(std::move(rules)),
          maps_(AffineMaps::read(pickle::find(model.content->root(), "universal_checkpoint_info"))) {}

    Result<ShardedCheckpoint> join() {
        for (const ShardedCheckpoint& slice : slices_) {
            auto& numbers = numbers_.emplace_back();
            for (std::size_t i = 0; i < slice.content.tensors.size(); ++i)
                numbers.emplace(slice.content.tensors[i].fqn, i);
        }
        TRY(check_names());
        ShardedCheckpoint out = std::move(slices_.front());
        slices_.front().content.tensors = out.content.tensors;
        for (std::size_t rank = 1; rank < slices_.size(); ++rank) {
            out.ranks += slices_[rank].ranks;
            out.steps.insert(slices_[rank].steps.begin(), slices_[rank].steps.end());
        }
        for (TorchDistTensor& tensor : out.content.tensors) TRY(join(tensor));
        return out;
    }

private:
    tl::unexpected<base::Error> bad(std::string message) const { return files_.bad(std::move(message), model_.name); }

    // The first rank alone says which names share their tensor with another.
    Status check_names() const {
        const pickle::Ref aliases = pickle::find(model_.content->root(), "shared_params");
        for (std::size_t rank = 1; rank < slices_.size(); ++rank) {
            for (const TorchDistTensor& tensor : slices_[0].content.tensors) {
                const std::string& name = tensor.fqn;
                if (part_of(rank, tensor) == nullptr)
                    return bad(
                        base::format("tensor parallel rank {} lacks {}; are files of two runs mixed?", rank, name));
            }
            for (const TorchDistTensor& tensor : slices_[rank].content.tensors) {
                const std::string& name = tensor.fqn;
                const bool is_alias = aliases != nullptr && pickle::find(aliases, name) != nullptr;
                if (!numbers_[0].contains(name) && !is_alias)
                    return bad(
                        base::format("tensor parallel rank 0 lacks {}, which rank {} has; are files of two runs "
                                     "mixed?",
                                     name, rank));
            }
        }
        return {};
    }

    // What a rank has of a tensor of the first; nullptr: nothing. It has no state of a parameter of which its slice is empty, as of
    // heads that there are fewer of than ranks.
    const TorchDistTensor* part_of(std::size_t rank, const TorchDistTensor& tensor) const {
        const auto& numbers = numbers_[rank];
        auto found = numbers.find(tensor.fqn);
        const bool is_there = found != numbers.end();
        if (!is_there) found = numbers.find(weight_of(tensor));
        if (found == numbers.end()) return nullptr;
        const TorchDistTensor& part = slices_[rank].content.tensors[found->second];
        return is_there || is_empty(part) ? &part : nullptr;
    }

    static bool is_empty(const TorchDistTensor& part) { return checked_elements(part.shape) == 0; }

    // `tensor`: the first rank's.
    Status join(TorchDistTensor& tensor) const {
        std::vector<const TorchDistTensor*> parts;
        std::vector<Shape> shapes;
        for (std::size_t rank = 0; rank < slices_.size(); ++rank) {
            parts.push_back(part_of(rank, tensor));
            shapes.push_back(parts.back()->shape);
            const bool is_other = parts.back()->dtype != tensor.dtype && !is_empty(*parts.back());
            if (is_other || shapes.back().size() != shapes.front().size())
                return bad(base::format("the slices of {} have different types or axes; are files of two runs mixed?",
                                        tensor.fqn));
        }
        const std::string weight = weight_of(tensor);
        TRY_ASSIGN(SliceRule rule, rules_.rule(weight, shapes));
        // Without axes there is nothing to cut.
        if (shapes[0].empty()) rule.kind = SliceRule::Kind::same;
        if (rule.kind != SliceRule::Kind::cut) {
            TRY(check_same(parts, rule.kind, weight));
            parts.resize(1);
            shapes.resize(1);
        }
        if (parts.size() == 1) TRY(check_map(tensor, weight, nullptr));
        if (parts.size() == 1 && !rule.rows) return {};
        return put_together(tensor, parts, rule);
    }

    Status check_same(const std::vector<const TorchDistTensor*>& parts, SliceRule::Kind kind,
                      const std::string& weight) const {
        const bool is_average = kind == SliceRule::Kind::average;
        for (std::size_t rank = 1; rank < parts.size(); ++rank) {
            bool same = parts[rank]->shape == parts[0]->shape;
            if (same) {
                TRY_ASSIGN(
                    same, copies_.same(*parts[0], *parts[rank], is_average ? MasterCopies::kAll : MasterCopies::kEnds));
            }
            if (same) continue;
            if (is_average)
                return base::fail(ErrorKind::unsupported,
                                  base::format("{} is the average of what the tensor parallel ranks have, which "
                                               "differs, and a conversion computes none; convert with "
                                               "ds_to_universal.py first",
                                               weight),
                                  files_.path(model_.name));
            return bad(
                base::format("{} has other values in tensor parallel rank {} than in rank 0, though all have the "
                             "same; are files of two saves mixed?",
                             weight, rank));
        }
        return {};
    }

    Status put_together(TorchDistTensor& tensor, const std::vector<const TorchDistTensor*>& parts,
                        const SliceRule& rule) const {
        const Shape& first = parts[0]->shape;
        if (rule.axis >= first.size() || (rule.rows && rule.axis != 0))
            return bad(base::format("{} is cut along an axis that it does not have; are files of two runs mixed?",
                                    tensor.fqn));
        SlicedAxis axis;
        for (std::size_t i = rule.axis + 1; i < first.size(); ++i) axis.inner *= first[i];
        for (const TorchDistTensor* part : parts) {
            Shape like = part->shape;
            like[rule.axis] = first[rule.axis];
            if (like != first)
                return bad(
                    base::format("the slices of {} have the shapes {} and {}, which do not fit together; are files "
                                 "of two runs mixed?",
                                 tensor.fqn, to_string(first), to_string(part->shape)));
            TRY_ASSIGN(SharedPlace place, place_of(*part));
            axis.slices.push_back({std::move(place), part->shape[rule.axis]});
        }
        add_runs(axis, rule.widths);
        if (rule.rows) {
            if (*rule.rows > axis.extent)
                return bad(base::format("{} has {} rows, and the vocabulary {}; are files of two runs mixed?",
                                        tensor.fqn, axis.extent, *rule.rows));
            axis.extent = *rule.rows;
            std::erase_if(axis.runs, [&](const SlicedAxis::Run& run) { return run.begin >= axis.extent; });
        }
        tensor.shape[rule.axis] = axis.extent;
        if (!checked_bytes(tensor.shape, tensor.dtype))
            return bad(base::format("{} has more elements than can be", tensor.fqn));
        if (parts.size() > 1) TRY(check_map(tensor, weight_of(tensor), &axis));
        tensor.chunks.clear();
        tensor.flat = {std::make_shared<const FlatVector>(std::move(axis)), 0};
        return {};
    }

    // `tensor`: of the whole's shape.
    Status check_map(const TorchDistTensor& tensor, const std::string& weight, const SlicedAxis* axis) const {
        std::string difference = maps_.difference(weight, axis, *checked_elements(tensor.shape));
        if (difference.empty()) return {};
        return base::fail(ErrorKind::unsupported, std::move(difference), files_.path(model_.name));
    }

    // Part after part, of each what the ranks have.
    static void add_runs(SlicedAxis& axis, std::vector<std::vector<std::uint64_t>> widths) {
        if (widths.empty()) {
            auto& all = widths.emplace_back();
            for (const SlicedAxis::Slice& slice : axis.slices) all.push_back(slice.extent);
        }
        std::vector<std::uint64_t> done(axis.slices.size());
        for (const auto& by_rank : widths) {
            for (std::size_t rank = 0; rank < axis.slices.size(); ++rank) {
                if (by_rank[rank] == 0) continue;
                axis.runs.push_back({axis.extent, rank, done[rank]});
                axis.extent += by_rank[rank];
                done[rank] += by_rank[rank];
            }
        }
    }

    Result<SharedPlace> place_of(const TorchDistTensor& part) const {
        if (part.flat.vector) return part.flat;
        const TorchDistChunk& chunk = part.chunks.front();
        if (!chunk.contiguous)
            return base::fail(ErrorKind::unsupported,
                              base::format("a slice of {} is a strided view; save it contiguous first", part.fqn),
                              files_.path(files_.name(chunk.file)));
        const FlatShare share{chunk.file, chunk.file_offset, *checked_elements(part.shape)};
        return SharedPlace{std::make_shared<const FlatVector>(FlatVector::Rule::row, part.dtype, std::vector{share}),
                           0};
    }

    MasterCopies copies_;
    ZeroFiles& files_;
    std::vector<ShardedCheckpoint> slices_;
    const OpenedFile& model_;
    SliceRules rules_;
    AffineMaps maps_;
    std::vector<std::unordered_map<std::string, std::size_t>> numbers_;  // tensors by name, by rank
};

}  // namespace

Result<ShardedCheckpoint> joined_slices(base::FileSystem& fs, ZeroFiles& files, std::vector<ShardedCheckpoint> slices,
                                        const OpenedFile& model) {
    if (slices.size() == 1) return std::move(slices.front());
    TRY_ASSIGN(SliceRules rules, SliceRules::read(files, model));
    return SliceJoiner(fs, files, std::move(slices), model, std::move(rules)).join();
}

}  // namespace ckpt
