// `program`: files that are run, not imported, and load a module, directly or through other files of the project.
#pragma once

#include "migrator/rule/rule_word.h"

namespace migrator {

struct ProgramFix {
    std::vector<std::string> insert;
    std::string behind;  // the import of this module, where that comes first
};
constexpr auto record_of(const ProgramFix*) {
    return base::record(
        "program_fix", "what is written into the program",
        base::field("insert", &ProgramFix::insert, "statements before the first import that may load the module")
            .needed(),
        base::field("behind", &ProgramFix::behind,
                    "rather after the import of this module, where that comes before the first import of the module "
                    "or of the project"));
}

struct ProgramRow {
    const Rule* rule = nullptr;
    std::string loads;   // "torch"
    std::string unless;  // nothing to do where this name is imported already
    ProgramFix fix{};
};

constexpr auto record_of(const ProgramRow*) {
    return base::record(
        "program", "files that are run and not imported",
        base::field("loads", &ProgramRow::loads, "and load this module, directly or through other files of the project")
            .needed(),
        base::field("unless", &ProgramRow::unless, "not where this name is imported already").needed());
}

base::Status add(RuleSet& set, ProgramRow row, ProgramFix fix, const Adding& adding);

}  // namespace migrator
