// ProfileQueries: what Ascend's databases are asked for (rules/profiles/databases.json), in SQL.
#pragma once

#include <string>
#include <vector>

#include "base/rule_file.h"

namespace migrator {

// A question whose tables may be missing: then there is no answer, as where a file is missing.
struct ProfileQuery {
    std::vector<std::string> needs;  // tables
    std::vector<std::string> sql;    // lines of it
    std::string keeps;               // what of a trace it gives; empty: what is always kept

    std::string text() const;
};
constexpr auto record_of(const ProfileQuery*) {
    using Q = ProfileQuery;
    return base::record("profile_query", "a question to a database",
                        base::field("needs", &Q::needs, "tables without which there is no answer").needed(),
                        base::field("keeps", &Q::keeps, "asked only where this is kept: python, queue or runtime"),
                        base::field("sql", &Q::sql, "lines of SQL").needed());
}

// How a form of a profile is made from a database, in the order of their rows.
struct ProfileEvents {
    std::vector<ProfileQuery> ours, msprof;
};
constexpr auto record_of(const ProfileEvents*) {
    using E = ProfileEvents;
    return base::record("profile_events", "the events of a trace, by columns",
                        base::field("ours", &E::ours, "as the text form has them").needed(),
                        base::field("msprof", &E::msprof, "as msprof-analyze takes them").needed());
}

// Each with the columns of the text form, or with one cell that is its JSON. The first question that has an answer is asked.
struct QueriedTables {
    std::vector<ProfileQuery> kernels, msprof_kernels, memory, operator_memory, msprof_operator_memory, statistic,
        steps, communication, links, metadata, step_times;
};
constexpr auto record_of(const QueriedTables*) {
    using T = QueriedTables;
    return base::record(
        "queried_tables", "tables of a profile that are not its trace",
        base::field("kernels", &T::kernels, "each kernel").needed(),
        base::field("msprof_kernels", &T::msprof_kernels, "as msprof-analyze counts its units").needed(),
        base::field("memory", &T::memory, "the curve of memory").needed(),
        base::field("operator_memory", &T::operator_memory, "each allocation").needed(),
        base::field("msprof_operator_memory", &T::msprof_operator_memory, "in the order of msprof-analyze").needed(),
        base::field("statistic", &T::statistic, "kernels by type").needed(),
        base::field("steps", &T::steps, "the split of each step").needed(),
        base::field("communication", &T::communication, "each collective").needed(),
        base::field("links", &T::links, "each link").needed(),
        base::field("metadata", &T::metadata, "groups and variables").needed(),
        base::field("step_times", &T::step_times, "when each step began and ended").needed());
}

struct ProfileQueries : base::RuleFileHead {
    std::vector<std::string> profiles;  // how names of files begin
    std::vector<std::string> analyses;  // names of files
    std::string ending;
    ProfileQuery texts, stacks;
    ProfileEvents events;
    QueriedTables tables;
};
constexpr auto record_of(const ProfileQueries*) {
    using Q = ProfileQueries;
    return base::extended(
        base::record_for<base::RuleFileHead>(), "profile_queries", "how Ascend's databases are read",
        base::field("profiles", &Q::profiles, "how names of databases of a profile begin").needed(),
        base::field("analyses", &Q::analyses, "names of databases with sums of a rank").needed(),
        base::field("ending", &Q::ending, "how names of both end").needed(),
        base::field("texts", &Q::texts, "number and text of each text: text(NUMBER) in the other questions").needed(),
        base::field("stacks", &Q::stacks, "number of a stack and one frame, the innermost first: stack(NUMBER)")
            .needed(),
        base::field("events", &Q::events, "events of a trace").needed(),
        base::field("tables", &Q::tables, "tables").needed());
}

}  // namespace migrator
