#include "ckpt_convert/checkpoint/zero_tables.h"

#include <cstdint>
#include <string>
#include <utility>

#include "ckpt_convert/formats/torch_file/tensor_call.h"

namespace ckpt {
namespace {

tl::unexpected<base::Error> bad_table(const char* what, const Path& path) {
    return base::fail(ErrorKind::bad_input, what, path);
}

}  // namespace

Result<std::vector<NamedShapes>> zero_shapes(pickle::Ref value, const Path& path) {
    std::vector<pickle::Ref> dicts;
    if (const auto* list = value == nullptr ? nullptr : value->as<pickle::List>()) dicts = list->items;
    else if (value != nullptr) dicts.push_back(value);
    std::vector<NamedShapes> out;
    for (pickle::Ref dict : dicts) {
        const auto* items = pickle::mapping_items(dict);
        if (items == nullptr) return bad_table("param_shapes is not a list of dicts of shapes", path);
        NamedShapes& shapes = out.emplace_back();
        for (const auto& [key, size] : *items) {
            const auto* name = key->as<std::string>();
            auto shape = parse_extents(size);
            if (name == nullptr || !shape || !checked_bytes(*shape, DType::f32))
                return bad_table("param_shapes has something that is not a shape", path);
            shapes.emplace_back(*name, std::move(*shape));
        }
    }
    if (out.empty()) return bad_table("it has no param_shapes, which say what is in the flat groups", path);
    return out;
}

pickle::Ref zero_state(pickle::Ref optimizer, std::size_t group) {
    const pickle::Ref states = optimizer == nullptr ? nullptr : pickle::find(optimizer, "state");
    const auto* items = states == nullptr ? nullptr : pickle::mapping_items(states);
    if (items == nullptr) return nullptr;
    for (const auto& [key, value] : *items) {
        const auto* number = key->as<std::int64_t>();
        if (number != nullptr && *number == static_cast<std::int64_t>(group)) return value;
    }
    return nullptr;
}

Result<std::vector<ShardedGroup>> zero_groups(pickle::Ref optimizer, const std::vector<NamedShapes>& groups,
                                              const Path& path) {
    std::vector<ShardedGroup> out;
    const pickle::Ref list = optimizer == nullptr ? nullptr : pickle::find(optimizer, "param_groups");
    const auto* entries = list == nullptr ? nullptr : list->as<pickle::List>();
    if (entries == nullptr) return out;
    for (pickle::Ref entry : entries->items) {
        const auto* items = pickle::mapping_items(entry);
        const pickle::Ref numbers = items == nullptr ? nullptr : pickle::find(entry, "params");
        const auto* members = numbers == nullptr ? nullptr : numbers->as<pickle::List>();
        if (members == nullptr) return bad_table("a group of parameters does not say what is in it", path);
        ShardedGroup& group = out.emplace_back();
        for (const auto& [key, value] : *items) {
            const auto* name = key->as<std::string>();
            if (name != nullptr && *name != "params") group.values.emplace_back(*name, value);
        }
        for (pickle::Ref member : members->items) {
            const auto* number = member->as<std::int64_t>();
            if (number == nullptr || *number < 0 || static_cast<std::size_t>(*number) >= groups.size())
                return bad_table("a group of parameters has a number that no flat group has", path);
            for (const auto& parameter : groups[static_cast<std::size_t>(*number)])
                group.names.push_back(parameter.first);
        }
    }
    return out;
}

}  // namespace ckpt
