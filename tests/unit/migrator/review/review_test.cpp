#include <doctest/doctest.h>

#include "base/sha256.h"
#include "migrator/app/pipeline.h"
#include "migrator/app/review_commands.h"
#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

constexpr const char* kTrain =
    "import torch\n"
    "\n"
    "x = torch.zeros(1)\n"
    "torch.cuda.synchronize()\n"
    "y = torch.device('cuda')\n";
constexpr const char* kMigrated =
    "import torch\n"
    "import torch_npu\n"
    "\n"
    "x = torch.zeros(1)\n"
    "torch.npu.synchronize()\n"
    "y = torch.device('npu')\n";

// A project with a report of it; everything is in place.
struct Reviewed {
    test::MemoryFileSystem fs;

    Reviewed() {
        fs.add("in/train.py", kTrain, 0755);
        Options options;
        options.paths = {"in"};
        options.report_directory = "review";
        options.progress = false;
        REQUIRE(run(options, fs));
    }

    base::Result<std::string> command(Command command, const std::string& decisions) {
        Options options;
        options.command = command;
        options.review.report = "review/report.json";
        options.review.record = command == Command::apply ? "" : "review/applied";
        options.review.in_place = true;
        if (!decisions.empty()) {
            fs.add("decisions.json", "{\"schema\": \"migrator-decisions/1\", \"decisions\": [" + decisions + "]}");
            options.review.decisions = "decisions.json";
        }
        return review_command(options, fs);
    }
};

}  // namespace

