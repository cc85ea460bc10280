// VariableValues: what is known of an environment variable of the NPU: rules/env/values.json, which both tools read.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_store.h"
#include "base/message.h"
#include "base/record.h"

namespace base {

// Of a number or a word.
struct ValueLimits {
    std::optional<double> min, max;      // inclusive
    std::optional<double> above, below;  // exclusive
    std::optional<double> multiple_of;
    std::vector<std::string> one_of;  // capitals make no difference
    bool numbers = false;             // with commas between them

    Status check(const JsonPlace& at) const;
    // What a value has to be, in words; empty: anything.
    Message words() const;
    bool takes(std::string_view value) const;
};

constexpr auto record_of(const ValueLimits*) {
    return record("value_limits", "which values there are", field("min", &ValueLimits::min, "at least"),
                  field("max", &ValueLimits::max, "at most"), field("above", &ValueLimits::above, "more than"),
                  field("below", &ValueLimits::below, "less than"),
                  field("multiple_of", &ValueLimits::multiple_of, "a multiple of"),
                  field("one_of", &ValueLimits::one_of, "one of these; capitals make no difference"),
                  field("numbers", &ValueLimits::numbers, "numbers with commas between them"));
}

// Another variable, or the same of another value, that must not be set as well.
struct NotBeside {
    std::string value;
    std::string other;
    std::string other_value;
    std::string note;
};

constexpr auto record_of(const NotBeside*) {
    return record("not_beside", "what must not be set as well",
                  field("value", &NotBeside::value, "of this variable; without it any"),
                  field("other", &NotBeside::other, "the other variable").needed().not_blank(),
                  field("other_value", &NotBeside::other_value, "of the other; without it any"),
                  field("note", &NotBeside::note, "what is said where both are set").needed().not_blank());
}

// Values that are parts of one kind: 0,1,2 or 8.0.
struct PartLimits {
    std::string separator;
    std::optional<std::uint64_t> count;
    ValueLimits each;

    bool takes(std::string_view value) const;
};

constexpr auto record_of(const PartLimits*) {
    return record("part_limits", "of a value that is several parts",
                  field("separator", &PartLimits::separator, "what stands between them").needed().not_blank(),
                  field("count", &PartLimits::count, "how many there are; without it any number"),
                  field("each", &PartLimits::each, "the limits of each").needed());
}

struct VariableValues : ValueLimits {
    std::string name;
    std::string meaning;
    std::string form;
    std::string otherwise;
    std::string unit;
    std::string use_when;
    std::string note;
    std::string since;
    std::string instead;
    std::string source;
    std::optional<PartLimits> parts;
    std::optional<ValueLimits> first;
    std::map<std::string, ValueLimits, std::less<>> options;
    std::map<std::string, std::vector<std::string>, std::less<>> excludes;
    std::vector<NotBeside> not_beside;

    // What is wrong with a value, in words; nullopt: nothing.
    std::optional<Message> problem_of(std::string_view value) const;

private:
    std::optional<Message> problem_of_options(std::string_view value) const;
};

constexpr auto record_of(const VariableValues*) {
    return extended(
        record_of(static_cast<const ValueLimits*>(nullptr)), "variable_values",
        "what is known of an environment variable",
        field("name", &VariableValues::name, "the variable").needed().not_blank(),
        field("meaning", &VariableValues::meaning, "what it does"),
        field("form", &VariableValues::form, "what its values look like, where the limits do not say it"),
        field("default", &VariableValues::otherwise, "what holds where nothing sets it"),
        field("unit", &VariableValues::unit, "of a number"),
        field("use_when", &VariableValues::use_when, "when to set it"),
        field("note", &VariableValues::note, "what to know besides"),
        field("since", &VariableValues::since, "the first version that reads it"),
        field("instead", &VariableValues::instead, "the variable that has taken its place"),
        field("source", &VariableValues::source, "where the fact comes from, if not from the table's source"),
        field("parts", &VariableValues::parts, "of a value that is several parts; messages say `form`"),
        field("first", &VariableValues::first, "the limits of what stands before the options"),
        field("options", &VariableValues::options,
              "of a list such as `a:1,b:2`, the limits of each key, which may end in `*`"),
        field("excludes", &VariableValues::excludes,
              "of such a list: an option with its value, `a:1`, to the options that must not be given with it"),
        field("not_beside", &VariableValues::not_beside, "what must not be set as well"));
}

// What is to be said of a value that a variable takes.
struct ValueRemark {
    std::string name;
    std::string value;
    std::string note;
    std::string source;
};

constexpr auto record_of(const ValueRemark*) {
    return record("value_remark", "a value that an environment variable takes, and what is to be said of it",
                  field("name", &ValueRemark::name, "the variable").needed(),
                  field("value", &ValueRemark::value, "the value; capitals make no difference").needed().not_blank(),
                  field("note", &ValueRemark::note, "the `{note}` of the message"),
                  field("source", &ValueRemark::source, "where the fact comes from, if not from the table's source"));
}

// A variable that is set somewhere.
struct SetVariable {
    std::string name;
    std::string value;
};

// Two of them that do not go together.
struct VariableClash {
    std::size_t at = 0;     // the later one
    std::size_t first = 0;  // the earlier one
    Message why;
};

using FindVariable = std::function<const VariableValues*(std::string_view)>;

// Of variables that are all set for one program, in this order.
std::vector<VariableClash> clashes_of(std::span<const SetVariable> set, const FindVariable& find);

// The table as a program reads it that knows no rules.
struct VariableTable {
    // A remark with what its table says of all.
    struct Remark {
        ValueRemark row;
        std::string severity;
        std::string message;
    };
    std::string severity;
    std::map<std::string, VariableValues, std::less<>> rows;
    std::vector<Remark> remarks;

    static Result<VariableTable> load(const DataStore& store);
    const VariableValues* find(std::string_view name) const;
    const Remark* remark_on(std::string_view name, std::string_view value) const;
};

}  // namespace base
