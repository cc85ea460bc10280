#include "ckpt_convert/checkpoint/slice_rules.h"

#include <algorithm>
#include <numeric>

#include "base/format.h"

namespace ckpt {
namespace {

constexpr const char *kParts = "parameter_with_sub_params", *kWidths = "sub_param_shard_widths",
                     *kVocabulary = "original_vocab_size", *kRefused = "autotp_unsupported_parameter_patterns";
constexpr std::size_t kMaxPatterns = 1000;  // of several names, in a list
constexpr std::uint64_t kMaxExtent = std::uint64_t{1} << 40;

std::optional<std::uint64_t> extent_of(pickle::Ref value) {
    const auto* number = value == nullptr ? nullptr : value->as<std::int64_t>();
    const bool fits = number != nullptr && *number >= 0 && static_cast<std::uint64_t>(*number) < kMaxExtent;
    return fits ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

// Of a list or tuple; nullptr: it is neither.
const std::vector<pickle::Ref>* items_of(pickle::Ref value) {
    if (value == nullptr) return nullptr;
    if (const auto* list = value->as<pickle::List>()) return &list->items;
    const auto* tuple = value->as<pickle::Tuple>();
    return tuple == nullptr ? nullptr : &tuple->items;
}

std::optional<std::vector<std::uint64_t>> extents_of(pickle::Ref value) {
    const auto* items = items_of(value);
    if (items == nullptr) return std::nullopt;
    std::vector<std::uint64_t> out;
    for (pickle::Ref item : *items) {
        const auto extent = extent_of(item);
        if (!extent) return std::nullopt;
        out.push_back(*extent);
    }
    return out;
}

std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

}  // namespace

std::optional<std::size_t> SliceRules::Patterns::find(const std::string& name) const {
    if (const auto known = names.find(name); known != names.end()) return known->second;
    const auto fits =
        std::find_if(others.begin(), others.end(), [&](const auto& one) { return one.first.matches(name); });
    return fits == others.end() ? std::nullopt : std::optional(fits->second);
}

tl::unexpected<base::Error> SliceRules::damaged(const char* key) const {
    return files_->bad(
        base::format("universal_checkpoint_info: {} is missing, or not what it should be; is the file damaged?", key),
        model_.name);
}

Result<SliceRules> SliceRules::read(const ZeroFiles& files, const OpenedFile& model) {
    const pickle::Ref info =
        model.content == nullptr ? nullptr : pickle::find(model.content->root(), "universal_checkpoint_info");
    if (info == nullptr || pickle::mapping_items(info) == nullptr)
        return base::fail(ErrorKind::unsupported,
                          "the engine ran with tensor parallelism, and nothing here says how its slices make up the "
                          "parameters: universal_checkpoint_info is missing, which AutoTP and Megatron-DeepSpeed save "
                          "and a model of your own sets as its attribute; save again with it",
                          model.name.empty() ? files.path("") : files.path(model.name));
    SliceRules out(files, model);
    TRY(out.read_list(info, "tp_replicated_parameter_patterns", out.same_));
    TRY(out.read_list(info, "parameter_to_average_patterns", out.average_));
    TRY(out.read_list(info, "parameter_with_row_parallelism_patterns", out.second_axis_));
    TRY(out.read_list(info, "parameter_with_2_sub_params_cat_dim_0", out.pairs_));
    TRY(out.read_list(info, "vocabulary_parameter_patterns", out.vocabulary_));
    TRY(out.read_parts(info));
    out.vocabulary_size_ = extent_of(pickle::find(info, kVocabulary));
    const pickle::Ref refused = pickle::find(info, kRefused);
    if (const auto* items = refused == nullptr ? nullptr : pickle::mapping_items(refused)) {
        for (const auto& [pattern, reason] : *items) {
            const auto* text = reason->as<std::string>();
            TRY(out.add_pattern(pattern, kRefused, out.reasons_.size(), out.refused_));
            out.reasons_.push_back(text == nullptr ? "" : *text);
        }
    }
    return out;
}

Status SliceRules::read_list(pickle::Ref info, const char* key, Patterns& out) const {
    const pickle::Ref value = pickle::find(info, key);
    if (value == nullptr) return {};
    const auto* items = items_of(value);
    if (items == nullptr) return damaged(key);
    for (pickle::Ref item : *items) TRY(add_pattern(item, key, 0, out));
    return {};
}

Status SliceRules::add_pattern(pickle::Ref pattern, const char* key, std::size_t number, Patterns& out) const {
    const auto* text = pattern->as<std::string>();
    if (text == nullptr) return damaged(key);
    if (auto name = literal_name(*text)) {
        out.names.emplace(std::move(*name), number);
        return {};
    }
    auto parsed = NamePattern::parse(*text);
    if (!parsed)
        return base::fail(ErrorKind::unsupported,
                          base::format("universal_checkpoint_info: the pattern \"{}\" has more than this program knows "
                                       "of patterns; write it with sets, groups, *, + and ? alone",
                                       *text),
                          files_->path(model_.name));
    if (out.others.size() == kMaxPatterns) return damaged(key);
    out.others.emplace_back(std::move(*parsed), number);
    return {};
}

Status SliceRules::read_parts(pickle::Ref info) {
    const pickle::Ref list = pickle::find(info, kParts);
    const auto* items = items_of(list);
    if (list != nullptr && items == nullptr) return damaged(kParts);
    if (items == nullptr) return {};
    for (pickle::Ref one : *items) TRY(read_part(one, pickle::find(info, kWidths)));
    return {};
}

// An object of its own class in some releases, a dict in others.
Status SliceRules::read_part(pickle::Ref one, pickle::Ref widths) {
    const auto* object = one->as<pickle::Object>();
    const pickle::Ref fields = object != nullptr && object->state != nullptr ? object->state : one;
    const auto* patterns = items_of(pickle::find(fields, "patterns"));
    const auto* shape = items_of(pickle::find(fields, "shape"));
    const auto axis = extent_of(pickle::find(fields, "partition_dim"));
    if (patterns == nullptr || shape == nullptr || !axis || *axis >= shape->size()) return damaged(kParts);
    const pickle::Ref told = (*shape)[*axis];
    auto sizes = extents_of(told);
    if (!sizes) {
        const auto count = extent_of(told);
        if (!count) return damaged(kParts);
        sizes = std::vector<std::uint64_t>{*count};
    }
    const bool is_list = items_of(told) != nullptr;
    for (pickle::Ref pattern : *patterns) {
        Parts& parts = parts_.emplace_back(Parts{*axis, *sizes, shape->size(), {}});
        if (!is_list && sizes->front() == 0) return damaged(kParts);
        if (!is_list) parts.sizes = std::vector<std::uint64_t>(std::min<std::uint64_t>(sizes->front(), 64), 0);
        TRY(add_pattern(pattern, kParts, parts_.size() - 1, with_parts_));
        const auto* text = pattern->as<std::string>();
        const auto* its = widths == nullptr ? nullptr : items_of(pickle::find(widths, *text));
        for (std::size_t i = 0; its != nullptr && i < its->size(); ++i) {
            auto by_rank = extents_of((*its)[i]);
            if (!by_rank) return damaged(kWidths);
            parts.widths.push_back(std::move(*by_rank));
        }
    }
    return {};
}

Result<SliceRule> SliceRules::rule(const std::string& name, const std::vector<Shape>& shapes) const {
    if (const auto reason = refused_.find(name))
        return base::fail(
            ErrorKind::unsupported,
            base::format("the engine says that the slices of {} cannot be put together: {}", name, reasons_[*reason]),
            files_->path(model_.name));
    SliceRule out;
    const auto with_parts = with_parts_.find(name);
    if (same_.find(name)) out.kind = SliceRule::Kind::same;
    else if (average_.find(name)) out.kind = SliceRule::Kind::average;
    else if (pairs_.find(name) || with_parts) {
        const Parts parts = pairs_.find(name) ? Parts{0, {0, 0}, shapes[0].size(), {}} : parts_[*with_parts];
        out.axis = parts.axis;
        TRY_ASSIGN(out.widths, widths_of(parts, name, shapes));
    } else if (second_axis_.find(name)) {
        out.axis = 1;
    }
    if (!vocabulary_.find(name)) return out;
    if (!vocabulary_size_) return damaged(kVocabulary);
    out.rows = vocabulary_size_;
    return out;
}

// Parts of no told size are equal.
Result<std::vector<std::vector<std::uint64_t>>> SliceRules::widths_of(const Parts& parts, const std::string& name,
                                                                      const std::vector<Shape>& shapes) const {
    if (parts.axes != shapes[0].size() || parts.axis >= shapes[0].size())
        return base::fail(ErrorKind::unsupported,
                          base::format("the parts of {} are told in another shape than it has, which is not read; "
                                       "convert with ds_to_universal.py first",
                                       name),
                          files_->path(model_.name));
    auto out = parts.widths;
    if (out.empty()) {
        out.assign(parts.sizes.size(), std::vector<std::uint64_t>(shapes.size()));
        for (std::size_t part = 0; part < out.size(); ++part) {
            for (std::size_t rank = 0; rank < shapes.size(); ++rank)
                out[part][rank] =
                    parts.sizes[part] > 0 ? parts.sizes[part] / shapes.size() : shapes[rank][parts.axis] / out.size();
        }
    }
    for (std::size_t rank = 0; rank < shapes.size(); ++rank) {
        std::uint64_t all = 0;
        for (const auto& part : out) all += part.size() == shapes.size() ? part[rank] : kMaxExtent;
        if (all != shapes[rank][parts.axis])
            return files_->bad(
                base::format("the parts of {} are {} long together in tensor parallel rank {}, and it is "
                             "{}; are files of two runs mixed?",
                             name, all, rank, shapes[rank][parts.axis]),
                model_.name);
    }
    for (std::size_t part = 0; part < out.size(); ++part) {
        const std::uint64_t size = part < parts.sizes.size() ? parts.sizes[part] : 0;
        if (size > 0 && sum_of(out[part]) != size) return damaged(kWidths);
    }
    return out;
}

}  // namespace ckpt
