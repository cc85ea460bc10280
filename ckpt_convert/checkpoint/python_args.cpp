#include "ckpt_convert/checkpoint/python_args.h"

namespace ckpt {
namespace {

// Arguments are flat in practice; deeper values are not used for anything.
constexpr int kMaxDepth = 4;

Json convert(pickle::Ref value, int depth);

Json convert_items(const std::vector<pickle::Ref>& items, int depth) {
    Json::Array out;
    for (pickle::Ref item : items) out.push_back(convert(item, depth + 1));
    return Json(std::move(out), 0);
}

Json convert_mapping(const std::vector<std::pair<pickle::Ref, pickle::Ref>>& items, int depth) {
    Json::Object out;
    for (const auto& [key, value] : items) {
        if (const auto* name = key->as<std::string>()) out.emplace_back(*name, convert(value, depth + 1));
    }
    return Json(std::move(out), 0);
}

Json convert(pickle::Ref value, int depth) {
    if (depth > kMaxDepth) return {};
    if (const auto* flag = value->as<bool>()) return Json(*flag, 0);
    if (const auto* integer = value->as<std::int64_t>()) return Json(*integer, 0);
    if (const auto* number = value->as<double>()) return Json(*number, 0);
    if (const auto* text = value->as<std::string>()) return Json(*text, 0);
    if (const auto* list = value->as<pickle::List>()) return convert_items(list->items, depth);
    if (const auto* tuple = value->as<pickle::Tuple>()) return convert_items(tuple->items, depth);
    if (const auto* set = value->as<pickle::Set>()) return convert_items(set->items, depth);
    if (const auto* global = value->as<pickle::Global>()) return Json(global->module + "." + global->name, 0);
    if (const auto* items = pickle::mapping_items(value)) return convert_mapping(*items, depth);
    return {};
}

}  // namespace

Json args_to_json(pickle::Ref namespace_value) {
    const auto* items = pickle::namespace_items(namespace_value);
    return items == nullptr ? Json(Json::Object{}, 0) : convert_mapping(*items, 0);
}

}  // namespace ckpt
