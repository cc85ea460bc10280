#include "ckpt_convert/mapping/given_values.h"

#include <algorithm>

#include "base/format.h"
#include "ckpt_convert/mapping/model_values.h"

namespace ckpt {
namespace {

bool is_number(const Json& json) {
    return json.integer() != nullptr || json.real() != nullptr || std::holds_alternative<std::uint64_t>(json.value());
}

// What programs are given as the config has it: a number, a switch or a list of numbers; a text only where the family's usual value
// is one.
bool can_be_given(const Json& value, const Json& usual) {
    if (usual.string() != nullptr) return value.string() != nullptr;
    const auto* items = value.array();
    if (items != nullptr) return !items->empty() && std::all_of(items->begin(), items->end(), is_number);
    return is_number(value) || (value.boolean() != nullptr && !is_number(usual));
}

bool is_whole(const Json& json) {
    const auto number = json.boolean() != nullptr ? std::nullopt : whole_number(json);
    return number && *number >= 0;
}

bool is_all_whole(const Json& json) {
    const auto* items = json.array();
    return items == nullptr ? is_whole(json) : !items->empty() && std::all_of(items->begin(), items->end(), is_whole);
}

// `number` is one.
double as_real(const Json& number) {
    if (const auto* integer = number.integer()) return static_cast<double>(*integer);
    if (const auto* real = number.real()) return *real;
    return static_cast<double>(std::get<std::uint64_t>(number.value()));
}

bool is_in_range(const FromConfig& rule, const Json& value) {
    if (const auto* items = value.array())
        return std::all_of(items->begin(), items->end(), [&](const Json& item) { return is_in_range(rule, item); });
    if (!is_number(value)) return true;
    const double number = as_real(value);
    return (!rule.least || number >= *rule.least) && (!rule.most || number <= *rule.most);
}

Status out_of_range(const FromConfig& rule, std::string_view path, const Json& value, const std::string& where) {
    const std::string shown = shown_value(value);
    if (rule.least && rule.most)
        return base::fail(ErrorKind::bad_input,
                          base::format("\"{}\" must be from {} to {}, not {}", path, *rule.least, *rule.most, shown),
                          where);
    if (rule.least)
        return base::fail(ErrorKind::bad_input,
                          base::format("\"{}\" must be {} or more, not {}", path, *rule.least, shown), where);
    return base::fail(ErrorKind::bad_input, base::format("\"{}\" must be {} or less, not {}", path, *rule.most, shown),
                      where);
}

Status check_value(const FromConfig& rule, std::string_view path, const Json& value, const std::string& where) {
    if (rule.whole && !is_all_whole(value))
        return base::fail(ErrorKind::bad_input,
                          base::format("\"{}\" must be a whole number, not {}", path, shown_value(value)), where);
    if (!rule.whole && !can_be_given(value, rule.fallback))
        return base::fail(ErrorKind::bad_input,
                          rule.fallback.string() != nullptr
                              ? base::format("\"{}\" must be a string, not {}", path, value.kind_name())
                              : base::format("\"{}\" must be a number, not {}", path, value.kind_name()),
                          where);
    return is_in_range(rule, value) ? Status() : out_of_range(rule, path, value, where);
}

}  // namespace

std::string shown_value(const Json& json) {
    if (const auto* integer = json.integer()) return base::format("{}", *integer);
    if (const auto* real = json.real()) return base::format("{}", *real);
    return std::string(json.kind_name());
}

Status check_given(const std::vector<ArgumentRule>& rules, const JsonDocument& config) {
    for (const ArgumentRule& rule : rules) {
        const auto* from = std::get_if<FromConfig>(&rule.value);
        for (const std::string& path : from == nullptr ? std::vector<std::string>{} : from->paths) {
            const Json* found = config.root.find_path(path);
            if (found == nullptr || found->is_null()) continue;
            TRY(check_value(*from, path, *found, config.name));
            break;
        }
    }
    return {};
}

}  // namespace ckpt
