// LegacyNames: the checkpoints that Megatron wrote before megatron-core: what their tensors are called there, and in which order
// their rows of Q, K and V lie.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "ckpt_convert/mapping/rule_json.h"

namespace ckpt {

// The axes of a rank's rows of Q, K and V: which of the three, which head, which element of it.
enum class QkvAxis { part, head, element };
constexpr std::string_view name(QkvAxis axis) {
    return axis == QkvAxis::part ? "part" : axis == QkvAxis::head ? "head" : "element";
}
using QkvOrder = std::array<QkvAxis, 3>;  // the slowest first
inline constexpr QkvOrder kHeadByHead = {QkvAxis::head, QkvAxis::part, QkvAxis::element};

struct VersionedOrder {
    double version = 0;
    std::vector<QkvAxis> axes;

    Status check(const base::JsonPlace& at) const;
    QkvOrder order() const { return {axes[0], axes[1], axes[2]}; }
};
constexpr auto record_of(const VersionedOrder*) {
    using base::field;
    return base::record("qkv_order", "where a rank has the rows of Q, K and V",
                        field("version", &VersionedOrder::version, "the checkpoint_version of the file").needed(),
                        field("axes", &VersionedOrder::axes, "of its rows, the slowest first").needed());
}

// Tensors of legacy models that are not read, by their names, and what to do instead.
struct RefusedTensors {
    std::vector<std::string> tensors;
    std::string what, instead;
};
constexpr auto record_of(const RefusedTensors*) {
    using base::field;
    return base::record("refused_tensors", "what is not read of such checkpoints",
                        field("tensors", &RefusedTensors::tensors, "patterns of names that tell it").needed(),
                        field("what", &RefusedTensors::what, "what it is, in the plural").needed(),
                        field("instead", &RefusedTensors::instead, "what to do").needed());
}

// rules/formats/legacy.json
struct LegacyNames : RuleFile<"legacy-names/1"> {
    std::vector<std::string> told_by;
    std::map<std::string, std::string, std::less<>> roots, parts, ends;
    std::vector<std::string> ordered, younger;
    List<VersionedOrder> orders;
    List<RefusedTensors> refused;

    static Result<LegacyNames> load(const base::DataStore& store) {
        return base::read_rule_record<LegacyNames>(store, "rules/formats/legacy.json");
    }
    // Whether only such a checkpoint has a tensor of this name.
    bool tells(std::string_view tensor) const;
    // Whether a name begins as those of megatron-core, which none of these does.
    bool is_of_core(std::string_view tensor) const;
    // What the tensor is called in a checkpoint of megatron-core; a name that is in no way known stays.
    std::string in_core(std::string_view tensor) const;
    // The tensor has rows of Q, K and V; by its name in megatron-core.
    bool is_ordered(std::string_view tensor) const;
    // The tensor is of layers that are younger than all orders but that of megatron-core; by its name there.
    bool is_younger(std::string_view tensor) const;
    // What such a tensor is of, where that is not read; by its own name; nullptr: it is read.
    const RefusedTensors* refuses(std::string_view tensor) const;
    // Of a checkpoint of this version; nullopt: there is no such version.
    std::optional<QkvOrder> order(double version) const;
};
constexpr auto record_of(const LegacyNames* file) {
    using base::field;
    return base::extended(
        record_of(static_cast<const RuleFile<"legacy-names/1">*>(file)), "legacy_names", "",
        field("told_by", &LegacyNames::told_by, "what a name begins with that no other checkpoint has").needed(),
        field("roots", &LegacyNames::roots, "what names begin with, and what instead").needed(),
        field("parts", &LegacyNames::parts, "of such names what stands between points, and what instead").needed(),
        field("ends", &LegacyNames::ends, "what such names may end with, and what instead").needed(),
        field("ordered", &LegacyNames::ordered, "patterns of the tensors with rows of Q, K and V").needed(),
        field("younger", &LegacyNames::younger, "patterns of tensors that are younger than all orders but the last")
            .needed(),
        field("orders", &LegacyNames::orders, "by version, how these rows are ordered").needed(),
        field("refused", &LegacyNames::refused, "what is not read").needed());
}

}  // namespace ckpt

template <>
inline constexpr auto base::kAll<ckpt::QkvAxis> = std::to_array({ckpt::QkvAxis::part, ckpt::QkvAxis::head,
                                                                 ckpt::QkvAxis::element});
