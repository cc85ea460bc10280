// ProfileDatabase: a database of Ascend's profiler. It may come from anybody: only tables are read, without views, triggers and functions
// of its own, in time and memory that grow with the file and not with what it claims.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_system.h"
#include "migrator/profile/profile_queries.h"
#include "migrator/profile/table_rows.h"

namespace migrator {

// What a question leaves open.
struct QueryValues {
    bool details = false;                                                // :details
    std::optional<std::pair<std::int64_t, std::int64_t>> nanoseconds{};  // :from and :to
};

class ProfileDatabase : public std::enable_shared_from_this<ProfileDatabase> {
public:
    // Fails with bad_input where it is no database, is cut off, or has changes beside it that are not in it yet.
    static base::Result<std::shared_ptr<ProfileDatabase>> open(base::FileSystem& fs, const base::Path& path,
                                                               const ProfileQueries& queries);
    ~ProfileDatabase();

    const base::Path& path() const;
    // Whether it has the tables; fails with bad_input where one of them is something else, such as a view.
    base::Result<bool> can_answer(const ProfileQuery& query) const;
    // The rows of the answer. Damage that is found on the way is damage of the rows.
    base::Result<std::unique_ptr<TableRows>> ask(const ProfileQuery& query, const QueryValues& values);

    class Connection;

private:
    explicit ProfileDatabase(std::unique_ptr<Connection> connection);

    std::unique_ptr<Connection> connection_;
};

// Whether a file begins as databases of SQLite do.
base::Result<bool> is_database(base::FileSystem& fs, const base::Path& path);

}  // namespace migrator
