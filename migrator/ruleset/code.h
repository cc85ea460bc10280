// `call`, `index`, `taken_apart`, `training`: what code does, wherever its names come from.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

// `call`: calls of functions, and of methods on objects of known class.
struct CallRow {
    const Rule* rule = nullptr;
    std::vector<std::string> of;
    std::vector<std::string> given;          // the first argument is of one of these classes; empty: whatever it is
    std::vector<std::string> when_imported;  // methods of an object of unknown class count in files that import these
    std::vector<std::string> holds;   // functions, one of which is named in the arguments; empty: whatever they are
    std::vector<std::string> inside;  // words in the name of the function or class around; empty: wherever it is
    std::vector<std::string> not_inside;
};

constexpr auto record_of(const CallRow*) {
    return base::record(
        "call", "calls of functions and methods, said of the whole call",
        base::field("of", &CallRow::of, "functions and methods").needed(),
        base::field("given", &CallRow::given, "the first argument is of one of these classes"),
        base::field("when_imported", &CallRow::when_imported,
                    "methods of the same name on objects of unknown class count, as `likely`, in files that import "
                    "one of these"),
        base::field("holds", &CallRow::holds, "one of these names stands in the arguments"),
        base::field("inside", &CallRow::inside,
                    "a function or class around it has one of these words in its name, in small letters"),
        base::field("not_inside", &CallRow::not_inside, "and none has one of these"));
}

base::Status add(RuleSet& set, CallRow row, const Adding& adding);

// `index`: how something is picked by [...].
enum class IndexBy { comparison };
constexpr std::string_view name(IndexBy) { return "comparison"; }

struct IndexRow {
    const Rule* rule = nullptr;
    IndexBy by = IndexBy::comparison;
    std::vector<std::string> when_imported;
    std::vector<std::string>
        reduced;  // members, one of which is called on what is picked; empty: whatever is done with it
};

constexpr auto record_of(const IndexRow*) {
    return base::record(
        "index", "picking with `[...]`", base::field("by", &IndexRow::by, "`comparison`: a mask").needed(),
        base::field("when_imported", &IndexRow::when_imported, "in files that import one of these"),
        base::field("reduced", &IndexRow::reduced,
                    "and only where one of these members is called on what is picked; another rule is silent there"));
}

// `taken_apart`: values of these classes that are compared, indexed or unpacked.
struct TakenApartRow : NameList {
    static constexpr std::string_view kClaim = "values of {} that are taken apart";
    const Rule* rule = nullptr;
};

// `training`: files that train; said at the first training loop.
struct TrainingRow {
    const Rule* rule = nullptr;
    std::vector<std::string> uses;  // the file uses one of these names; empty: whatever it uses
    bool accumulates = false;       // the loop adds up gradients over several rounds
};

constexpr auto record_of(const TrainingRow*) {
    return base::record(
        "training", "files with a training loop, said at its first line",
        base::field("uses", &TrainingRow::uses, "and with one of these names"),
        base::field("accumulates", &TrainingRow::accumulates, "and that add up gradients over several rounds"));
}

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::IndexBy> = std::to_array({migrator::IndexBy::comparison});
