#include "base/variable_values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/format.h"
#include "base/lower_case.h"
#include "base/rule_file.h"
#include "base/text.h"

namespace base {
namespace {

bool is_alike(std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); }

std::optional<double> number_of(std::string_view text) {
    char* end = nullptr;
    const std::string copy(text);
    const double value = std::strtod(copy.c_str(), &end);
    if (copy.empty() || end != copy.c_str() + copy.size() || !std::isfinite(value)) return std::nullopt;
    return value;
}

struct ValueOption {
    std::string_view key, value;
};

// Of "a:1,b:2"; [256:1,512:2] is one value.
std::vector<ValueOption> options_in(std::string_view text) {
    std::vector<ValueOption> out;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t at = 0; at <= text.size(); ++at) {
        const char c = at < text.size() ? text[at] : ',';
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c != ',' || (depth > 0 && at < text.size())) continue;
        const std::string_view item = trimmed(text.substr(begin, at - begin));
        begin = at + 1;
        if (item.empty()) continue;
        const std::size_t colon = std::min(item.find(':'), item.size());
        out.push_back({trimmed(item.substr(0, colon)), trimmed(item.substr(std::min(colon + 1, item.size())))});
    }
    return out;
}

// The tables of the file, as far as they are needed here.
template <typename Row>
struct VariableFileTable {
    std::string id, kind, severity, effort, once, message, source, match;
    std::vector<Row> rows;
};
template <typename Row>
constexpr auto record_of(const VariableFileTable<Row>*) {
    using T = VariableFileTable<Row>;
    return record(
        "variable_table", "variables, one row each", field("id", &T::id, "as of a rule").needed(),
        field("kind", &T::kind, "as of a rule").needed(), field("severity", &T::severity, "as of a rule").needed(),
        field("effort", &T::effort, "as of a rule"), field("once", &T::once, "as of a rule"),
        field("message", &T::message, "as of a rule").needed(), field("source", &T::source, "as of a rule").needed(),
        field("match", &T::match, "what its rows are").needed(), field("rows", &T::rows, "the variables").needed());
}
template <typename Row>
struct VariableFile : RuleFileHead {
    std::vector<VariableFileTable<Row>> tables;
};
template <typename Row>
constexpr auto record_of(const VariableFile<Row>*) {
    return extended(record_of(static_cast<const RuleFileHead*>(nullptr)), "variable_file", "what is known of variables",
                    field("tables", &VariableFile<Row>::tables, "one or several").needed());
}
struct RemarkRow : ValueRemark {
    std::string effort;
};
constexpr auto record_of(const RemarkRow*) {
    return extended(record_of(static_cast<const ValueRemark*>(nullptr)), "remark_row", "a remark",
                    field("effort", &RemarkRow::effort, "as of a rule"));
}

// What a variable or a hole in a text stands for is not known.
bool may_be_numbers(std::string_view value) {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return value.find_first_of("${%<(\x01") != value.npos || std::ranges::none_of(value, is_letter);
}

// The second of two values of one list replaces the first, unless it takes it over.
bool replaces(const SetVariable& earlier, const SetVariable& later) {
    return earlier.name == later.name && earlier.value != later.value && !earlier.value.empty() &&
           later.value.find(earlier.value) == std::string::npos;
}

// Whether both values could be one list.
bool goes_with(const VariableValues& row, const SetVariable& earlier, const SetVariable& later) {
    const std::string both = format("{},{}", earlier.value, later.value);
    if (row.problem_of(both)) return false;
    const std::vector<ValueOption> old = options_in(earlier.value), given = options_in(later.value);
    return std::ranges::none_of(given, [&](const ValueOption& one) {
        return std::ranges::any_of(old, [&](const ValueOption& other) { return one.key == other.key; });
    });
}

std::string_view replaced_sentence(bool goes_together) {
    return goes_together ? "{name} is set twice, and the second value replaces the first, {value}: write one value, "
                           "with commas between its parts."
                         : "{name} is set twice, and the second value replaces the first, {value}, which does not go "
                           "with it: keep one of them.";
}

}  // namespace

Status ValueLimits::check(const JsonPlace& at) const {
    if (multiple_of && *multiple_of <= 0) return at.error("\"multiple_of\" must be above 0");
    return {};
}

Message ValueLimits::words() const {
    Message out;
    const auto want = [&](Message one) {
        out = out.empty() ? std::move(one) : Message("{some}, {another}", {{"some", out}, {"another", std::move(one)}});
    };
    const auto bound = [&](const std::optional<double>& value, std::string_view words) {
        if (value) want({words, {{"bound", format("{}", *value)}}});
    };
    bound(min, "at least {bound}");
    bound(max, "at most {bound}");
    bound(above, "above {bound}");
    bound(below, "below {bound}");
    bound(multiple_of, "a multiple of {bound}");
    if (numbers) want("numbers with commas between them");
    if (!one_of.empty()) want({"one of {words}", {{"words", joined(one_of, ", ")}}});
    return out;
}

