// ModelValues: the sizes and switches of one concrete model, by the names of its mapping file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/mapping/model_mapping.h"

namespace ckpt {

// Largest number of layers accepted from a config; keeps a corrupt one from using all memory.
inline constexpr std::int64_t kMaxLayers = 100'000;

// Values by name. Those that differ by layer are only here when a config or saved arguments list them.
struct ModelValues : std::map<std::string, std::int64_t, std::less<>> {
    using map::map;
    std::map<std::string, std::vector<std::int64_t>, std::less<>> by_layer;
};

// Integers, flags, and floats that are whole ("8.0", as some configs have it); nullopt of anything else.
std::optional<std::int64_t> whole_number(const Json& json);

// The values of a mapping from config.json. Fails with bad_input when one is missing or no whole number.
Result<ModelValues> values_from_config(const ModelMapping& mapping, const JsonDocument& config);
// The same from the arguments of a Megatron checkpoint; `where` names the checkpoint.
Result<ModelValues> values_from_arguments(const ModelMapping& mapping, const Json& args, const std::string& where);

// What saved arguments say of one value, whatever they call it; nullopt when they do not. When they say that it does not
// apply (no query groups), it is the default, computed from `values`. Fails with bad_input.
Result<std::optional<std::int64_t>> value_from_arguments(const ValueRule& rule, const Json& args,
                                                         const ModelValues& values, const std::string& where);

// A lookup over values that expressions can use; `extra` (tp, pp ...) wins.
Expression::Lookup lookup_in(const ModelValues& values, const ModelValues& extra = {});
// The text with each {name} replaced by its number; empty when one is unknown.
std::string with_numbers(std::string_view text, const std::map<std::string, std::int64_t, std::less<>>& numbers);
// True when the condition is absent or not zero.
Result<bool> holds(const std::optional<Expression>& condition, const Expression::Lookup& lookup);

}  // namespace ckpt
