#include <doctest/doctest.h>

#include "migrator/report/formats.h"
#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;

TEST_CASE("report terminal: the whole text of a small report") {
    CHECK(report_terminal(test::small_report(), {0.04, {"out_report/report.html", "out_report/report.json"}}, {}) ==
          R"(migrator 1.2.3: migrated in to out in 0.0 s

  5 files, 2 analysed (4 lines), 1 changed

                           findings    error  warning     info   rewritten  to review
  CUDA API                        1        1        0        0           1          0
  Third-party packages            1        0        1        0           0          1
  total                           2        1        1        0           1          1

  1 finding needs a look before the first run.

  What a person must do first
    warning  Use torch_npu.npu_fusion_attention.
             train.py:2  [third_party.flash_attn]

  Notes
    The directory .git was not looked at.

  Report  out_report/report.html
          out_report/report.json
  Next    open the report and work through what is left to review
)");
}

TEST_CASE("report terminal: of analyze it leads to migrate") {
    FileOutcome file = test::train_outcome();
    file.findings[1].state = FixState::available;
    Report report = make_report({"analyze", {"my project"}, "", "1"}, {test::file_of(file)}, 1, {}, {});
    std::string text = report_terminal(report, {}, {});
    CHECK(text.find("analysed 'my project' in") != std::string::npos);
    CHECK(text.find("1 would change") != std::string::npos);
    CHECK(text.find("can rewrite") != std::string::npos);
    CHECK(text.find("Next    migrator migrate 'my project' -o OUT\n") != std::string::npos);
    report.run.paths = {"a", "b"};
    CHECK(report_terminal(report, {}, {}).find("migrator migrate PATH -o OUT\n") != std::string::npos);
}

TEST_CASE("report terminal: escape codes only with colour, and never from the project") {
    FileOutcome file = test::train_outcome();
    file.path = "\x1b[31mred.py";
    file.findings[0].finding.message = "two\nlines\x07";
    Report report = make_report({"analyze", {"\x1b]0;title\x07"}, "", "1"}, {test::file_of(file)}, 1, {}, {"\x1b[2J"});
    CHECK(report_terminal(report, {}, {}).find('\x1b') == std::string::npos);
    std::string coloured = report_terminal(report, {}, {.colour = true, .verbose = true});
    CHECK(coloured.find("\x1b[33m") != std::string::npos);
    CHECK(coloured.find("\x1b[31mred") == std::string::npos);
    CHECK(coloured.find("\x1b[2J") == std::string::npos);
}

TEST_CASE("report terminal: shortened lists say so, verbose ones are whole") {
    FileOutcome file = test::train_outcome();
    std::vector<base::Message> notes;
    for (int i = 0; i < 7; ++i) {
        file.findings.push_back(file.findings[0]);
        file.findings.back().finding.rule = "rule." + std::to_string(i);
        notes.push_back("Note " + std::to_string(i) + ".");
    }
    Report report = make_report({"migrate", {"in"}, "out", "1"}, {test::file_of(file)}, 1, {}, notes);
    std::string text = report_terminal(report, {}, {});
    CHECK(text.find("... and 3 more in the report") != std::string::npos);
    CHECK(text.find("... and 2 more in the report") != std::string::npos);
    CHECK(text.find("Note 5.") == std::string::npos);
    std::string verbose = report_terminal(report, {}, {.colour = false, .verbose = true});
    CHECK(verbose.find("more in the report") == std::string::npos);
    CHECK(verbose.find("Note 6.") != std::string::npos);
    CHECK(verbose.find("    train.py: 9 findings, changed\n") != std::string::npos);
}

TEST_CASE("report terminal: the next step") {
    auto next = [](const Report& report, std::vector<std::string> written) {
        std::string text = report_terminal(report, {0, std::move(written)}, {});
        return text.substr(text.find("Next    ") + 8);
    };
    CHECK(next(make_report({"analyze", {"in"}, "", "1"}, {}, 1, {}, {}), {}) == "nothing\n");
    CHECK(next(make_report({"migrate", {"in"}, "out", "1"}, {}, 1, {}, {}), {"r"}) ==
          "run the training script of out on a machine with torch_npu\n");
    FileOutcome open = test::train_outcome();
    open.findings.pop_back();
    open.edits.clear();
    CHECK(next(make_report({"analyze", {"in"}, "", "1"}, {test::file_of(open)}, 1, {}, {}), {}) ==
          "migrator analyze in --report DIR   write every finding to a page to work through\n");
    FileOutcome available = test::train_outcome();
    available.findings[1].state = FixState::available;
    CHECK(next(make_report({"migrate", {"in"}, "out", "1"}, {test::file_of(available)}, 1, {}, {}), {"r"}) ==
          "run again without `--apply none` to apply the fixes\n");
    // What is only faster is no reason to run again.
    available.findings[1].finding.kind = FindingKind::affinity;
    CHECK(next(make_report({"migrate", {"in"}, "out", "1"}, {test::file_of(available)}, 1, {}, {}), {"r"}) ==
          "open the report and work through what is left to review\n");
    CHECK(next(make_report({"migrate", {"in"}, "in", "1"}, {test::file_of(available)}, 1, {}, {}), {}) ==
          "migrator analyze in --report DIR   write what is left to a page to work through\n");
}

TEST_CASE("report terminal and Markdown: custom operators, each with what stands for it") {
    Report report = test::small_report();
    OperatorRow known;
    known.name = "ext.nms";
    known.bindings = {{"nms", "csrc/nms.cpp:3"}};
    known.kernels = {{"nms_kernel", "csrc/nms.cu:7"}};
    known.calls = {"a.py:2", "b.py:4"};
    known.what = "suppression of boxes";
    known.replacement = "torchvision.ops.nms";
    OperatorRow unknown;
    unknown.name = "torch.ops.mine.warp";
    unknown.bindings = {{"mine::warp", "csrc/warp.cpp:1"}};
    unknown.effort = Effort::rewrite;
    report.operators = {known, unknown};
    const std::string text = report_terminal(report, {}, {});
    CHECK(text.find("  Custom operators\n    ext.nms (suppression of boxes, 2 calls): use torchvision.ops.nms\n"
                    "    torch.ops.mine.warp (csrc/warp.cpp:1, never called): to rewrite\n") != text.npos);
    const std::string markdown = report_markdown(report);
    CHECK(markdown.find("| `ext.nms` `csrc/nms.cpp:3` | suppression of boxes | `csrc/nms.cu:7` | `a.py:2`, `b.py:4` | "
                        "`torchvision.ops.nms` |\n") != markdown.npos);
    CHECK(markdown.find("| `torch.ops.mine.warp` `csrc/warp.cpp:1` |  |  |  | (rewrite) |\n") != markdown.npos);
}
