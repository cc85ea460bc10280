#include "ckpt_convert/execute/comparer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "base/format.h"
#include "base/parallel.h"
#include "ckpt_convert/execute/adapter_reader.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {
namespace {

std::vector<std::byte> as_type(std::span<const std::byte> values, DType from, DType to, float plus = 0) {
    std::size_t count = values.size() / (bits(from) / 8);
    std::vector<std::byte> out(count * (bits(to) / 8));
    cast(out.data(), to, values.data(), from, count, plus);
    return out;
}

// What both element types can be compared in; nullopt when they cannot.
std::optional<DType> common_type(DType a, DType b) {
    if (a == b) return a;
    if (!can_cast(a, b)) return std::nullopt;
    if (a == DType::f32) return b;
    return b == DType::f32 ? a : DType::f32;
}

std::string value_text(const std::byte* at, DType type) {
    if (can_cast(type, DType::f32)) {
        float value = 0;
        cast(reinterpret_cast<std::byte*>(&value), DType::f32, at, type, 1);
        return base::format("{}", value);
    }
    std::string out = "0x";
    for (std::uint32_t i = bits(type) / 8; i-- > 0;) out += base::format("{:02x}", std::to_integer<unsigned>(at[i]));
    return out;
}

Shape position_of(std::uint64_t element, const Shape& shape) {
    Shape out;
    for (std::uint64_t stride : row_major_strides(shape)) {
        out.push_back(element / stride);
        element %= stride;
    }
    return out;
}

// The differing elements of one tensor, met tile by tile in order.
class Differences {
public:
    Differences(const Shape& shape, DType type) : shape_(shape), type_(type) {}

    void add(std::span<const std::byte> a, std::span<const std::byte> b, std::uint64_t first_element) {
        if (a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0) return;
        std::size_t size = bits(type_) / 8;
        for (std::size_t at = 0; at < a.size(); at += size) {
            if (std::memcmp(a.data() + at, b.data() + at, size) == 0) continue;
            if (count_++ > 0) continue;
            first_ = base::format("first at {}: {} and {}", to_string(position_of(first_element + at / size, shape_)),
                                  value_text(a.data() + at, type_), value_text(b.data() + at, type_));
        }
    }

    std::optional<std::string> text() const {
        if (count_ == 0) return std::nullopt;
        return base::format("{} of {} values differ, {}", count_, *checked_elements(shape_), first_);
    }

private:
    Shape shape_;
    DType type_;
    std::uint64_t count_ = 0;
    std::string first_;
};

// Reads a tensor of a checkpoint in tiles.
template <class Visit>
Status for_each_tile(const Readable& readable, std::uint32_t logical, std::uint64_t tile_bytes, Visit visit) {
    const Shape& shape = readable.model->tensors()[logical].shape;
    const LogicalSource& source = readable.binding->tensors[logical];
    for (RowRange rows : tile_rows(shape, source.dtype, tile_bytes)) TRY(visit(rows));
    return {};
}

// Adds where the copies that other files hold differ from the tile.
Status add_replicas(Differences& found, TileReader& reader, const Shape& shape, const LogicalSource& source,
                    RowRange rows, std::span<const std::byte> tile) {
    std::uint64_t row_elements = *checked_elements(shape) / shape[0];
    for (const StoredPiece& replica : source.replicas) {
        TRY_ASSIGN(auto copy, reader.overlay(shape, source.dtype, {replica}, rows, tile));
        found.add(tile, copy, rows.begin * row_elements);
    }
    return {};
}

constexpr const char* kCopiesDiffer = "copies on other ranks are not the same: ";

Result<std::optional<std::string>> compare_tensor(const Readable& a, std::uint32_t in_a, const Readable& b,
                                                  std::uint32_t in_b, const CompareOptions& options) {
    const Shape& shape = a.model->tensors()[in_a].shape;
    const Shape& other = b.model->tensors()[in_b].shape;
    if (shape != other) {
        return std::optional(base::format("the shapes differ: {} and {}", to_string(shape), to_string(other)));
    }
    const LogicalSource& source_a = a.binding->tensors[in_a];
    const LogicalSource& source_b = b.binding->tensors[in_b];
    if (source_a.absent || source_b.absent) return std::optional<std::string>();
    auto type = common_type(source_a.dtype, source_b.dtype);
    if (!type)
        return std::optional(
            base::format("the element types differ: {} and {}", name(source_a.dtype), name(source_b.dtype)));
    TileReader reader_a(*a.index), reader_b(*b.index), copies_a(*a.index), copies_b(*b.index);
    AdapterReader adapters_a(*a.index), adapters_b(*b.index);
    Differences found(shape, *type), in_copies_a(shape, source_a.dtype), in_copies_b(shape, source_b.dtype);
    std::uint64_t row_elements = *checked_elements(shape) / shape[0];
    TRY(for_each_tile(a, in_a, options.tile_bytes, [&](RowRange rows) -> Status {
        TRY_ASSIGN(auto tile_a, reader_a.read(shape, source_a.dtype, source_a.pieces, rows));
        TRY_ASSIGN(auto tile_b, reader_b.read(shape, source_b.dtype, source_b.pieces, rows));
        options.progress(tile_a.size());
        TRY(add_replicas(in_copies_a, copies_a, shape, source_a, rows, tile_a));
        TRY(add_replicas(in_copies_b, copies_b, shape, source_b, rows, tile_b));
        TRY_ASSIGN(tile_a, adapters_a.merged(tile_a, shape, source_a.dtype, rows, source_a.adapter));
        TRY_ASSIGN(tile_b, adapters_b.merged(tile_b, shape, source_b.dtype, rows, source_b.adapter));
        if (source_a.dtype == source_b.dtype && source_a.plus == source_b.plus)
            found.add(tile_a, tile_b, rows.begin * row_elements);
        else
            found.add(as_type(tile_a, source_a.dtype, *type, -source_a.plus),
                      as_type(tile_b, source_b.dtype, *type, -source_b.plus), rows.begin * row_elements);
        return {};
    }));
    if (auto text = found.text()) return text;
    for (const Differences* copies : {&in_copies_a, &in_copies_b}) {
        if (auto text = copies->text()) return std::optional(kCopiesDiffer + *text);
    }
    return std::optional<std::string>();
}

std::uint64_t count_not_finite(std::span<const std::byte> values, DType type) {
    if (!can_cast(type, DType::f32)) return 0;
    std::vector<std::byte> floats = as_type(values, type, DType::f32);
    std::uint64_t count = 0;
    for (std::size_t at = 0; at < floats.size(); at += sizeof(float)) {
        float value = 0;
        std::memcpy(&value, floats.data() + at, sizeof(float));
        count += !std::isfinite(value);
    }
    return count;
}

Result<std::optional<std::string>> check_tensor(const Readable& a, std::uint32_t logical,
                                                const CompareOptions& options) {
    const Shape& shape = a.model->tensors()[logical].shape;
    const LogicalSource& source = a.binding->tensors[logical];
    TileReader reader(*a.index), copy_reader(*a.index);
    AdapterReader adapters(*a.index);
    Differences found(shape, source.dtype);
    std::uint64_t not_finite = 0;
    TRY(for_each_tile(a, logical, options.tile_bytes, [&](RowRange rows) -> Status {
        TRY_ASSIGN(auto tile, reader.read(shape, source.dtype, source.pieces, rows));
        options.progress(tile.size());
        TRY(add_replicas(found, copy_reader, shape, source, rows, tile));
        TRY_ASSIGN(tile, adapters.merged(tile, shape, source.dtype, rows, source.adapter));
        not_finite += count_not_finite(tile, source.dtype);
        return {};
    }));
    if (auto text = found.text()) return std::optional(kCopiesDiffer + *text);
    if (not_finite > 0) return std::optional(base::format("{} values are not finite (NaN or infinite)", not_finite));
    return std::optional<std::string>();
}

// Runs `check` for every tensor of `a`, in parallel; the findings in the order of the model.
template <class Check>
Result<std::vector<TensorDifference>> each_tensor(const Readable& a, const CompareOptions& options, Check check) {
    std::vector<std::optional<std::string>> texts(a.model->tensors().size());
    TRY(base::parallel_for(texts.size(), options.threads, [&](std::size_t i) -> Status {
        TRY_ASSIGN(texts[i], check(static_cast<std::uint32_t>(i)));
        return {};
    }));
    std::vector<TensorDifference> out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (texts[i]) out.push_back({a.model->tensors()[i].name, *texts[i]});
    }
    return out;
}

