#include "migrator/app/options.h"

#include <doctest/doctest.h>

using namespace migrator;

namespace {

base::Result<CommandLine> parse(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "migrator");
    return parse_command_line(static_cast<int>(arguments.size()), arguments.data());
}

Options options(std::vector<const char*> arguments) {
    auto line = parse(std::move(arguments));
    REQUIRE(line);
    REQUIRE(line->options);
    return *line->options;
}

std::string usage_error(std::vector<const char*> arguments) {
    auto line = parse(std::move(arguments));
    REQUIRE(!line);
    CHECK(line.error().kind == base::ErrorKind::usage);
    return line.error().text();
}

}  // namespace

TEST_CASE("options: analyze") {
    Options plain = options({"analyze", "a", "b"});
    CHECK(plain.command == Command::analyze);
    CHECK(plain.paths == std::vector<base::Path>{"a", "b"});
    CHECK(plain.report_directory.empty());
    CHECK(plain.threads == 0);
    CHECK(plain.progress);
    CHECK(!plain.fail_on);
    Options full = options({"analyze", "--report",      "r/",   "--format",  "html,diff", "--include",
                            "*.py",    "--include",     "*.sh", "--exclude", "old/",      "-j",
                            "3",       "--rules",       "more", "--fail-on", "warning",   "--json",
                            "-v",      "--no-progress", "in"});
    CHECK(full.paths == std::vector<base::Path>{"in"});
    CHECK(full.report_directory == "r");
    CHECK(!full.formats.json);
    CHECK(full.formats.html);
    CHECK(full.formats.diff);
    CHECK(full.include == std::vector<std::string>{"*.py", "*.sh"});
    CHECK(full.exclude == std::vector<std::string>{"old/"});
    CHECK(full.threads == 3);
    CHECK(full.rules == "more");
    CHECK(full.fail_on == Severity::warning);
    CHECK(full.json);
    CHECK(full.verbose);
    CHECK(!full.progress);
}

TEST_CASE("options: migrate puts the report beside the output") {
    Options plain = options({"migrate", "in", "-o", "out/"});
    CHECK(plain.command == Command::migrate);
    CHECK(plain.output == "out");
    CHECK(plain.report_directory == "out_report");
    CHECK(plain.apply == ApplyMode::safe);
    Options full = options({"migrate", "-o", "out", "--report", "r", "--apply", "none", "-q", "in"});
    CHECK(full.report_directory == "r");
    CHECK(full.apply == ApplyMode::none);
    CHECK(!full.progress);
}

TEST_CASE("options: help and version are text, not errors") {
    for (std::vector<const char*> arguments :
         {std::vector<const char*>{"--help"}, {"analyze", "-h"}, {"migrate", "--help"}}) {
        auto line = parse(arguments);
        REQUIRE(line);
        CHECK(!line->options);
        CHECK(line->text.find("Examples:") != std::string::npos);
    }
    CHECK(parse({"migrate", "--help"})->text.find("--output OUT") != std::string::npos);
    CHECK(parse({"--version"})->text.starts_with("migrator "));
}

TEST_CASE("options: where the result of a migration goes") {
    CHECK(options({"migrate", "in", "-o", "out"}).destination == Destination::copy);
    CHECK(options({"migrate", "in", "--in-place"}).destination == Destination::in_place);
    CHECK(options({"migrate", "in", "--diff"}).destination == Destination::diff);
    CHECK(options({"migrate", "in", "--check"}).destination == Destination::check);
    CHECK(options({"migrate", "in", "--check"}).report_directory.empty());
    CHECK(options({"explain", "a.b"}).rule == "a.b");
    CHECK(options({"rules"}).command == Command::rules);
}

TEST_CASE("options: wrong usage says what is wrong and where the help is") {
    CHECK(usage_error({}).find("migrator --help") != std::string::npos);
    CHECK(usage_error({"analyze"}).find("PATH is required; see migrator analyze --help") != std::string::npos);
    CHECK(usage_error({"migrate", "in"}).find("--output OUT, --in-place, --diff or --check") != std::string::npos);
    CHECK(usage_error({"migrate", "in", "-o", "out", "--check"}).find("exclude each other") != std::string::npos);
    CHECK(usage_error({"migrate", "in", "--diff", "--json"}).find("exclude each other") != std::string::npos);
    CHECK(usage_error({"transmogrify", "in"}).find("transmogrify") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--nope"}).find("--nope") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--report", "r", "--format", "pdf"}).find("pdf") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--format", "html"}).find("--report") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "-j", "0"}).find("--jobs") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "--fail-on", "sometimes"}).find("sometimes") != std::string::npos);
    CHECK(usage_error({"analyze", "in", "-q", "-v"}).find("exclude each other") != std::string::npos);
    CHECK(usage_error({"analyze", ""}).find("PATH is empty") != std::string::npos);
    CHECK(usage_error({"migrate", "a", "b", "-o", "out"}) != "");
    CHECK(usage_error({"analyze", "in", "--apply", "none"}) != "");
}
