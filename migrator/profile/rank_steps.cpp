#include "migrator/profile/rank_steps.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/format.h"

namespace migrator {
namespace {

constexpr double kLongestStepUs = 9e10;  // 25 hours
constexpr double kRoundingUs = 1;        // what differences of times may be below 0
constexpr double kOtherUnits = 100;      // times as long as it can be

}  // namespace

RankStep Rank::sum() const {
    RankStep out;
    for (const RankStep& step : steps) {
        out.computing += step.computing;
        out.uncovered += step.uncovered;
        out.free += step.free;
        out.stage += step.stage;
        out.bubble += step.bubble;
    }
    return out;
}

base::Result<std::vector<RankStep>> read_steps(const ProfileSource& source, const StepColumns& names) {
    const auto fail = [&](const std::string& what) {
        return base::fail(base::ErrorKind::bad_input, what, source.path_of(ProfilePart::steps));
    };
    TRY_ASSIGN(const auto table, source.table(ProfilePart::steps));
    if (!table) return fail("it is not there");
    TableRows& rows = *table;
    struct Place {
        const ColumnNames& names;
        double RankStep::*time;
        bool is_needed;
        std::optional<std::size_t> column{};
    } places[] = {{names.computing, &RankStep::computing, true},
                  {names.uncovered, &RankStep::uncovered, true},
                  {names.free, &RankStep::free, true},
                  {names.stage, &RankStep::stage, false},
                  {names.bubble, &RankStep::bubble, false}};
    for (Place& place : places) {
        place.column = rows.column(place.names);
        if (!place.column && place.is_needed)
            return fail(base::format("it has no column {}, so that it is not a table of steps", place.names.front()));
    }
    const auto step = rows.column(names.step);
    std::vector<RankStep> out;
    for (;;) {
        TRY_ASSIGN(const bool has_row, rows.next());
        if (!has_row) break;
        RankStep item;
        item.step = rows[step];
        for (const Place& place : places) {
            const std::string_view text = rows[place.column];
            if (text.empty() || text == "N/A") continue;
            const double time = rows.number(place.column);
            if (!(time > -kRoundingUs && time <= kLongestStepUs))
                return fail(base::format("{} of step {} is \"{}\", which is not a time in microseconds",
                                         place.names.front(), item.step, text));
            item.*place.time = std::max(time, 0.0);
        }
        out.push_back(std::move(item));
    }
    if (!rows.damage().empty()) return fail(rows.damage());
    if (out.empty()) return fail("it has no step");
    if (std::ranges::all_of(out, [](const RankStep& item) { return item.whole() == 0; }))
        return fail("all times in it are 0");
    return out;
}

CommonSteps keep_common_steps(std::vector<Rank>& ranks) {
    std::optional<std::set<std::string>> common;
    std::set<std::string> all;
    for (const Rank& rank : ranks) {
        std::set<std::string> of_rank;
        for (const RankStep& step : rank.steps) of_rank.insert(step.step);
        if (of_rank.empty()) continue;
        all.insert(of_rank.begin(), of_rank.end());
        if (common) std::erase_if(*common, [&](const std::string& step) { return !of_rank.contains(step); });
        else common = of_rank;
    }
    if (!common || *common == all) return {};
    if (common->empty())
        return {false,
                {{"No step is in the tables of all ranks, so that ranks cannot be compared: give the folders of one "
                  "run"}}};
    std::vector<std::string> left_out;
    std::ranges::set_difference(all, *common, std::back_inserter(left_out));
    for (Rank& rank : ranks)
        std::erase_if(rank.steps, [&](const RankStep& step) { return !common->contains(step.step); });
    return {true, {{"Steps that not all ranks have are left out: {steps}", {{"steps", base::joined(left_out, ", ")}}}}};
}

bool is_in_other_units(const Rank& rank, double longest, double sum) {
    double longest_step = 0, uncovered = 0;
    for (const RankStep& step : rank.steps) {
        longest_step = std::max(longest_step, step.whole());
        uncovered += step.uncovered;
    }
    if (longest <= 0 || longest_step <= 0) return false;
    return longest > kOtherUnits * longest_step || uncovered > kOtherUnits * sum;
}

std::string step_number(const std::string& step) {
    return step.substr(std::min(step.find_first_of("0123456789"), step.size()));
}

}  // namespace migrator
