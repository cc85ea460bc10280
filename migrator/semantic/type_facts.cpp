#include "migrator/semantic/type_facts.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/record.h"
#include "base/rule_file.h"

namespace migrator {
namespace {

using base::Status;
using Texts = std::map<std::string, std::string>;
using Lists = std::map<std::string, std::vector<std::string>>;

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

struct ClassFacts {
    std::string base;
    Lists methods, attributes;
};
constexpr auto record_of(const ClassFacts*) {
    using base::field;
    return base::record("class", "what a class has", field("base", &ClassFacts::base, "its nearest base that is known"),
                        field("methods", &ClassFacts::methods, "by the class of what they give"),
                        field("attributes", &ClassFacts::attributes, "by their class"));
}

struct TypeFile {
    std::map<std::string, ClassFacts> classes;
    Texts namespaces;
    Lists functions, star_names;
};
constexpr auto record_of(const TypeFile*) {
    using base::field;
    return base::record("types", "what is known about external classes and functions",
                        field("classes", &TypeFile::classes, "by name"),
                        field("namespaces", &TypeFile::namespaces, "modules whose classes all have this base"),
                        field("functions", &TypeFile::functions, "by the class of what they give"),
                        field("star_names", &TypeFile::star_names, "what `from module import *` binds"));
}

}  // namespace

class TypeFactsLoader {
public:
    TypeFactsLoader(TypeFacts& facts, const base::Path& path) : facts_(facts), path_(path) {}

    Status add(TypeFile file) {
        for (auto& [name, known] : file.classes) {
            auto [entry, added] = facts_.classes_.try_emplace(name);
            if (!added) return wrong(base::format("the class {} is listed twice", name));
            entry->second.base = std::move(known.base);
            TRY(add_members(known.methods, true, entry->second));
            TRY(add_members(known.attributes, false, entry->second));
        }
        for (auto& [name, base] : file.namespaces)
            if (!facts_.namespaces_.try_emplace(name, std::move(base)).second)
                return wrong(base::format("the namespace {} is listed twice", name));
        for (const auto& [result, names] : file.functions)
            for (const std::string& name : names)
                if (!facts_.functions_.try_emplace(name, result).second)
                    return wrong(base::format("the function {} is listed twice", name));
        for (auto& [module, names] : file.star_names) {
            std::ranges::sort(names);
            if (std::ranges::adjacent_find(names) != names.end()) return wrong("a name is listed twice");
            if (!facts_.star_names_.try_emplace(module, std::move(names)).second)
                return wrong(base::format("the module {} is listed twice", module));
        }
        return {};
    }

private:
    Status add_members(const Lists& lists, bool methods, TypeFacts::Class& into) {
        for (const auto& [result, names] : lists)
            for (const std::string& name : names)
                if (!into.members.try_emplace(name, TypeFacts::Member{methods, result}).second)
                    return wrong(base::format("the member {} is listed twice", name));
        return {};
    }

    tl::unexpected<base::Error> wrong(std::string what) const {
        return base::fail(base::ErrorKind::rule_data, std::move(what), path_);
    }

    TypeFacts& facts_;
    const base::Path& path_;
};

base::Result<TypeFacts> TypeFacts::load(const base::DataStore& store) {
    TypeFacts facts;
    for (const std::string& path : store.list("rules/types/", ".json")) {
        TRY_ASSIGN(TypeFile file, base::read_rule_record<TypeFile>(store, path));
        TRY(TypeFactsLoader(facts, path).add(std::move(file)));
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
