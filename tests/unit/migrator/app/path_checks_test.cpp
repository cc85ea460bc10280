#include "migrator/app/path_checks.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

Options migrate_options(base::Path project, base::Path output) {
    Options options;
    options.command = Command::migrate;
    options.paths = {std::move(project)};
    options.report_directory = output + "_report";
    options.output = std::move(output);
    return options;
}

base::Error error_of(base::FileSystem& fs, const Options& options) {
    auto status = check_paths(fs, options);
    REQUIRE(!status);
    return status.error();
}

}  // namespace

TEST_CASE("path checks: normal paths") {
    CHECK(base::normal_path("a//b/./c/../d/") == "a/b/d");
    CHECK(base::normal_path("./") == ".");
    CHECK(base::normal_path("a/..") == ".");
    CHECK(base::normal_path("../a") == "../a");
    CHECK(base::normal_path("a/../../b") == "../b");
    CHECK(base::normal_path("/../a") == "/a");
    CHECK(base::normal_path("/") == "/");
}

TEST_CASE("path checks: a good migration passes") {
    test::MemoryFileSystem fs;
    fs.add("in/a.py", "");
    CHECK(check_paths(fs, migrate_options("in", "out")));
    CHECK(check_paths(fs, migrate_options("in", "in_npu")));
    CHECK(check_paths(fs, migrate_options("in/a.py", "in/out")));
    REQUIRE(fs.make_directories("empty"));
    CHECK(check_paths(fs, migrate_options("in", "empty")));
}

TEST_CASE("path checks: a missing input is bad input, everything else is wrong usage") {
    test::MemoryFileSystem fs;
    fs.add("in/a.py", "");
    fs.add("full/b.py", "");
    fs.add("file", "");
    fs.add("w/in/a.py", "");
    REQUIRE(fs.make_link("in", "w/link"));
    CHECK(error_of(fs, migrate_options("nope", "out")).kind == base::ErrorKind::bad_input);
    for (base::Path output : {"in", "in/out", "in/deep/out", "./in/../in/out", ".", "file"}) {
        CAPTURE(output);
        CHECK(error_of(fs, migrate_options("in", output)).kind == base::ErrorKind::usage);
    }
    CHECK(error_of(fs, migrate_options("w/in", "w/link")).kind == base::ErrorKind::usage);
    CHECK(error_of(fs, migrate_options("w/in", "w/link/out")).kind == base::ErrorKind::usage);
    Options options = migrate_options("in", "out");
    options.report_directory = "file";
    CHECK(error_of(fs, options).kind == base::ErrorKind::usage);
    options.report_directory = "out/report";
    CHECK(error_of(fs, options).kind == base::ErrorKind::usage);
    options.report_directory = "report";
    options.rules = "file";
    CHECK(error_of(fs, options).kind == base::ErrorKind::usage);
}
