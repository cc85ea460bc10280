#include "migrator/report/report.h"

#include <doctest/doctest.h>

#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;

namespace {

std::vector<std::string> ids_of(FileOutcome outcome) {
    std::vector<std::string> ids;
    for (const ReportFinding& item : test::file_of(std::move(outcome)).findings) ids.push_back(item.id);
    return ids;
}

Report report_of(Severity severity, FixState state) {
    FileOutcome file;
    file.path = "a.py";
    file.original = file.rewritten = "x\n";
    file.findings.push_back(test::finding_outcome("r", FindingKind::amp, severity, "s", "m", state, {1, 1}, {1, 2}));
    file.edits.push_back({{{0, 1}, "y"}, {0}});
    return make_report({"analyze", {"in"}, "", "1"}, {test::file_of(file)}, 1, {}, {});
}

}  // namespace

TEST_CASE("report: the summary counts files, lines and findings") {
    Report report = test::small_report();
    const ReportSummary& summary = report.summary;
    CHECK(summary.files_seen == 5);
    CHECK(summary.files_analysed == 2);
    CHECK(summary.files_changed == 1);
    CHECK(summary.files_with_problems == 0);
    CHECK(summary.lines == 4);
    CHECK(summary.findings == 2);
    CHECK(summary.applied == 1);
    CHECK(summary.to_review == 1);
    CHECK(summary.blocking == 0);
    CHECK(summary.by_severity.at("info") == 0);
    CHECK(summary.by_state.at("applied") == 1);
    CHECK(summary.verdict == Verdict::review);
    REQUIRE(summary.by_kind.size() == 2);
    CHECK(summary.by_kind[0].kind == FindingKind::cuda_api);
    CHECK(summary.by_kind[1].to_review == 1);
}

TEST_CASE("report: files with nothing to say are counted and dropped") {
    Report report = test::small_report();
    REQUIRE(report.files.size() == 1);
    CHECK(report.files[0].path == "train.py");
}

TEST_CASE("report: a file that does not parse is a file with a problem, and is listed") {
    FileOutcome file;
    file.path = "broken.py";
    file.type = FileType::python;
    file.original = file.rewritten = "def (\n";
    Report report = make_report({"analyze", {"in"}, "", "1"}, {test::file_of(file)}, 1, {}, {});
    CHECK(report.summary.files_with_problems == 1);
    CHECK(report.files.size() == 1);
}

TEST_CASE("report: one row per third-party package, with all its places") {
    FileOutcome other = test::train_outcome();
    other.path = "eval.py";
    Report report =
        make_report({"analyze", {"in"}, "", "1"}, {test::file_of(test::train_outcome()), test::file_of(other)}, 2,
                    {{"flash_attn", "replacement"}}, {});
    REQUIRE(report.third_party.size() == 1);
    CHECK(report.third_party[0].status == "replacement");
    CHECK(report.third_party[0].places == std::vector<std::string>{"eval.py:2", "train.py:2"});
    CHECK(report.third_party[0].finding_ids[1] == report.files[1].findings[0].id);
    CHECK(make_report({}, {test::file_of(other)}, 1, {}, {}).third_party[0].status == "unknown");
}

TEST_CASE("report: actions are grouped by rule, packages by name, the most severe first") {
    FileOutcome file = test::train_outcome();
    file.findings.push_back(file.findings[0]);
    file.findings.push_back(test::finding_outcome("ext", FindingKind::cuda_extension, Severity::error, "k", "Port it.",
                                                  FixState::none, {1, 1}, {1, 2}));
    Report report = make_report({"migrate", {"in"}, "out", "1"}, {test::file_of(file)}, 1, {}, {});
    REQUIRE(report.actions.size() == 2);
    CHECK(report.actions[0].rule == "ext");
    CHECK(report.actions[1].findings == 2);
    CHECK(report.actions[1].files == 1);
    CHECK(report.actions[1].place == "train.py:2");
    CHECK(report.summary.sentence.text() == "1 finding blocks the first run on Ascend NPU, and 2 more need a look.");
}

