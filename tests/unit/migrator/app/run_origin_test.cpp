#include "migrator/app/run_origin.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "tests/support/memory_file_system.h"

using namespace migrator;

TEST_CASE("origin: the command, quoted, without what changes no report") {
    const char* const words[] = {"/usr/bin/migrator", "analyze", "my project", "-j",  "4",
                                 "--jobs=2",          "-j3",     "--exclude",  "it's"};
    CHECK(told_command(9, words) == "migrator analyze 'my project' --exclude 'it'\\''s'");
}

TEST_CASE("origin: the time is that of SOURCE_DATE_EPOCH") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py", "");
    Options options;
    options.paths = {"p"};
    const char* const words[] = {"migrator", "analyze", "p"};
    const char* before = std::getenv("SOURCE_DATE_EPOCH");
    const std::string kept = before != nullptr ? before : "";
    ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
    note_origin(fs, 3, words, options);
    if (before != nullptr) ::setenv("SOURCE_DATE_EPOCH", kept.c_str(), 1);
    else ::unsetenv("SOURCE_DATE_EPOCH");
    CHECK(options.origin.date == "2023-11-14T22:13:20Z");
    CHECK(options.origin.command_line == "migrator analyze p");
    CHECK(options.origin.commit.empty());
}
