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

// "a number from 0 to 1".
std::string wanted_number(const FromConfig& rule) {
    if (rule.least && rule.most) return base::format("a number from {} to {}", *rule.least, *rule.most);
    if (rule.least) return base::format("a number not below {}", *rule.least);
    return rule.most ? base::format("a number not above {}", *rule.most) : "a number";
}

// What must stand at `path` and does not, as the end of a sentence; empty where it does.
std::string wrong_given(const FromConfig& rule, const Json& value) {
    if (rule.whole)
        return is_all_whole(value) ? "" : base::format("must be a whole number, not {}", shown_value(value));
    if (!can_be_given(value, rule.fallback)) {
        return rule.fallback.string() != nullptr
                   ? base::format("must be a string, not {}", value.kind_name())
                   : base::format("must be {}, not {}", wanted_number(rule), value.kind_name());
    }
    return is_in_range(rule, value) ? "" : base::format("must be {}, not {}", wanted_number(rule), shown_value(value));
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
            const std::string wrong = wrong_given(*from, *found);
            if (wrong.empty()) break;
            return base::fail(ErrorKind::bad_input, base::format("\"{}\" {}", path, wrong), config.name);
        }
    }
    return {};
}

}  // namespace ckpt
