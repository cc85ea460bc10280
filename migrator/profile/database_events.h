// DatabaseEvents: the events of a profile that is stored as a database, as a trace of an NPU would have them.
#pragma once

#include <memory>
#include <vector>

#include "migrator/profile/profile_database.h"
#include "migrator/profile/record_trace.h"
#include "migrator/profile/trace_source.h"

namespace migrator {

class DatabaseEvents : public TraceSource {
public:
    // Only what is kept is asked for. Fails with bad_input where the database has none of the tables.
    static base::Result<std::unique_ptr<DatabaseEvents>> open(std::shared_ptr<ProfileDatabase> database,
                                                              const std::vector<ProfileQuery>& queries,
                                                              const KeptParts& kept, const QueryValues& values);

    TraceKind kind() const override { return TraceKind::npu; }
    bool is_database() const override { return true; }
    base::Result<const TraceEvent*> next() override;

private:
    DatabaseEvents(std::shared_ptr<ProfileDatabase> database, const QueryValues& values)
        : database_(std::move(database)), values_(values) {}

    std::shared_ptr<ProfileDatabase> database_;
    const QueryValues values_;
    std::vector<ProfileQuery> queries_;  // those that have an answer
    std::size_t asked_ = 0;
    std::unique_ptr<TableRows> rows_;
    TraceEvent event_;
};

}  // namespace migrator