bool ValueLimits::takes(std::string_view value) const {
    const auto number = number_of(value);
    const auto holds = [&](const std::optional<double>& bound, auto compare) {
        return !bound || (number && compare(*number, *bound));
    };
    return holds(min, std::greater_equal<>()) && holds(max, std::less_equal<>()) && holds(above, std::greater<>()) &&
           holds(below, std::less<>()) && holds(multiple_of, [](double a, double b) { return std::fmod(a, b) == 0; }) &&
           (!numbers || may_be_numbers(value)) &&
           (one_of.empty() ||
            std::ranges::any_of(one_of, [&](const std::string& word) { return is_alike(word, value); }));
}

bool PartLimits::takes(std::string_view value) const {
    std::uint64_t found = 0;
    while (true) {
        const std::size_t end = value.find(separator);
        if (!each.takes(trimmed(value.substr(0, end)))) return false;
        ++found;
        if (end == value.npos) break;
        value.remove_prefix(end + separator.size());
    }
    return !count || found == *count;
}

std::optional<Message> VariableValues::problem_of(std::string_view value) const {
    const auto is_not = [&](std::string_view part, const Message& expected) {
        return Message("\"{value}\" is not {expected}.", {{"value", part}, {"expected", expected}});
    };
    if (!takes(value)) return is_not(value, words());
    if (parts && !parts->takes(value)) return is_not(value, form);
    if (!first) return problem_of_options(value);
    const std::size_t end = std::min(value.find(','), value.size());
    const std::string_view begin = trimmed(value.substr(0, end));
    return first->takes(begin) ? problem_of_options(value.substr(end)) : is_not(begin, first->words());
}

std::optional<Message> VariableValues::problem_of_options(std::string_view value) const {
    const std::vector<ValueOption> given = options.empty() ? std::vector<ValueOption>{} : options_in(value);
    for (const ValueOption& option : given) {
        const auto known = std::ranges::find_if(options, [&](const auto& one) {
            const std::string& key = one.first;
            return key.ends_with('*') ? option.key.starts_with(trimmed(key, "*")) : key == option.key;
        });
        if (known == options.end()) return Message("There is no option \"{key}\".", {{"key", option.key}});
        if (!known->second.takes(option.value))
            return Message("\"{value}\" of the option {key} is not {expected}.",
                           {{"value", option.value}, {"key", option.key}, {"expected", known->second.words()}});
    }
    for (const ValueOption& option : given) {
        for (const auto& [with, without] : excludes) {
            if (!is_alike(format("{}:{}", option.key, option.value), with)) continue;
            for (const ValueOption& other : given) {
                if (contains(without, other.key))
                    return Message("{option} excludes {other}: the program stops.",
                                   {{"option", with}, {"other", other.key}});
            }
        }
    }
    return std::nullopt;
}

std::vector<VariableClash> clashes_of(std::span<const SetVariable> set, const FindVariable& find) {
    std::map<std::string_view, std::size_t> last;  // what holds when all are set
    std::vector<VariableClash> out;
    for (std::size_t i = 0; i < set.size(); ++i) {
        const auto [before, is_first] = last.try_emplace(set[i].name, i);
        const VariableValues* row = find(set[i].name);
        if (!is_first && row != nullptr && !row->options.empty() && replaces(set[before->second], set[i]))
            out.push_back({i, before->second,
                           Message(replaced_sentence(goes_with(*row, set[before->second], set[i])),
                                   {{"name", set[i].name}, {"value", set[before->second].value}})});
        before->second = i;
    }
    for (const auto& [name, at] : last) {
        const VariableValues* row = find(name);
        if (row == nullptr) continue;
        for (const NotBeside& one : row->not_beside) {
            const auto other = last.find(one.other);
            if (other == last.end() || (!one.value.empty() && !is_alike(one.value, set[at].value)) ||
                (!one.other_value.empty() && !is_alike(one.other_value, set[other->second].value)))
                continue;
            out.push_back({std::max(at, other->second), std::min(at, other->second), Message(one.note)});
        }
    }
    return out;
}

Result<VariableTable> VariableTable::load(const DataStore& store) {
    TRY_ASSIGN(auto file, read_rule_record<VariableFile<VariableValues>>(store, "rules/env/values.json"));
    TRY_ASSIGN(auto of_values, read_rule_record<VariableFile<RemarkRow>>(store, "rules/env/remarks.json"));
    VariableTable out;
    for (auto& table : file.tables) {
        out.severity = table.severity;
        for (VariableValues& row : table.rows) out.rows.emplace(row.name, std::move(row));
    }
    for (auto& table : of_values.tables) {
        for (RemarkRow& row : table.rows) out.remarks.push_back({std::move(row), table.severity, table.message});
    }
    return out;
}

const VariableTable::Remark* VariableTable::remark_on(std::string_view name, std::string_view value) const {
    const auto found = std::ranges::find_if(
        remarks, [&](const Remark& remark) { return remark.row.name == name && is_alike(remark.row.value, value); });
    return found == remarks.end() ? nullptr : &*found;
}

const VariableValues* VariableTable::find(std::string_view name) const {
    const auto found = rows.find(name);
    return found == rows.end() ? nullptr : &found->second;
}

}  // namespace base
