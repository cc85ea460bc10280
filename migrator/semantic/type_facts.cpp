#include "migrator/semantic/type_facts.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/json_object.h"
#include "base/rule_file.h"

namespace migrator {
namespace {

using base::Json;
using base::JsonObject;
using base::Status;

constexpr std::string_view kReceiver = "self";
constexpr std::string_view kNotTracked = "?";
constexpr int kMaxBaseSteps = 16;  // more is a circle in the data

// "a.b.C" -> "a.b" and "C".
std::pair<std::string_view, std::string_view> split_last(std::string_view qualified) {
    const std::size_t dot = qualified.rfind('.');
    if (dot == std::string_view::npos) return {{}, qualified};
    return {qualified.substr(0, dot), qualified.substr(dot + 1)};
}

bool is_capitalised(std::string_view name) { return !name.empty() && name.front() >= 'A' && name.front() <= 'Z'; }

}  // namespace

class TypeFactsLoader {
public:
    TypeFactsLoader(TypeFacts& facts, const base::JsonDocument& document) : facts_(facts), document_(document) {}

    Status load() {
        TRY_ASSIGN(JsonObject file, JsonObject::of(document_, document_.root));
        TRY(load_classes(file));
        TRY(load_namespaces(file));
        TRY(load_functions(file));
        TRY(load_star_names(file));
        return file.finish();
    }

private:
    Status load_classes(JsonObject& file) {
        const Json* classes = file.optional("classes");
        if (classes == nullptr) return {};
        TRY_ASSIGN(const JsonObject all, JsonObject::of(document_, *classes));
        for (const auto& [name, value] : all.members()) {
            auto [entry, added] = facts_.classes_.try_emplace(name);
            if (!added) return all.error(value, base::format("the class {} is listed twice", name));
            TRY_ASSIGN(JsonObject object, JsonObject::of(document_, value));
            TRY_ASSIGN(entry->second.base, object.string_or("base", ""));
            TRY(load_members(object, "methods", true, entry->second));
            TRY(load_members(object, "attributes", false, entry->second));
            TRY(object.finish());
        }
        return {};
    }

    Status load_members(JsonObject& object, std::string_view key, bool methods, TypeFacts::Class& into) {
        const Json* lists = object.optional(key);
        if (lists == nullptr) return {};
        TRY_ASSIGN(JsonObject results, JsonObject::of(document_, *lists));
        for (const auto& [result, list] : results.members()) {
            TRY_ASSIGN(const std::vector<std::string> names, results.strings(result));
            for (const std::string& name : names) {
                const auto [entry, added] = into.members.try_emplace(name, TypeFacts::Member{methods, result});
                if (!added) return results.error(list, base::format("the member {} is listed twice", name));
            }
        }
        return results.finish();
    }

    Status load_namespaces(JsonObject& file) {
        const Json* namespaces = file.optional("namespaces");
        if (namespaces == nullptr) return {};
        TRY_ASSIGN(JsonObject all, JsonObject::of(document_, *namespaces));
        for (const auto& [name, value] : all.members()) {
            TRY_ASSIGN(std::string base, all.string(name));
            if (!facts_.namespaces_.try_emplace(name, std::move(base)).second) {
                return all.error(value, base::format("the namespace {} is listed twice", name));
            }
        }
        return all.finish();
    }

    Status load_functions(JsonObject& file) {
        const Json* functions = file.optional("functions");
        if (functions == nullptr) return {};
        TRY_ASSIGN(JsonObject results, JsonObject::of(document_, *functions));
        for (const auto& [result, list] : results.members()) {
            TRY_ASSIGN(const std::vector<std::string> names, results.strings(result));
            for (const std::string& name : names) {
                if (!facts_.functions_.try_emplace(name, result).second) {
                    return results.error(list, base::format("the function {} is listed twice", name));
                }
            }
        }
        return results.finish();
    }

    Status load_star_names(JsonObject& file) {
        const Json* modules = file.optional("star_names");
        if (modules == nullptr) return {};
        TRY_ASSIGN(JsonObject all, JsonObject::of(document_, *modules));
        for (const auto& [module, list] : all.members()) {
            TRY_ASSIGN(std::vector<std::string> names, all.strings(module));
            std::ranges::sort(names);
            if (std::ranges::adjacent_find(names) != names.end()) return all.error(list, "a name is listed twice");
            if (!facts_.star_names_.try_emplace(module, std::move(names)).second) {
                return all.error(list, base::format("the module {} is listed twice", module));
            }
        }
        return all.finish();
    }

