#include "ckpt_convert/mapping/mapping_checks.h"

#include <algorithm>
#include <set>

#include "base/format.h"

namespace ckpt {
namespace {

// Every weight must be stored on both sides, and every stored weight defined.
Status check_references(const ModelMapping& mapping) {
    auto problem = [&](const std::string& message) {
        return base::fail(ErrorKind::rule_data, message, mapping.origin);
    };
    std::set<std::string_view> defined;
    for (const auto& weight : mapping.weights) defined.insert(weight.name);
    for (const auto* side : {&mapping.hf, &mapping.mcore}) {
        const char* side_name = side == &mapping.hf ? "hf" : "mcore";
        std::set<std::string_view> stored;
        for (const auto& rule : *side) {
            for (const auto& weight : rule.weights) {
                if (!defined.contains(weight)) {
                    return problem(base::format("{} tensor \"{}\" is made of \"{}\", which is not a weight", side_name,
                                                rule.names.front().second, weight));
                }
                if (!rule.optional) stored.insert(weight);
            }
            bool known = !rule.apart || std::any_of(mapping.values.begin(), mapping.values.end(),
                                                    [&](const auto& value) { return value.name == rule.apart->value; });
            if (!known)
                return problem(base::format("{} tensor \"{}\" is apart with \"{}\", which is not a value", side_name,
                                            rule.names.front().second, rule.apart->value));
        }
        for (const auto& weight : mapping.weights) {
            if (!stored.contains(weight.name) && !weight.unused)
                return problem(base::format("no {} tensor stores the weight \"{}\"", side_name, weight.name));
        }
    }
    return {};
}

// The axes that a stored tensor is joined and split along must be there in each of its weights.
Status check_axes(const ModelMapping& mapping, const StoredRule& rule) {
    auto problem = [&](const std::string& message) {
        return base::fail(ErrorKind::rule_data, base::format("tensor \"{}\" {}", rule.names.front().second, message),
                          mapping.origin);
    };
    std::optional<std::size_t> axes;
    const bool of_experts = rule.of_experts();
    for (const auto& weight : mapping.weights) {
        if (std::find(rule.weights.begin(), rule.weights.end(), weight.name) == rule.weights.end()) continue;
        if ((weight.each == Each::expert) != of_experts)
            return problem(
                of_experts
                    ? base::format("belongs to experts but is made of \"{}\", which is not of each expert", weight.name)
                    : base::format("belongs to no experts but is made of \"{}\", which is one of each expert",
                                   weight.name));
        if (axes.value_or(weight.shape.size()) != weight.shape.size())
            return problem("is made of weights with different numbers of axes");
        axes = weight.shape.size();
    }
    const std::size_t unzipped = rule.unzipped() == nullptr ? 0 : rule.unzipped()->axis;
    for (const std::size_t axis : {rule.axis.number, rule.shard.value_or(Axis()).number, unzipped}) {
        if (axis >= *axes) return problem(base::format("has no axis {}, it has {}", axis, *axes));
    }
    if (const Stacked* stack = rule.stacked()) {
        const std::size_t named = stack->memory.size() - (stack->of_experts() ? 1 : 0);
        if (named != *axes) return problem(base::format("stacks tensors of {} axes, but names {}", *axes, named));
    }
    if (rule.once() != nullptr && *axes < 2) return problem("has \"once\", and therefore one matrix as it is");
    return {};
}

// "{nth}" is for tensors of some layers that torch_dist has as one, beside those of all layers.
Status check_counted(const ModelMapping& mapping, const StoredRule& rule, bool is_mcore) {
    for (const auto& [selector, name] : rule.names) {
        if (name.find(kNth) == std::string::npos) continue;
        bool right = is_mcore && (selector.is_torch_dist() || rule.dialect.is_torch_dist()) &&
                     rule.each == Each::layer && name.starts_with("decoder.layers.{nth}.") && mapping.mtp.mcore.empty();
        if (!right)
            return base::fail(
                ErrorKind::rule_data,
                base::format("tensor \"{}\" has \"{}\", which is for tensors of layers in torch_dist, in the place "
                             "of \"{{local_layer}}\"; not with \"mtp\"",
                             name, kNth),
                mapping.origin);
    }
    return {};
}

}  // namespace

Status check_mapping(const ModelMapping& mapping) {
    TRY(check_references(mapping));
    for (const auto* side : {&mapping.hf, &mapping.mcore}) {
        for (const StoredRule& rule : *side) {
            TRY(check_axes(mapping, rule));
            TRY(check_counted(mapping, rule, side == &mapping.mcore));
        }
    }
    return {};
}

}  // namespace ckpt
