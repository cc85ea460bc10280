// VariableValues: which values an environment variable takes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "base/message.h"

namespace migrator {

struct Rule;

// Of a number or a word.
struct ValueLimits {
    std::optional<double> min, max;      // inclusive
    std::optional<double> above, below;  // exclusive
    std::optional<double> multiple_of;
    std::vector<std::string> one_of;  // capitals make no difference

    // Reads the keys of this struct from an object that may have others.
    static base::Result<ValueLimits> read(base::JsonObject& object);
    // What the value has to be, in words, when it is not that; nullopt: it is right.
    std::optional<base::Message> expected_of(std::string_view value) const;
};

struct VariableValues {
    const Rule* rule = nullptr;
    ValueLimits limits;
    std::map<std::string, ValueLimits, std::less<>> options;  // of a value such as "a:1,b:2"; empty: it is no such list

    // What is wrong with a value, in words; nullopt: nothing.
    std::optional<base::Message> problem_of(std::string_view value) const;
};

}  // namespace migrator
