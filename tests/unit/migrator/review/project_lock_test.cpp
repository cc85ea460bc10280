#include <doctest/doctest.h>

#include "migrator/review/project_lock.h"
#include "tests/support/memory_file_system.h"

using migrator::ProjectLock;
using Files = std::vector<base::Path>;

TEST_CASE("project lock: a marker that cannot be written is not left, as no file has changed") {
    for (const int failing : {1, 2, 3}) {
        test::MemoryFileSystem fs;
        fs.fail_append(failing);
        {
            auto lock = ProjectLock::take(fs);
            REQUIRE(lock);
            const auto begun = lock->begin({"/p/.migrator/1.json", "abc"});
            CHECK_FALSE(begun);
            CHECK(begun.error().kind == base::ErrorKind::write_failed);
        }
        CHECK(fs.files().empty());
        CHECK(migrator::check_not_stopped(fs, "."));
    }
}

TEST_CASE("project lock: a run that is stopped leaves its marker, and the next one knows its record") {
    test::MemoryFileSystem fs;
    {
        auto lock = ProjectLock::take(fs);
        REQUIRE(lock);
        REQUIRE(lock->begin({"/p/.migrator/1.json", "abc"}));
    }
    CHECK(fs.files() == Files{".migrator.run"});
    auto next = ProjectLock::take(fs);
    REQUIRE(next);
    REQUIRE(next->stopped());
    CHECK(next->stopped()->record == "/p/.migrator/1.json");
    CHECK(next->stopped()->token == "abc");
}
