#include "ckpt_convert/plan/quantised_source.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "base/checked_math.h"
#include "base/format.h"

namespace ckpt {
namespace {

// The shape of the values, whatever the elements of the file are.
std::optional<Shape> value_shape(const IndexedTensor& stored, const QuantisationFormat& format) {
    Shape shape = stored.shape;
    if (shape.empty()) return std::nullopt;
    auto last = base::checked_mul(shape.back(), bits(format.stored) / bits(format.code));
    if (!last) return std::nullopt;
    shape.back() = *last;
    if (format.fold) {
        if (shape.size() < 2) return std::nullopt;
        auto folded = base::checked_mul(shape[shape.size() - 2], shape.back());
        if (!folded) return std::nullopt;
        shape.pop_back();
        shape.back() = *folded;
    }
    auto elements = checked_elements(shape);
    if (!elements || *elements == 0 || !base::checked_mul(*elements, std::uint64_t{64})) return std::nullopt;
    return shape;
}

using Block = std::pair<std::uint64_t, std::uint64_t>;  // rows, columns

// Works out which values share a scale; false when the shapes do not fit. `block`: what the format says, if anything.
bool fit_scales(Quantised& out, Shape values, Shape scales, std::optional<Block> block) {
    if (values.size() == 1) values.insert(values.begin(), 1);
    std::uint64_t count = checked_elements(scales).value_or(0);
    out.columns = values.back();
    if (count == 1) {
        out.rows = out.block_rows = *checked_elements(values) / out.columns;
        out.block_columns = out.columns;
        return true;
    }
    if (scales.size() + 1 == values.size()) scales.push_back(1);
    if (scales.size() != values.size() || count == 0) return false;
    if (!std::equal(values.begin(), values.end() - 2, scales.begin())) return false;
    out.rows = values[values.size() - 2];
    auto fits = [&](const Block& tried) {
        std::tie(out.block_rows, out.block_columns) = tried;
        return out.scale_rows() == scales[scales.size() - 2] && out.scale_columns() == scales.back();
    };
    // Else each row has scales of its own, for groups of as many columns as there must be.
    return (block && fits(*block)) || (out.columns % scales.back() == 0 && fits({1, out.columns / scales.back()}));
}

class QuantisedJoiner {
public:
    QuantisedJoiner(TensorIndex& index, const Json& config) : index_(index), config_(config) {
        for (std::uint32_t i = 0; i < index.tensors.size(); ++i) by_name_.emplace(index.tensors[i].name, i);
        gone_.resize(index.tensors.size(), false);
    }

    // The tensors that this format has; with `wanted` they are joined.
    Status join(const QuantisationFormat& format, std::optional<DType> wanted) {
        for (std::uint32_t i = 0; i < by_name_.size(); ++i) {
            const IndexedTensor& tensor = index_.tensors[i];
            auto stem = format.values.stem(tensor.name);
            if (gone_[i] || tensor.quantised || !stem || tensor.dtype != format.stored) continue;
            auto scales = by_name_.find(format.scales.with(*stem));
            if (scales == by_name_.end()) continue;
            if (count_++ == 0) example_ = base::format("{} ({})", tensor.name, format.name);
            if (!wanted) continue;
            TRY(join_one(format, std::string(*stem), i, scales->second, *wanted));
        }
        return {};
    }

    void finish() { index_.take_out(gone_); }

    std::size_t count() const { return count_; }
    const std::string& example() const { return example_; }

private:
    Status join_one(const QuantisationFormat& format, const std::string& stem, std::uint32_t values,
                    std::uint32_t scales, DType wanted) {
        IndexedTensor& tensor = index_.tensors[values];
        auto shape = value_shape(tensor, format);
        Quantised found;
        found.code = format.code;
        if (!shape || !tensor.contiguous ||
            !fit_scales(found, *shape, index_.tensors[scales].shape, block_of(format))) {
            return base::fail(
                ErrorKind::bad_input,
                base::format("{} {} does not go with its scales {} {}", tensor.name, to_string(tensor.shape),
                             index_.tensors[scales].name, to_string(index_.tensors[scales].shape)),
                index_.files[tensor.file]->path());
        }
        TRY_ASSIGN(found.scales, numbers(scales));
        if (format.offsets) {
            if (auto offsets = by_name_.find(format.offsets->with(stem)); offsets != by_name_.end()) {
                if (index_.tensors[offsets->second].shape != index_.tensors[scales].shape) {
                    return base::fail(ErrorKind::bad_input,
                                      base::format("{} must have the shape of {}", index_.tensors[offsets->second].name,
                                                   index_.tensors[scales].name),
                                      index_.files[tensor.file]->path());
                }
                TRY_ASSIGN(found.offsets, numbers(offsets->second));
            }
        }
        for (const StemPattern& pattern : format.without_effect) {
            if (auto other = by_name_.find(pattern.with(stem)); other != by_name_.end()) gone_[other->second] = true;
        }
        tensor.name = format.result().with(stem);
        tensor.dtype = wanted;
        tensor.strides = row_major_strides(*shape);
        tensor.shape = std::move(*shape);
        tensor.quantised = std::make_shared<const Quantised>(std::move(found));
        return {};
    }

    // Scales or offsets, which are no tensor of their own any more.
    Result<StoredNumbers> numbers(std::uint32_t number) {
        const IndexedTensor& tensor = index_.tensors[number];
        if (!can_scale(tensor.dtype) || !tensor.contiguous) {
            return base::fail(
                ErrorKind::unsupported,
                base::format("{} is {}, which is not a type of scales that can be read; export the model in "
                             "another format, or in bf16",
                             tensor.name, name(tensor.dtype)),
                index_.files[tensor.file]->path());
        }
        gone_[number] = true;
        return StoredNumbers{tensor.dtype, tensor.file, tensor.offset};
    }

    std::optional<Block> block_of(const QuantisationFormat& format) const {
        const Json* said = format.block ? config_.find_path(format.block->config) : nullptr;
        const auto otherwise = format.block ? std::optional<Block>(format.block->fallback) : std::nullopt;
        if (said == nullptr || said->array() == nullptr || said->array()->size() != 2) return otherwise;
        const std::int64_t* rows = (*said->array())[0].integer();
        const std::int64_t* columns = (*said->array())[1].integer();
        if (rows == nullptr || columns == nullptr || *rows < 1 || *columns < 1) return otherwise;
        return Block(*rows, *columns);
    }

    TensorIndex& index_;
    const Json& config_;
    std::unordered_map<std::string, std::uint32_t> by_name_;
    std::vector<bool> gone_;
    std::size_t count_ = 0;
    std::string example_;
};

}  // namespace

Result<std::optional<std::string>> join_quantised(TensorIndex& index, const std::vector<QuantisationFormat>& formats,
                                                  const Json& config, std::optional<DType> wanted) {
    QuantisedJoiner joiner(index, config);
    for (const QuantisationFormat& format : formats) TRY(joiner.join(format, wanted));
    if (joiner.count() == 0) return std::optional<std::string>();
    if (!wanted) {
        return base::fail(
            ErrorKind::unsupported,
            base::format("{} tensors are quantised, for example {}, and their scales have no place in the "
                         "output; --dequantize bf16 (or fp32) makes ordinary weights of them",
                         joiner.count(), joiner.example()),
            index.files.empty() ? "" : base::parent(index.files.front()->path()));
    }
    joiner.finish();
    return std::optional(base::format("{} quantised tensors became {}, for example {}", joiner.count(), name(*wanted),
                                      joiner.example()));
}

}  // namespace ckpt
