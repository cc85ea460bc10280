// TypeFacts: what is known about external classes and functions, from rules/types/*.json: enough to decide what the
// receiver of a method call is.
//
//   { "classes":    { "torch.Tensor": { "base": "...",                    optional
//                                       "methods":    { RESULT: ["cuda", ...] },
//                                       "attributes": { RESULT: ["device", ...] } } },
//     "namespaces": { "torch.nn": "torch.nn.Module" },   each Capitalised name right in it is a class with this base
//     "functions":  { RESULT: ["torch.zeros", ...] },
//     "star_names": { "torch": ["zeros", ...] } }         what `from torch import *` binds
//
// RESULT is the class of the value: a name, "self" for the class of the receiver, or "?" when it is not tracked.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"
#include "base/string_map.h"

namespace migrator {

class TypeFacts {
public:
    // Loads every rules/types/*.json; strict: unknown keys and duplicate names are rule_data errors.
    static base::Result<TypeFacts> load(const base::DataStore& store);

    // A class that the files do not have: of a library. `base` may be empty. A class that is known stays as it is.
    void add_class(const std::string& name, const std::string& base, std::span<const std::string> methods);

    // The class of the value that calling `function` gives ("torch.zeros" -> "torch.Tensor"; a class gives itself; a
    // method that gives its receiver gives the class that has the method).
    std::optional<std::string_view> returned_class(std::string_view function) const;
    // Whether a method gives a value of the receiver's own class: "torch.nn.Module.to".
    bool returns_receiver(std::string_view method) const;
    // The class of a property or attribute: ("torch.Tensor", "device") -> "torch.device".
    std::optional<std::string_view> attribute_class(std::string_view class_name, std::string_view attribute) const;
    // True when `name` is a known class or one of a namespace of classes ("torch.nn.Linear").
    bool is_class(std::string_view name) const;
    // The last of the known bases of a class, itself when it has none: "torch.nn.Linear" -> "torch.nn.Module",
    // "torch.nn.Parameter" -> "torch.Tensor".
    std::optional<std::string_view> base_class(std::string_view class_name) const;
    // The names that `from module import *` binds, sorted.
    std::span<const std::string> star_names(std::string_view module) const;

    // The class, itself or one of its known bases, that lists the member; the last base when none does.
    std::string_view member_owner(std::string_view class_name, std::string_view member) const;
    // Whether the class itself lists the member, or lists it as a method.
    bool has_member(std::string_view class_name, std::string_view member) const;
    bool is_method(std::string_view class_name, std::string_view member) const;

private:
    struct Member {
        bool method = false;
        std::string result;  // a class name, "self" or "?"
    };
    struct Class {
        std::string base;
        base::StringMap<Member> members;
    };

    friend class TypeFactsLoader;
    const Member* find_member(std::string_view class_name, std::string_view member) const;
    const Member* find_member(std::string_view qualified) const;
    // The next class up; empty for none.
    std::string_view base_of(std::string_view class_name) const;

    base::StringMap<Class> classes_;
    base::StringMap<std::string> namespaces_;
    base::StringMap<std::string> functions_;
    std::map<std::string, std::vector<std::string>, std::less<>> star_names_;
};

}  // namespace migrator
