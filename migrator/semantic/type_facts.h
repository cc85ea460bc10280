// TypeFacts: what is known about external classes and functions, from rules/types/*.json: enough to decide what the
// receiver of a method call is.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/result.h"

namespace migrator {

class TypeFacts {
public:
    // Loads every rules/types/*.json; strict: unknown keys and duplicate names are rule_data errors.
    static base::Result<TypeFacts> load(const base::DataStore& store);

    // The class of the value that calling `function` gives ("torch.zeros" -> "torch.Tensor"; a class gives itself).
    std::optional<std::string_view> returned_class(std::string_view function) const;
    // The class of a property or attribute: ("torch.Tensor", "device") -> "torch.device".
    std::optional<std::string_view> attribute_class(std::string_view class_name, std::string_view attribute) const;
    // True when `name` is a known class or one of a namespace of classes ("torch.nn.Linear").
    bool is_class(std::string_view name) const;
    // The nearest listed base of a class, itself included: "torch.nn.Linear" -> "torch.nn.Module".
    std::optional<std::string_view> base_class(std::string_view class_name) const;
    // The names that `from module import *` binds.
    std::span<const std::string> star_names(std::string_view module) const;

private:
    std::map<std::string, std::string, std::less<>> returns_;
    std::map<std::string, std::string, std::less<>> attributes_;  // "class.attribute" -> class
    std::map<std::string, std::string, std::less<>> bases_;       // class -> base
    std::map<std::string, std::string, std::less<>> namespaces_;  // "torch.nn." + Capitalised -> base
    std::map<std::string, std::vector<std::string>, std::less<>> star_names_;
};

}  // namespace migrator
