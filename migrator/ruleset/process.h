// `process`: processes that work with the device of their own number, and do not choose it first.
#pragma once

#include "migrator/ruleset/parameters.h"

namespace migrator {

struct ProcessFix {
    static constexpr std::string_view kNumber = "{number}";
    std::string insert;

    base::Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const ProcessFix*) {
    return base::record("process_fix", "what is written where the process begins",
                        base::field("insert", &ProcessFix::insert,
                                    "a statement with {number}, the expression that the device is made of")
                            .needed());
}

struct ProcessRow {
    const Rule* rule = nullptr;
    std::vector<std::string> joins;
    std::vector<std::string> starts;
    std::vector<std::string> chosen_by;
    std::vector<ParameterRow> numbers;
    std::vector<std::string> members;
    std::vector<std::string> texts;
    ProcessFix fix{};
};

constexpr auto record_of(const ProcessRow*) {
    return base::record(
        "process", "where a process begins that makes a device out of its number, and does not choose it",
        base::field("joins", &ProcessRow::joins, "functions by which a process joins the others: it begins after them")
            .needed(),
        base::field("starts", &ProcessRow::starts,
                    "functions that start processes, with the function that they run first: it begins there")
            .needed(),
        base::field("chosen_by", &ProcessRow::chosen_by, "names that a file has which chooses the device itself")
            .needed(),
        base::field("numbers", &ProcessRow::numbers, "parameters that take the number of a device").needed(),
        base::field("members", &ProcessRow::members, "methods whose first argument is one, if it is not text").needed(),
        base::field("texts", &ProcessRow::texts, "texts before one: `cuda:`").needed());
}

base::Status add(RuleSet& set, ProcessRow row, ProcessFix fix, const Adding& adding);

}  // namespace migrator
