#include "ckpt_convert/mapping/legacy_names.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

Status VersionedOrder::check(const base::JsonPlace& at) const {
    if (axes.size() == 3 && std::set(axes.begin(), axes.end()).size() == 3) return {};
    return at.error("\"axes\" are part, head and element, each once");
}

bool LegacyNames::tells(std::string_view tensor) const {
    return std::any_of(told_by.begin(), told_by.end(), [&](const auto& front) { return tensor.starts_with(front); });
}

bool LegacyNames::is_of_core(std::string_view tensor) const {
    return std::any_of(roots.begin(), roots.end(), [&](const auto& root) { return tensor.starts_with(root.second); });
}

std::string LegacyNames::in_core(std::string_view tensor) const {
    const auto root =
        std::find_if(roots.begin(), roots.end(), [&](const auto& one) { return tensor.starts_with(one.first); });
    if (root == roots.end()) return std::string(tensor);
    std::string out = root->second;
    std::string_view point, inner = tensor.substr(root->first.size());
    const auto end =
        std::find_if(ends.begin(), ends.end(), [&](const auto& one) { return inner.ends_with(one.first); });
    if (end != ends.end()) inner.remove_suffix(end->first.size());
    for (const std::string_view part : base::split(inner, '.')) {
        const auto found = parts.find(part);
        out.append(point).append(found == parts.end() ? part : found->second);
        point = ".";
    }
    return end == ends.end() ? out : out + end->second;
}

bool LegacyNames::is_ordered(std::string_view tensor) const { return matches_any(ordered, tensor); }

bool LegacyNames::is_younger(std::string_view tensor) const { return matches_any(younger, tensor); }

const RefusedTensors* LegacyNames::refuses(std::string_view tensor) const {
    const auto found = std::find_if(refused.begin(), refused.end(),
                                    [&](const RefusedTensors& one) { return matches_any(one.tensors, tensor); });
    return found == refused.end() ? nullptr : &*found;
}

std::optional<QkvOrder> LegacyNames::order(double version) const {
    const auto found =
        std::find_if(orders.begin(), orders.end(), [&](const auto& order) { return order.version == version; });
    return found == orders.end() ? std::nullopt : std::optional(found->order());
}

}  // namespace ckpt
