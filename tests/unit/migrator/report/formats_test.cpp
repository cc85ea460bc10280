#include "migrator/report/formats.h"

#include <doctest/doctest.h>

#include "base/json.h"
#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;

namespace {

// Names and texts as a hostile project may have them.
Report hostile_report() {
    FileOutcome file = test::train_outcome();
    file.path = "a%,:\n b.py";
    file.findings[0].finding.message = "=cmd|'/C calc'!A0 <script>& `x` ]]> \x01 \xFF\n::error::";
    file.findings[0].finding.subject = "@SUM(1)";
    return make_report({"analyze", {"in"}, "", "1"}, {test::file_of(file)}, 1, {}, {});
}

}  // namespace

TEST_CASE("formats: no cell of a CSV file can become a formula") {
    CHECK(report_csv(hostile_report()).find(",=cmd") == std::string::npos);
    CHECK(report_csv(hostile_report()).find("'@SUM(1)") != std::string::npos);
}

TEST_CASE("formats: a workflow command is one line, whatever a message holds") {
    const std::string text = report_github(hostile_report());
    CHECK(text.find("::warning file=a%25%2C%3A%0A b.py,line=2") == 0);
    CHECK(text.find("\n::error::") == std::string::npos);
}

TEST_CASE("formats: SARIF and GitLab's report are strict JSON") {
    std::string text;
    report_sarif(hostile_report(), [&](std::string_view part) { text += part; });
    auto sarif = base::parse_json(text, "sarif");
    REQUIRE(sarif);
    CHECK(*sarif->root.find("version")->string() == "2.1.0");
    const base::Json& run = (*sarif->root.find("runs")->array())[0];
    CHECK(*run.find("columnKind")->string() == "unicodeCodePoints");
    CHECK(run.find("results")->array()->size() == 2);
    REQUIRE(base::parse_json(report_gitlab(hostile_report()), "gitlab"));
}

TEST_CASE("formats: SARIF names the home of the program where the build knows it") {
    Report report = hostile_report();
    for (const char* homepage : {"", "https://example.org/toolkit"}) {
        report.run.homepage = homepage;
        std::string text;
        report_sarif(report, [&](std::string_view part) { text += part; });
        const auto sarif = base::parse_json(text, "sarif");
        REQUIRE(sarif);
        const base::Json* uri =
            (*sarif->root.find("runs")->array())[0].find("tool")->find("driver")->find("informationUri");
        CHECK((uri == nullptr ? "" : *uri->string()) == homepage);
    }
}

TEST_CASE("formats: JUnit's file has no character that XML does not have") {
    std::string text;
    report_junit(hostile_report(), [&](std::string_view part) { text += part; });
    CHECK(text.find('\x01') == std::string::npos);
    CHECK(text.find('\xFF') == std::string::npos);
    CHECK(text.find("<script>") == std::string::npos);
    CHECK(text.find("failures=\"1\"") != std::string::npos);
}

TEST_CASE("formats: Markdown takes no markup from a project") {
    const std::string text = report_markdown(hostile_report());
    CHECK(text.find("<script>") == std::string::npos);
    CHECK(text.find("\\`x\\`") != std::string::npos);
}
