#include "ckpt_convert/checkpoint/affine_maps.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/format.h"

namespace ckpt {
namespace {

const std::vector<pickle::Ref>* list_of(pickle::Ref value) {
    if (value == nullptr) return nullptr;
    if (const auto* list = value->as<pickle::List>()) return &list->items;
    const auto* tuple = value->as<pickle::Tuple>();
    return tuple == nullptr ? nullptr : &tuple->items;
}

std::optional<std::uint64_t> number_of(pickle::Ref value) {
    const auto* number = value == nullptr ? nullptr : value->as<std::int64_t>();
    return number != nullptr && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

// The numbers of the first and the last element of a piece in [first, strides].
std::optional<std::pair<std::uint64_t, std::uint64_t>> ends_of(const std::vector<pickle::Ref>& shape,
                                                               pickle::Ref place) {
    const auto* parts = list_of(place);
    const auto* strides = parts == nullptr || parts->size() != 2 ? nullptr : list_of((*parts)[1]);
    const auto first = strides == nullptr || strides->size() != shape.size() ? std::nullopt : number_of((*parts)[0]);
    if (!first) return std::nullopt;
    std::uint64_t last = *first;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto size = number_of(shape[i]), stride = number_of((*strides)[i]);
        if (!size || *size == 0 || !stride) return std::nullopt;
        last += (*size - 1) * *stride;
    }
    return std::pair(*first, last);
}

bool has_factor(pickle::Ref piece) {
    const pickle::Ref scale = pickle::find(piece, "scale");
    const auto* factor = scale == nullptr ? nullptr : scale->as<double>();
    return scale != nullptr && (factor == nullptr || *factor != 1);
}

bool is_at(const SlicedAxis* axis, std::uint64_t rank, std::uint64_t whole, std::uint64_t part) {
    if (axis == nullptr) return whole == part;
    const SlicedAxis::Element element = axis->element(whole);
    return element.slice == rank && element.number == part;
}

constexpr std::size_t kMaxMaps = 1000;  // of several names; their patterns decide elsewhere

bool is_empty(const std::vector<pickle::Ref>& shape) {
    return std::any_of(shape.begin(), shape.end(), [](pickle::Ref size) { return number_of(size) == 0; });
}

// Rows that fill up a vocabulary are in no whole.
bool agrees(pickle::Ref piece, const SlicedAxis* axis, std::uint64_t rank, std::uint64_t elements) {
    const auto* shape = list_of(pickle::find(piece, "shape"));
    if (shape == nullptr) return false;
    if (is_empty(*shape)) return true;
    const auto whole = ends_of(*shape, pickle::find(piece, "source")),
               part = ends_of(*shape, pickle::find(piece, "dest"));
    if (!whole || !part) return false;
    return (whole->first >= elements || is_at(axis, rank, whole->first, part->first)) &&
           (whole->second >= elements || is_at(axis, rank, whole->second, part->second));
}

}  // namespace

AffineMaps AffineMaps::read(pickle::Ref info) {
    AffineMaps out;
    const pickle::Ref map = pickle::find(info, "affine_map");
    const pickle::Ref parameters = map == nullptr ? nullptr : pickle::find(map, "params");
    const auto* items = parameters == nullptr ? nullptr : pickle::mapping_items(parameters);
    if (items == nullptr) return out;
    for (const auto& [pattern, value] : *items) {
        const auto* text = pattern->as<std::string>();
        if (text == nullptr) continue;
        if (auto name = literal_name(*text)) out.names_.emplace(std::move(*name), value);
        else if (auto parsed = NamePattern::parse(*text); parsed && out.others_.size() < kMaxMaps)
            out.others_.emplace_back(std::move(*parsed), value);
    }
    return out;
}

std::string AffineMaps::difference(const std::string& name, const SlicedAxis* axis, std::uint64_t elements) const {
    pickle::Ref map = nullptr;
    if (const auto known = names_.find(name); known != names_.end()) map = known->second;
    for (const auto& [pattern, value] : others_) {
        if (map == nullptr && pattern.matches(name)) map = value;
    }
    const pickle::Ref ranks = map == nullptr ? nullptr : pickle::find(map, "ranks");
    const auto* by_rank = ranks == nullptr ? nullptr : pickle::mapping_items(ranks);
    if (by_rank == nullptr) return "";
    for (const auto& [rank, value] : *by_rank) {
        const auto* pieces = list_of(pickle::find(value, "pieces"));
        for (std::size_t i = 0; pieces != nullptr && i < pieces->size(); ++i) {
            if (has_factor((*pieces)[i]))
                return base::format(
                    "tensor parallel ranks have {} multiplied by a factor, which a conversion does not undo; "
                    "convert with ds_to_universal.py first",
                    name);
            if (!agrees((*pieces)[i], axis, number_of(rank).value_or(UINT64_MAX), elements))
                return base::format(
                    "the map of {} says otherwise than the patterns how its slices make it up; convert with "
                    "ds_to_universal.py first",
                    name);
        }
    }
    return "";
}

}  // namespace ckpt
