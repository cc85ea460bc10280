#include "migrator/app/named_files.h"

#include <doctest/doctest.h>

#include "base/format.h"
#include "tests/support/memory_file_system.h"

using migrator::named_record;
using migrator::named_report;

TEST_CASE("named files: a directory stands for the report in it or next to it") {
    test::MemoryFileSystem fs;
    fs.add("review/report.json", "{}");
    fs.add("out/train.py", "");
    fs.add("out_report/report.json", "{}");
    CHECK(named_report(fs, "review/report.json") == "review/report.json");
    CHECK(named_report(fs, "review") == "review/report.json");
    CHECK(named_report(fs, "out/") == "out_report/report.json");
    CHECK(named_report(fs, "nothing") == "nothing");
}

TEST_CASE("named files: a project stands for the newest record of what was applied to it") {
    test::MemoryFileSystem fs;
    fs.add("p/train.py", "");
    CHECK(named_record(fs, "p").error().text().starts_with("p: there is no record of applied edits in it"));
    for (const char* record : {"applied", "applied_2", "applied_10"})
        fs.add(base::format("p/.migrator/{}/applied.json", record), "{}");
    fs.add("p/.migrator/applied_11/original/0_train.py", "");  // a run that was stopped before it had changed anything
    CHECK(*named_record(fs, "p") == "p/.migrator/applied_10");
    CHECK(*named_record(fs, "p/.migrator/applied") == "p/.migrator/applied");
    CHECK(named_record(fs, "pp").error().text() == "pp: there is no such file or directory; did you mean \"p\"?");
}
