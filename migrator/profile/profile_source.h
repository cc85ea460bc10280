// ProfileSource: the parts of one profile, whether they are stored as text or in a database.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "migrator/profile/profile_database.h"
#include "migrator/profile/profile_files.h"
#include "migrator/profile/profile_names.h"
#include "migrator/profile/profile_tables.h"
#include "migrator/profile/record_trace.h"

namespace migrator {

enum class ProfilePart {
    kernels,
    memory,
    operator_memory,
    statistic,
    steps,
    communication,
    links,
    metadata,
    step_times
};

class ProfileSource {
public:
    ProfileSource() = default;
    // Ours: text where there is a trace, and where sums of the rank are text; msprof: a database of the profile hides all text, and is
    // restricted to the step as a whole. Fails as ProfileDatabase::open does, and with usage where there is no such step.
    static base::Result<ProfileSource> open(base::FileSystem& fs, ProfileFiles files, const ProfileTables& tables,
                                            const ProfileQueries& queries, ProfileNumbers numbers,
                                            std::optional<std::uint64_t> step = {});

    // What the events come from.
    const base::Path& trace_path() const { return trace_is_database_ ? files_.database : files_.trace; }
    // Whether there are tables beside the events.
    bool has_tables() const { return !files_.output.empty() || database_ != nullptr; }
    base::Result<std::unique_ptr<TraceSource>> events(const KeptParts& kept) const;

    // *_ascend_pt around the tables; empty: not given.
    const base::Path& folder() const { return files_.folder; }

    // For messages: the file that has the part, or would have it.
    base::Path path_of(ProfilePart part) const;
    // nullptr: there is no such table.
    base::Result<std::unique_ptr<TableRows>> table(ProfilePart part) const;
    // Of a part that is JSON; nothing: there is none.
    base::Result<std::optional<base::JsonDocument>> document(ProfilePart part) const;

private:
    base::Status find_step(std::uint64_t step);
    // A database and what to ask it; without a database there is none that has the part.
    struct Question {
        std::shared_ptr<ProfileDatabase> database;
        const ProfileQuery* query = nullptr;
    };
    const std::vector<ProfileQuery>& queries_of(ProfilePart part) const;
    std::string file_of(ProfilePart part) const;
    // The text file of the part; empty: it is not there, or not to be read.
    base::Path text_of(ProfilePart part) const;
    base::Result<Question> question_of(ProfilePart part) const;

    base::FileSystem* fs_ = nullptr;
    ProfileFiles files_;
    TableFiles names_;
    std::shared_ptr<const ProfileQueries> queries_;
    ProfileNumbers numbers_ = ProfileNumbers::ours;
    bool trace_is_database_ = false;
    QueryValues values_;
    std::shared_ptr<ProfileDatabase> database_;  // nullptr: the events are text
};

}  // namespace migrator
