#include "migrator/ruleset/environment.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/format.h"
#include "base/text.h"
#include "migrator/ruleset/rule_set.h"

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

struct Option {
    std::string_view key, value;
};

// Of "a:1,b:2"; [256:1,512:2] is one value.
std::vector<Option> options_in(std::string_view text) {
    std::vector<Option> out;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : ',';
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c != ',' || (depth > 0 && at < text.size())) continue;
        const std::string_view item = base::trimmed(text.substr(begin, at - begin));
        begin = at + 1;
        if (item.empty()) continue;
        const std::size_t colon = std::min(item.find(':'), item.size());
        out.push_back(
            {base::trimmed(item.substr(0, colon)), base::trimmed(item.substr(std::min(colon + 1, item.size())))});
    }
    return out;
}

}  // namespace

base::Status EnvironmentRow::check(const base::JsonPlace& at) const {
    if ((same_values || !values.empty()) && !to)
        return at.error("a new value (\"same_values\", \"values\") needs a \"to\"");
    if (same_values && !values.empty()) return at.error("\"same_values\" and \"values\" exclude each other");
    return {};
}

base::Status add(RuleSet& set, EnvironmentRow row, const Adding& adding) {
    // Another name of a variable is right on one kind of machine only.
    if (adding.style.kind == StyleKind::portable) {
        row.same_values = false;
        row.values.clear();
    }
    return set.environment.add(std::move(row), adding.place);
}

base::Status EnvironmentIndex::add(EnvironmentRow row, const base::JsonPlace& at) {
    for (const EnvironmentRow& other : rows_) {
        if (row.name.ends_with('*') && other.name.ends_with('*') && other.name != row.name &&
            fits(other.name, row.name))
            return at.error(base::format("\"{}\" cannot be reached: \"{}\" covers it", row.name, other.name));
    }
    if (!exact_.emplace(row.name, rows_.size()).second)
        return at.error(base::format("there already is a variable \"{}\"", row.name));
    if (row.name.ends_with('*')) patterns_.push_back(rows_.size());
    rows_.push_back(std::move(row));
    return {};
}

const EnvironmentRow* EnvironmentIndex::find(std::string_view variable) const {
    const auto found = exact_.find(variable);
    if (found != exact_.end()) return &rows_[found->second];
    if (!std::ranges::all_of(variable, base::is_word_char)) return nullptr;
    for (const std::size_t number : patterns_) {
        if (fits(rows_[number].name, variable)) return &rows_[number];
    }
    return nullptr;
}

base::Status ValueLimits::check(const base::JsonPlace& at) const {
    if (multiple_of && *multiple_of <= 0) return at.error("\"multiple_of\" must be above 0");
    return {};
}

base::Status add(RuleSet& set, VariableValues row, const Adding& adding) {
    const std::string name = row.name;
    if (!set.variable_values.emplace(name, std::move(row)).second)
        return adding.place.error(base::format("there already is a row for the values of \"{}\"", name));
    return {};
}

base::Status add(RuleSet& set, ValueRemark row, const Adding& adding) {
    auto& remarks = set.value_remarks[row.name];
    for (const ValueRemark& other : remarks) {
        if (lower(other.value) == lower(row.value))
            return adding.place.error(
                base::format("there already is a row for the value \"{}\" of \"{}\"", row.value, row.name));
    }
    remarks.push_back(std::move(row));
    return {};
}

const ValueRemark* RuleSet::remark_on(std::string_view variable, std::string_view value) const {
    const auto found = value_remarks.find(variable);
    if (found == value_remarks.end()) return nullptr;
    for (const ValueRemark& remark : found->second) {
        if (lower(remark.value) == lower(value)) return &remark;
    }
    return nullptr;
}

const VariableValues* RuleSet::values_of(std::string_view variable) const {
    const auto found = variable_values.find(variable);
    return found == variable_values.end() ? nullptr : &found->second;
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
    if (const auto expected = expected_of(value))
        return base::Message("\"{value}\" is not {expected}.", {{"value", value}, {"expected", *expected}});
    const std::vector<Option> given = options.empty() ? std::vector<Option>{} : options_in(value);
    for (const Option& option : given) {
        const auto known = options.find(option.key);
        if (known == options.end()) return base::Message("There is no option \"{key}\".", {{"key", option.key}});
        if (const auto expected = known->second.expected_of(option.value))
            return base::Message("\"{value}\" of the option {key} is not {expected}.",
                                 {{"value", option.value}, {"key", option.key}, {"expected", *expected}});
    }
    for (const Option& option : given) {
        for (const auto& [with, without] : excludes) {
            if (lower(base::format("{}:{}", option.key, option.value)) != lower(with)) continue;
            for (const Option& other : given) {
                if (base::contains(without, other.key))
                    return base::Message("{option} excludes {other}: the program stops.",
                                         {{"option", with}, {"other", other.key}});
            }
        }
    }
    return std::nullopt;
}

}  // namespace migrator