TEST_CASE("report: an action lists its subjects once, a package has its own") {
    auto open_finding = [](FindingKind kind, std::string subject) {
        return test::finding_outcome("same.rule", kind, Severity::warning, subject, "About " + subject, FixState::none,
                                     {1, 1}, {1, 2});
    };
    FileOutcome file;
    file.path = "a.py";
    file.original = file.rewritten = "x\n";
    for (const char* subject : {"one", "two", "one"})
        file.findings.push_back(open_finding(FindingKind::cuda_api, subject));
    for (const char* subject : {"apex", "dali"})
        file.findings.push_back(open_finding(FindingKind::third_party, subject));
    Report report = make_report({}, {test::file_of(file)}, 1, {}, {});
    REQUIRE(report.actions.size() == 3);
    CHECK(report.actions[0].findings == 3);
    CHECK(report.actions[0].message == "About one");
    CHECK(report.actions[0].subjects == std::vector<std::string>{"one", "two"});
    CHECK(report.actions[1].subjects == std::vector<std::string>{"apex"});
}

TEST_CASE("report: a finding without a fix shows its lines, one of a whole file shows none") {
    FileOutcome file = test::train_outcome();
    file.findings[0].old_text.clear();
    file.findings[0].end = {3, 2};
    file.findings[1].finding.kind = FindingKind::file;
    file.findings[1].old_text.clear();
    ReportFile made = test::file_of(file);
    CHECK(made.findings[0].outcome.old_text == "import flash_attn\nx = torch.cuda.current_device()");
    CHECK(made.findings[1].outcome.old_text.empty());
    file.findings[0].end = {99, 1};
    CHECK(test::file_of(file).findings[0].outcome.old_text.empty());
}

TEST_CASE("report: what only follows the edit of another finding is settled with it, and counted with none") {
    FileOutcome file = test::train_outcome();
    file.findings.push_back(file.findings.back());
    file.findings.back().begin = {3, 20};
    const ReportSummary summary = make_report({}, {test::file_of(file)}, 1, {}, {}).summary;
    CHECK(summary.findings == 3);
    CHECK(summary.applied == 1);
    CHECK(summary.to_review == 1);
    CHECK(summary.by_kind.front().applied == 1);
}

TEST_CASE("report: the verdict") {
    const ReportSummary unseen = make_report({}, {}, 1, {}, {}).summary;
    CHECK(unseen.verdict == Verdict::review);
    CHECK(unseen.sentence == "No file was analysed, so nothing is known of the project.");
    CHECK(report_of(Severity::info, FixState::none).summary.verdict == Verdict::ready);
    CHECK(report_of(Severity::error, FixState::applied).summary.verdict == Verdict::ready);
    CHECK(report_of(Severity::error, FixState::available).summary.verdict == Verdict::convertible);
    CHECK(report_of(Severity::warning, FixState::uncertain).summary.verdict == Verdict::review);
    CHECK(report_of(Severity::error, FixState::conflict).summary.verdict == Verdict::blocked);
    CHECK(report_of(Severity::error, FixState::available).summary.sentence.text() ==
          "1 finding can be rewritten automatically; nothing else is left to do.");
}

TEST_CASE("report: open findings decide --fail-on") {
    CHECK(has_open_finding(report_of(Severity::warning, FixState::available), Severity::warning));
    CHECK(!has_open_finding(report_of(Severity::warning, FixState::none), Severity::error));
    CHECK(!has_open_finding(report_of(Severity::error, FixState::applied), Severity::info));
}

TEST_CASE("finding ids: stay when lines move and when the line is indented") {
    FileOutcome moved = test::train_outcome();
    moved.original = "# one\n# two\nif True:\n    import flash_attn\n    x = torch.cuda.current_device()\n";
    moved.findings[0].begin = {4, 12};
    moved.findings[1].begin = {5, 9};
    CHECK(ids_of(moved) == ids_of(test::train_outcome()));
}