// Of a tensor that the other checkpoint has not.
Result<std::optional<std::string>> only_here(const Readable& a, std::uint32_t logical, const char* text,
                                             const CompareOptions& options) {
    if (!options.zeros_are_nothing) return std::optional<std::string>(text);
    const LogicalSource& source = a.binding->tensors[logical];
    TileReader reader(*a.index);
    bool is_zero = true;
    TRY(for_each_tile(a, logical, options.tile_bytes, [&](RowRange rows) -> Status {
        TRY_ASSIGN(const auto tile, reader.read(a.model->tensors()[logical].shape, source.dtype, source.pieces, rows));
        is_zero &= std::all_of(tile.begin(), tile.end(), [](std::byte one) { return one == std::byte{0}; });
        return {};
    }));
    return is_zero ? std::nullopt : std::optional<std::string>(text);
}

}  // namespace

Result<std::vector<TensorDifference>> compare(const Readable& a, const Readable& b, const CompareOptions& options) {
    std::unordered_map<std::string_view, std::uint32_t> in_b;
    for (std::uint32_t i = 0; i < b.model->tensors().size(); ++i) in_b.emplace(b.model->tensors()[i].name, i);
    TRY_ASSIGN(auto out, each_tensor(a, options, [&](std::uint32_t i) -> Result<std::optional<std::string>> {
                   auto found = in_b.find(a.model->tensors()[i].name);
                   if (found == in_b.end()) return only_here(a, i, "only the first checkpoint has it", options);
                   return compare_tensor(a, i, b, found->second, options);
               }));
    for (const auto& tensor : a.model->tensors()) in_b.erase(tensor.name);
    for (std::uint32_t i = 0; i < b.model->tensors().size(); ++i) {
        const std::string& name = b.model->tensors()[i].name;
        if (!in_b.contains(name)) continue;
        TRY_ASSIGN(auto text, only_here(b, i, "only the second checkpoint has it", options));
        if (text) out.push_back({name, std::move(*text)});
    }
    return out;
}

Result<std::vector<TensorDifference>> check_values(const Readable& a, const CompareOptions& options) {
    return each_tensor(a, options, [&](std::uint32_t i) { return check_tensor(a, i, options); });
}

}  // namespace ckpt