    TypeFacts& facts_;
    const base::JsonDocument& document_;
};

base::Result<TypeFacts> TypeFacts::load(const base::DataStore& store) {
    TypeFacts facts;
    for (const std::string& path : store.list("rules/types/", ".json")) {
        TRY_ASSIGN(const base::JsonDocument document, base::read_rule_file(store, path));
        TRY(TypeFactsLoader(facts, document).load());
    }
    return facts;
}

std::string_view TypeFacts::base_of(std::string_view class_name) const {
    if (const auto found = classes_.find(class_name); found != classes_.end()) return found->second.base;
    const auto [module, name] = split_last(class_name);
    if (!is_capitalised(name)) return {};
    const auto found = namespaces_.find(module);
    return found == namespaces_.end() ? std::string_view{} : found->second;
}

bool TypeFacts::is_class(std::string_view name) const { return classes_.contains(name) || !base_of(name).empty(); }

std::optional<std::string_view> TypeFacts::base_class(std::string_view class_name) const {
    if (!is_class(class_name)) return std::nullopt;
    for (int steps = 0; steps < kMaxBaseSteps; ++steps) {
        const std::string_view base = base_of(class_name);
        if (base.empty() || base == class_name) break;
        class_name = base;
    }
    return class_name;
}

const TypeFacts::Member* TypeFacts::find_member(std::string_view class_name, std::string_view member) const {
    const auto found = classes_.find(class_name);
    if (found == classes_.end()) return nullptr;
    const auto entry = found->second.members.find(member);
    return entry == found->second.members.end() ? nullptr : &entry->second;
}

const TypeFacts::Member* TypeFacts::find_member(std::string_view qualified) const {
    const auto [class_name, member] = split_last(qualified);
    return find_member(class_name, member);
}

std::string_view TypeFacts::member_owner(std::string_view class_name, std::string_view member) const {
    for (int steps = 0; steps < kMaxBaseSteps; ++steps) {
        if (find_member(class_name, member) != nullptr) break;
        const std::string_view base = base_of(class_name);
        if (base.empty() || base == class_name) break;
        class_name = base;
    }
    return class_name;
}

bool TypeFacts::has_member(std::string_view class_name, std::string_view member) const {
    return find_member(class_name, member) != nullptr;
}

bool TypeFacts::is_method(std::string_view class_name, std::string_view member) const {
    const Member* found = find_member(class_name, member);
    return found != nullptr && found->method;
}

std::optional<std::string_view> TypeFacts::returned_class(std::string_view function) const {
    if (is_class(function)) return function;
    if (const auto found = functions_.find(function); found != functions_.end()) {
        if (found->second == kNotTracked) return std::nullopt;
        return found->second;
    }
    const Member* member = find_member(function);
    if (member == nullptr || !member->method || member->result == kNotTracked) return std::nullopt;
    if (member->result == kReceiver) return split_last(function).first;
    return member->result;
}

bool TypeFacts::returns_receiver(std::string_view method) const {
    const Member* member = find_member(method);
    return member != nullptr && member->method && member->result == kReceiver;
}

std::optional<std::string_view> TypeFacts::attribute_class(std::string_view class_name,
                                                           std::string_view attribute) const {
    const std::string_view owner = member_owner(class_name, attribute);
    const Member* member = find_member(owner, attribute);
    if (member == nullptr || member->method || member->result == kNotTracked) return std::nullopt;
    if (member->result == kReceiver) return class_name;
    return member->result;
}

std::span<const std::string> TypeFacts::star_names(std::string_view module) const {
    const auto found = star_names_.find(module);
    if (found == star_names_.end()) return {};
    return found->second;
}

void TypeFacts::add_class(const std::string& name, const std::string& base, std::span<const std::string> methods) {
    const auto [at, fresh] = classes_.try_emplace(name);
    if (!fresh) return;
    at->second.base = base;
    for (const std::string& method : methods) at->second.members[method] = {true, "?"};
}

}  // namespace migrator
