// RankSteps: the steps of one rank, from its table of them, and whether the ranks of a run have the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/message.h"
#include "migrator/profile/profile_source.h"
#include "migrator/profile/profile_tables.h"

namespace migrator {

// A step of a rank, in microseconds.
struct RankStep {
    std::string step;
    double computing = 0, uncovered = 0, free = 0, stage = 0, bubble = 0;

    double whole() const { return computing + uncovered + free; }
};

struct Rank {
    std::string name;  // its number, or the name of its folder where that is not told
    base::Path folder;
    std::vector<RankStep> steps;

    RankStep sum() const;
};

// Fails with bad_input where there is no such table, where it is none, is cut off, has no row, or a time that is none.
base::Result<std::vector<RankStep>> read_steps(const ProfileSource& source, const StepColumns& names);

struct CommonSteps {
    bool are_there = true;
    std::vector<base::Message> notes;  // what was left out
};
// Leaves the steps that all ranks have which have any. Where they share none, all stay.
CommonSteps keep_common_steps(std::vector<Rank>& ranks);

// Whether the table has other units than the collectives of the same rank: they cannot last much longer than its longest step, and what
// is not covered cannot be much more than they take. `longest`, `sum`: of collectives, in microseconds; 0: none.
bool is_in_other_units(const Rank& rank, double longest, double sum);

// Of "step13" and "13" the number.
std::string step_number(const std::string& step);

}  // namespace migrator
