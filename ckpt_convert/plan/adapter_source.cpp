#include "ckpt_convert/plan/adapter_source.h"

#include <cmath>
#include <map>

#include "base/format.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

using base::ErrorKind;
using base::Result;
using base::Status;

class AdapterJoiner {
public:
    AdapterJoiner(TensorIndex& index, const AdapterScale& scale, std::uint32_t ranks)
        : index_(index), scale_(scale), ranks_(ranks), gone_(index.tensors.size(), false) {
        for (std::uint32_t i = 0; i < index.tensors.size(); ++i)
            by_name_.emplace(key(index.tensors[i].file, index.tensors[i].name), i);
    }

    Status join(const AdapterFormat& format) {
        for (std::uint32_t i = 0; i < gone_.size(); ++i) {
            const IndexedTensor& left = index_.tensors[i];
            auto stem = gone_[i] ? std::nullopt : format.left.stem(left.name);
            if (!stem) continue;
            auto right = find(left, format.right.with(*stem)), weight = find(left, format.weights.with(*stem));
            if (!right) return broken(left, base::format("there is no {}", format.right.with(*stem)));
            // Names of one format may look like those of another, whose weights are called otherwise.
            if (!weight) continue;
            TRY(join_one(*weight, i, *right));
            gone_[i] = gone_[*right] = true;
            ++count_;
        }
        return {};
    }

    void finish() { index_.take_out(gone_); }

    std::size_t count() const { return count_; }

private:
    std::pair<std::uint32_t, std::string> key(std::uint32_t file, std::string name) const {
        return {ranks_ > 0 ? file % ranks_ : 0, std::move(name)};
    }

    std::optional<std::uint32_t> find(const IndexedTensor& beside, std::string name) const {
        auto found = by_name_.find(key(beside.file, std::move(name)));
        return found == by_name_.end() ? std::nullopt : std::optional(found->second);
    }

    tl::unexpected<base::Error> broken(const IndexedTensor& factor, const std::string& why) const {
        return base::fail(ErrorKind::bad_input,
                          base::format("{} is the factor of an adapter, but {}", factor.name, why),
                          index_.files[factor.file]->path());
    }

    Status join_one(std::uint32_t weight_number, std::uint32_t left_number, std::uint32_t right_number) {
        IndexedTensor& weight = index_.tensors[weight_number];
        const IndexedTensor &left = index_.tensors[left_number], &right = index_.tensors[right_number];
        Adapter adapter;
        bool matrices = left.shape.size() == right.shape.size() && (left.shape.size() == 2 || left.shape.size() == 3);
        std::uint64_t count = matrices && left.shape.size() == 3 ? left.shape[0] : 1;
        if (matrices) {
            adapter.rows = left.shape[left.shape.size() - 2];
            adapter.rank = left.shape.back();
            adapter.columns = right.shape.back();
        }
        bool fit = matrices && adapter.rank > 0 && right.shape[right.shape.size() - 2] == adapter.rank &&
                   (left.shape.size() == 2 || right.shape[0] == count) &&
                   checked_elements({count, adapter.rows, adapter.columns}) == checked_elements(weight.shape) &&
                   (count > 1 || left.shape.size() == 3 || weight.shape == Shape{adapter.rows, adapter.columns});
        if (!fit) {
            return broken(left, base::format("its shape {} and that of {} {} do not make {} {}", to_string(left.shape),
                                             right.name, to_string(right.shape), weight.name, to_string(weight.shape)));
        }
        bool readable = can_cast(left.dtype, DType::f32) && can_cast(right.dtype, DType::f32) && left.contiguous &&
                        right.contiguous && weight.contiguous && weight.part_offset.empty() &&
                        left.part_offset.empty() && can_cast(weight.dtype, DType::f32);
        if (!readable || weight.adapter) {
            return base::fail(ErrorKind::unsupported,
                              base::format("{} cannot be merged into {} ({}): only one adapter of whole floating-point "
                                           "tensors can be",
                                           left.name, weight.name, name(weight.dtype)),
                              index_.files[left.file]->path());
        }
        if (scale_.rank && *scale_.rank != adapter.rank)
            return broken(left, base::format("its rank is {}, not {} (--lora-r)", adapter.rank, *scale_.rank));
        if (!scale_.alpha) {
            return base::fail(ErrorKind::usage,
                              base::format("{} has adapters of rank {}, and nothing says how they are scaled; give "
                                           "--lora-alpha",
                                           weight.name, adapter.rank),
                              index_.files[left.file]->path());
        }
        auto rank = static_cast<double>(adapter.rank);
        adapter.scale = static_cast<float>(*scale_.alpha / (scale_.root ? std::sqrt(rank) : rank));
        adapter.left = {left.dtype, left.file, left.offset};
        adapter.right = {right.dtype, right.file, right.offset};
        weight.adapter = std::make_shared<const Adapter>(adapter);
        return {};
    }

    TensorIndex& index_;
    const AdapterScale& scale_;
    std::uint32_t ranks_;
    std::vector<bool> gone_;
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> by_name_;
    std::size_t count_ = 0;
};

}  // namespace

Status add_adapter(TensorIndex& index, TensorIndex adapter, std::uint32_t ranks) {
    auto files = static_cast<std::uint32_t>(index.files.size());
    if (ranks > 0 && adapter.files.size() != ranks) {
        return base::fail(ErrorKind::bad_input,
                          base::format("the adapter has {} rank files and the model {}: both must be of one layout",
                                       adapter.files.size(), ranks),
                          adapter.files.empty() ? "" : base::parent(adapter.files.front()->path()));
    }
    index.files.insert(index.files.end(), adapter.files.begin(), adapter.files.end());
    for (IndexedTensor& tensor : adapter.tensors) {
        tensor.file += files;
        index.tensors.push_back(std::move(tensor));
    }
    return {};
}

bool has_adapters(const TensorIndex& index, const AdapterFormats& formats) {
    for (const IndexedTensor& tensor : index.tensors) {
        for (const AdapterFormat& format : formats.formats) {
            if (format.left.stem(tensor.name)) return true;
        }
    }
    return false;
}

Result<std::optional<std::string>> join_adapters(TensorIndex& index, const AdapterFormats& formats,
                                                 const AdapterScale& scale, std::uint32_t ranks) {
    if (!has_adapters(index, formats)) return std::optional<std::string>();
    for (IndexedTensor& tensor : index.tensors) {
        for (const auto& [from, to] : formats.wrapped) {
            if (auto stem = from.stem(tensor.name)) tensor.name = to.with(*stem);
        }
    }
    AdapterJoiner joiner(index, scale, ranks);
    for (const AdapterFormat& format : formats.formats) TRY(joiner.join(format));
    joiner.finish();
    for (const IndexedTensor& tensor : index.tensors) {
        for (const AdapterFormat& format : formats.formats) {
            if (!format.left.stem(tensor.name) && !format.right.stem(tensor.name)) continue;
            return base::fail(ErrorKind::bad_input,
                              base::format("{} is the factor of an adapter, but its weight is not in the checkpoint; "
                                           "--lora-load names the adapter, --load-dir the model it was trained on",
                                           tensor.name),
                              index.files[tensor.file]->path());
        }
    }
    return std::optional(base::format("{} low-rank adapters were merged into their weights", joiner.count()));
}

}  // namespace ckpt