TEST_CASE("sha256: the examples of the standard") {
    CHECK(base::sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(base::sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(base::sha256_hex(std::string(1000000, 'a')) ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("review: apply makes what migrate makes, and undo takes it back") {
    Reviewed project;
    REQUIRE(project.command(Command::apply, ""));
    CHECK(project.fs.content("in/train.py") == kMigrated);
    CHECK(project.fs.info("in/train.py")->mode == 0755);
    REQUIRE(project.command(Command::undo, ""));
    CHECK(project.fs.content("in/train.py") == kTrain);
    CHECK(!project.fs.exists("review/applied"));
}

TEST_CASE("review: only what was accepted is made, with the import that it needs") {
    Reviewed project;
    auto done = project.command(Command::apply, R"({"folder": "", "decision": "reject"},
        {"rule": "cuda.renamed", "decision": "accept"})");
    REQUIRE(done);
    CAPTURE(*done);
    const std::string text = project.fs.content("in/train.py");
    CHECK(text.find("torch.npu.synchronize()") != std::string::npos);
    CHECK(text.find("import torch_npu\n") != std::string::npos);
    CHECK(text.find("torch.device('cuda')") != std::string::npos);
}

TEST_CASE("review: a source that has changed is refused, and nothing is written") {
    Reviewed project;
    project.fs.add("in/train.py", std::string(kTrain) + "# more\n");
    auto done = project.command(Command::apply, "");
    REQUIRE(!done);
    CHECK(done.error().kind == base::ErrorKind::bad_input);
    CHECK(done.error().message.find("has changed since the report") != std::string::npos);
    CHECK(project.fs.content("in/train.py") == std::string(kTrain) + "# more\n");
    CHECK(!project.fs.exists("review/applied"));
}

TEST_CASE("review: decisions about a finding that the report does not have") {
    Reviewed project;
    auto done = project.command(Command::apply, R"({"finding": "0000000000000000", "decision": "accept"})");
    REQUIRE(!done);
    CHECK(done.error().message.find("about another report") != std::string::npos);
    done = project.command(Command::apply, R"({"decision": "accept"})");
    REQUIRE(!done);
    done = project.command(Command::apply, R"({"rule": "r", "decision": "perhaps"})");
    REQUIRE(!done);
}

TEST_CASE("review: undo refuses a file that was edited after it was migrated") {
    Reviewed project;
    REQUIRE(project.command(Command::apply, ""));
    project.fs.add("in/train.py", "edited\n");
    auto done = project.command(Command::undo, "");
    REQUIRE(!done);
    CHECK(project.fs.content("in/train.py") == "edited\n");
}

TEST_CASE("review: undo tells what stands in its way, and changes nothing then") {
    Reviewed project;
    REQUIRE(project.command(Command::apply, ""));
    REQUIRE(project.fs.remove("in/train.py"));
    auto done = project.command(Command::undo, "");
    REQUIRE(!done);
    CHECK(done.error().message ==
          "the file was removed since it was migrated; its original is review/applied/original/0_train.py. Nothing was "
          "restored");
    // What is as it was before needs nothing.
    project.fs.add("in/train.py", kTrain);
    done = project.command(Command::undo, "");
    REQUIRE(done);
    CHECK(*done == "0 files restored\n");
}

TEST_CASE("review: a record whose paths lead out of the project is refused") {
    Reviewed project;
    REQUIRE(project.command(Command::apply, ""));
    std::string record = project.fs.content("review/applied/applied.json");
    record.replace(record.find("train.py"), 8, "../other");
    project.fs.add("review/applied/applied.json", record);
    for (const Command command : {Command::undo, Command::reapply}) {
        const auto done = project.command(command, "");
        REQUIRE(!done);
        CHECK(done.error().message == "applied.json names a path that leads out of the project; nothing was written");
    }
}

TEST_CASE("review: reapply follows lines that have moved, and names what no longer fits") {
    Reviewed project;
    REQUIRE(project.command(Command::apply, ""));
    project.fs.add("in/train.py",
                   "# a new first line\n"
                   "import torch, math\n"
                   "\n"
                   "x = torch.zeros(1)\n"
                   "torch.cuda.synchronize()\n"
                   "z = torch.device('cuda')\n");
    auto done = project.command(Command::reapply, "");
    REQUIRE(done);
    CHECK(project.fs.content("in/train.py") ==
          "# a new first line\n"
          "import torch, math\n"
          "import torch_npu\n"
          "\n"
          "x = torch.zeros(1)\n"
          "torch.npu.synchronize()\n"
          "z = torch.device('cuda')\n");
    CHECK(*done ==
          "1 finding applied again: 1 file changed in place\n"
          "Undo    migrator undo review/applied_2\n"
          "\n"
          "No longer applied; look at these, or migrate again:\n"
          "  train.py:5  [device.string]  the line was `y = torch.device('cuda')` and is `z = torch.device('cuda')`\n");
}

TEST_CASE("review: reapply leaves a file alone that would not parse any more") {
    Reviewed project;
    REQUIRE(project.command(Command::apply, ""));
    const std::string upstream =
        "import torch\\\n    as t\n\nx = 1\ntorch.cuda.synchronize()\ny = torch.device('npu')\n";
    project.fs.add("in/train.py", upstream);
    const auto done = project.command(Command::reapply, "");
    REQUIRE(done);
    CAPTURE(*done);
    CHECK(project.fs.content("in/train.py") == upstream);
    CHECK(done->find("train.py:4  [cuda.renamed]  the merged file would not parse\n") != std::string::npos);
}

TEST_CASE("review: reapply says nothing of findings that follow an edit") {
    test::MemoryFileSystem fs;
    const std::string source = "from torch.cuda.amp import GradScaler\nscaler = GradScaler()\n";
    fs.add("in/train.py", source);
    Options options;
    options.command = Command::migrate;
    options.paths = {"in"};
    options.output = "out";
    options.report_directory = "out_report";
    options.progress = false;
    const auto result = run(options, fs);
    REQUIRE(result);
    CHECK(result->report.summary.applied == 2);
    fs.add("newer/train.py", source + "x = 1\n");
    Options again;
    again.command = Command::reapply;
    again.review.record = "out_report/applied";
    again.review.project = "newer";
    again.output = "merged";
    const auto done = review_command(again, fs);
    REQUIRE(done);
    CHECK(done->find("No longer applied") == std::string::npos);
    CHECK(fs.content("merged/train.py").find("torch.npu.amp") != std::string::npos);
}

TEST_CASE("review: report diff names what is new and what is gone") {
    Reviewed project;
    project.fs.add("in/train.py", "import torch\n\n\ntorch.cuda.synchronize()\ntorch.cuda.empty_cache()\n");
    Options options;
    options.paths = {"in"};
    options.report_directory = "later";
    options.progress = false;
    REQUIRE(run(options, project.fs));
    Options compare;
    compare.command = Command::report_diff;
    compare.review.report = "review/report.json";
    compare.review.other = "later/report.json";
    auto done = review_command(compare, project.fs);
    REQUIRE(done);
    CHECK(done->find("1 new\n  warning  train.py:5  torch.cuda.empty_cache") == 0);
    CHECK(done->find("torch.cuda.synchronize") == std::string::npos);
}