TEST_CASE("finding ids: differ by path, rule, subject, line and occurrence") {
    std::vector<std::string> base = ids_of(test::train_outcome());
    CHECK(base[0] != base[1]);
    CHECK(base[0].size() == 16);
    FileOutcome other_path = test::train_outcome();
    other_path.path = "b.py";
    CHECK(ids_of(other_path)[0] != base[0]);
    FileOutcome other_line = test::train_outcome();
    other_line.original = "import torch\nimport flash_attn  # noqa\n\n";
    other_line.edits.clear();
    CHECK(ids_of(other_line)[0] != base[0]);
    FileOutcome twice = test::train_outcome();
    twice.findings.insert(twice.findings.begin(), twice.findings[0]);
    std::vector<std::string> ids = ids_of(twice);
    CHECK(ids[0] == base[0]);
    CHECK(ids[1] != base[0]);
    CHECK(ids[2] == base[1]);
}

TEST_CASE("finding ids: a finding of a file without text has one") {
    FileOutcome file;
    file.path = "bad.py";
    file.findings.push_back(test::finding_outcome("file.encoding", FindingKind::file, Severity::error, "bad.py",
                                                  "Not UTF-8.", FixState::none, {12, 1}, {12, 1}));
    ReportFile made = make_report_file(file, "\xFF\xFE", "\xFF\xFE");
    CHECK(made.findings[0].id.size() == 16);
    CHECK(!made.changed);
}

TEST_CASE("report diff: of the bytes, with the text beside it where they differ") {
    FileOutcome file = test::train_outcome();
    ReportFile made = make_report_file(file, "\xEF\xBB\xBF" + file.original, "\xEF\xBB\xBF" + file.rewritten);
    CHECK(made.diff.find("\xEF\xBB\xBF") != std::string::npos);
    CHECK(made.text_diff.find("\xEF\xBB\xBF") == std::string::npos);
    CHECK(test::file_of(test::train_outcome()).text_diff.empty());
    std::string diff = test::diff_of(test::small_report());
    CHECK(diff.find("+import torch_npu\n") != std::string::npos);
    CHECK(diff.find("-x = torch.cuda.current_device()\n") != std::string::npos);
}

TEST_CASE("report: what is left to a person, by the costliest open finding of a file") {
    auto file_with = [](Effort effort, FixState state) {
        FileOutcome file;
        file.path = "a.py";
        file.original = file.rewritten = "x\n";
        file.findings.push_back(
            test::finding_outcome("r", FindingKind::amp, Severity::warning, "s", "m", state, {1, 1}, {1, 2}));
        file.findings.back().finding.effort = effort;
        return test::file_of(file);
    };
    CHECK(file_with(Effort::port, FixState::applied).readiness == Readiness::ready);
    CHECK(file_with(Effort::none, FixState::none).readiness == Readiness::ready);
    CHECK(file_with(Effort::edit, FixState::none).readiness == Readiness::small_work);
    CHECK(file_with(Effort::replace, FixState::none).readiness == Readiness::blocked);
    // There is a fix to look at.
    CHECK(file_with(Effort::rewrite, FixState::uncertain).readiness == Readiness::small_work);

    ReportFile other = file_with(Effort::rewrite, FixState::none);
    other.path = "b.py";
    other.findings[0].outcome.finding.rule = "costly";
    const Report report =
        make_report({"analyze", {"in"}, "", "1"}, {file_with(Effort::check, FixState::none), other}, 2, {}, {});
    CHECK(report.summary.by_effort == std::map<Effort, std::uint64_t>{{Effort::check, 1}, {Effort::rewrite, 1}});
    CHECK(report.summary.by_readiness ==
          std::map<Readiness, std::uint64_t>{{Readiness::small_work, 1}, {Readiness::blocked, 1}});
    REQUIRE(report.actions.size() == 2);
    CHECK(report.actions[0].rule == "costly");
    CHECK(report.actions[0].effort == Effort::rewrite);
}
