// Small projects and what they become: golden/NAME/in, golden/NAME/expected (the files that change) and
// golden/NAME/findings.txt. MIGRATION_UPDATE_CASES=1 writes the outputs.
#include <doctest/doctest.h>

#include "base/file_system.h"
#include "base/format.h"
#include "tests/unit/migrator/rules/case_support.h"

namespace {

std::string root() { return test::source_dir() + "/tests/unit/migrator/rewrite/golden"; }

std::string findings_of(const std::vector<migrator::FileOutcome>& outcomes) {
    std::string out;
    for (const migrator::FileOutcome& outcome : outcomes) {
        if (!outcome.findings.empty()) out += base::format("{}\n{}", outcome.path, test::list_findings(outcome));
    }
    return out;
}

void write_golden(const std::string& directory, const std::vector<migrator::FileOutcome>& outcomes) {
    test::write_file(directory + "/findings.txt", findings_of(outcomes));
    for (const migrator::FileOutcome& outcome : outcomes) {
        if (outcome.changed()) test::write_file(directory + "/expected/" + outcome.path, outcome.rewritten);
    }
}

void check_golden(const std::string& directory, const std::vector<migrator::FileOutcome>& outcomes) {
    base::FileSystem& fs = base::real_file_system();
    auto findings = base::read_file(fs, directory + "/findings.txt");
    REQUIRE(findings);
    CHECK(findings_of(outcomes) == *findings);
    for (const migrator::FileOutcome& outcome : outcomes) {
        CAPTURE(outcome.path);
        auto expected = base::read_file(fs, directory + "/expected/" + outcome.path);
        CHECK(outcome.changed() == expected.has_value());
        if (expected) CHECK(outcome.rewritten == *expected);
    }
}

}  // namespace

TEST_CASE("golden projects: findings and outputs; a second run changes nothing") {
    auto projects = base::real_file_system().list(root());
    REQUIRE(projects);
    CHECK(projects->size() > 50);
    for (const base::DirectoryEntry& project : *projects) {
        CAPTURE(project.name);
        std::string directory = root() + "/" + project.name;
        std::vector<test::CaseFile> files = test::read_files(directory + "/in");
        std::vector<migrator::FileOutcome> outcomes = test::migrate(files);
        if (test::update_cases()) write_golden(directory, outcomes);
        else check_golden(directory, outcomes);
        for (std::size_t i = 0; i < files.size(); ++i) files[i].bytes = outcomes[i].rewritten;
        for (const migrator::FileOutcome& again : test::migrate(files)) CHECK_FALSE(again.changed());
    }
}
