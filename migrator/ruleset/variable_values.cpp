#include "migrator/ruleset/variable_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"

namespace migrator {
namespace {

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

std::optional<double> number_of(std::string_view text) {
    char* end = nullptr;
    const std::string copy(text);
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || end != copy.c_str() + copy.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

base::Result<std::optional<double>> optional_number(base::JsonObject& object, std::string_view key) {
    if (object.optional(key) == nullptr) return std::optional<double>{};
    const base::Json* json = object.optional(key);
    if (json->integer() != nullptr) return std::optional<double>{static_cast<double>(*json->integer())};
    if (json->real() != nullptr) return std::optional<double>{*json->real()};
    return object.error(*json, base::format("\"{}\" must be a number", key));
}

}  // namespace

base::Result<ValueLimits> ValueLimits::read(base::JsonObject& object) {
    ValueLimits out;
    TRY_ASSIGN(out.min, optional_number(object, "min"));
    TRY_ASSIGN(out.max, optional_number(object, "max"));
    TRY_ASSIGN(out.above, optional_number(object, "above"));
    TRY_ASSIGN(out.below, optional_number(object, "below"));
    TRY_ASSIGN(out.multiple_of, optional_number(object, "multiple_of"));
    if (out.multiple_of && *out.multiple_of <= 0) return object.error("\"multiple_of\" must be above 0");
    TRY_ASSIGN(out.one_of, object.strings("one_of"));
    return out;
}

std::optional<base::Message> ValueLimits::expected_of(std::string_view value) const {
    base::Message wanted;
    const auto want = [&](base::Message one) {
        wanted = wanted.empty() ? std::move(one)
                                : base::Message("{some}, {another}", {{"some", wanted}, {"another", std::move(one)}});
    };
    bool is_right = true;
    const auto number = number_of(value);
    const auto check = [&](const std::optional<double>& bound, std::string_view words, auto holds) {
        if (!bound) return;
        want({words, {{"bound", base::format("{}", *bound)}}});
        is_right &= number && holds(*number, *bound);
    };
    check(min, "at least {bound}", [](double a, double b) { return a >= b; });
    check(max, "at most {bound}", [](double a, double b) { return a <= b; });
    check(above, "above {bound}", [](double a, double b) { return a > b; });
    check(below, "below {bound}", [](double a, double b) { return a < b; });
    check(multiple_of, "a multiple of {bound}", [](double a, double b) { return std::fmod(a, b) == 0; });
    if (!one_of.empty()) {
        want({"one of {words}", {{"words", base::joined(one_of, ", ")}}});
        is_right &= std::any_of(one_of.begin(), one_of.end(),
                                [&](const std::string& word) { return lower(word) == lower(value); });
    }
    if (is_right) return std::nullopt;
    return wanted;
}

std::optional<base::Message> VariableValues::problem_of(std::string_view value) const {
    if (const auto expected = limits.expected_of(value))
        return base::Message("\"{value}\" is not {expected}.", {{"value", value}, {"expected", *expected}});
    if (options.empty()) return std::nullopt;
    // [256:1,512:2] is one value.
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= value.size(); ++at) {
        const char c = at < value.size() ? value[at] : ',';
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c != ',' || (depth > 0 && at < value.size())) continue;
        const std::string_view item = base::trimmed(value.substr(begin, at - begin));
        begin = at + 1;
        if (item.empty()) continue;
        const std::size_t colon = std::min(item.find(':'), item.size());
        const std::string_view key = base::trimmed(item.substr(0, colon));
        const auto known = options.find(key);
        if (known == options.end()) return base::Message("There is no option \"{key}\".", {{"key", key}});
        const std::string_view given = base::trimmed(item.substr(std::min(colon + 1, item.size())));
        if (const auto expected = known->second.expected_of(given))
            return base::Message("\"{value}\" of the option {key} is not {expected}.",
                                 {{"value", given}, {"key", key}, {"expected", *expected}});
    }
    return std::nullopt;
}

}  // namespace migrator
