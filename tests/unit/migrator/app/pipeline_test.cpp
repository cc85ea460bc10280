#include "migrator/app/pipeline.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

using namespace migrator;
using test::file_named;
using test::kTrain;
using test::options_for;

namespace {

// A file that is listed and cannot be opened, as without the permission to read.
class Unreadable : public test::MemoryFileSystem {
public:
    explicit Unreadable(base::Path path) : path_(std::move(path)) {}
    base::Result<std::unique_ptr<base::ReadableFile>> open(const base::Path& path) override {
        if (path == path_) return base::fail(base::ErrorKind::bad_input, "cannot open: Permission denied", path);
        return MemoryFileSystem::open(path);
    }

private:
    base::Path path_;
};

// A disk that is full once a file is to be written whose path has this part.
class FullDisk : public test::MemoryFileSystem {
public:
    explicit FullDisk(std::string part) : part_(std::move(part)) {}
    base::Result<std::unique_ptr<base::WritableFile>> create(const base::Path& path, std::uint32_t mode) override {
        if (path.find(part_) != path.npos)
            return base::fail(base::ErrorKind::write_failed, "cannot create: No space left on device", path);
        return MemoryFileSystem::create(path, mode);
    }

private:
    std::string part_;
};

}  // namespace

TEST_CASE("pipeline: migrate writes the copy and the report, and leaves the project alone") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", kTrain, 0755);
    fs.add("in/data.bin", std::string("\0\1", 2));
    auto result = run(options_for(Command::migrate, "in"), fs);
    REQUIRE(result);
    CHECK(fs.content("in/train.py") == kTrain);
    CHECK(fs.content("out/train.py").find("torch.npu.current_device()") != std::string::npos);
    CHECK(fs.info("out/train.py")->mode == 0755);
    CHECK(fs.content("out/data.bin") == std::string("\0\1", 2));
    CHECK(result->trace.written ==
          std::vector<std::string>{"out_report/report.html", "out_report/report.json", "out_report/report.diff"});
    CHECK(fs.content("out_report/report.diff").find("+++ b/train.py") != std::string::npos);
    CHECK(result->report.summary.applied >= 1);
    CHECK(result->report.summary.files_seen == 2);
}

TEST_CASE("pipeline: --apply none copies, and reports what could be applied") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", kTrain);
    Options options = options_for(Command::migrate, "in");
    options.apply = ApplyMode::none;
    auto result = run(options, fs);
    REQUIRE(result);
    CHECK(fs.content("out/train.py") == kTrain);
    CHECK(result->report.summary.applied == 0);
    CHECK(result->report.summary.available >= 1);
    CHECK(fs.content("out_report/report.diff").find("+") != std::string::npos);
}

TEST_CASE("pipeline: analyze writes nothing without --report") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", kTrain);
    auto result = run(options_for(Command::analyze, "in"), fs);
    REQUIRE(result);
    CHECK(fs.files() == std::vector<base::Path>{"in/train.py"});
    CHECK(result->report.summary.available >= 1);
    CHECK(result->trace.written.empty());
}

TEST_CASE("pipeline: a report inside the project is not analysed by the next run") {
    test::MemoryFileSystem fs;
    fs.add("in/train.py", kTrain);
    Options options = options_for(Command::analyze, "in");
    options.report_directory = "in/report";
    auto first = run(options, fs);
    auto second = run(options, fs);
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->report.summary.findings == second->report.summary.findings);
    CHECK(file_named(second->report, "report/report.json") == nullptr);
}

TEST_CASE("pipeline: several paths keep their names, and a file named twice is looked at once") {
    test::MemoryFileSystem fs;
    fs.add("one/a.py", kTrain);
    fs.add("two/a.py", kTrain);
    Options options = options_for(Command::analyze, "one");
    options.paths = {"one", "two", "one/a.py"};
    auto result = run(options, fs);
    REQUIRE(result);
    REQUIRE(result->report.files.size() == 2);
    CHECK(result->report.files[0].path == "one/a.py");
    CHECK(result->report.files[1].path == "two/a.py");
    CHECK(result->report.summary.files_analysed == 2);
}

TEST_CASE("pipeline: an unreadable file is a finding, the others are done") {
    Unreadable fs("in/secret.py");
    fs.add("in/secret.py", kTrain);
    fs.add("in/train.py", kTrain);
    auto result = run(options_for(Command::migrate, "in"), fs);
    REQUIRE(result);
    const ReportFile* file = file_named(result->report, "secret.py");
    REQUIRE(file != nullptr);
    CHECK(file->findings[0].outcome.finding.rule == "file.unreadable");
    CHECK(file->findings[0].outcome.finding.kind == FindingKind::file);
    CHECK(!fs.exists("out/secret.py"));
    CHECK(fs.exists("out/train.py"));
    CHECK(result->report.summary.files_with_problems == 1);
}

TEST_CASE("pipeline: a failed write leaves no output") {
    FullDisk fs("/data.bin");
    fs.add("in/data.bin", "x");
    fs.add("in/train.py", kTrain);
    auto result = run(options_for(Command::migrate, "in"), fs);
    REQUIRE(!result);
    CHECK(result.error().kind == base::ErrorKind::write_failed);
    CHECK(fs.files() == std::vector<base::Path>{"in/data.bin", "in/train.py"});
}

TEST_CASE("pipeline: without its report no copy is published, and nothing is left of either") {
    FullDisk fs("report.html");
    fs.add("in/train.py", kTrain);
    auto result = run(options_for(Command::migrate, "in"), fs);
    REQUIRE(!result);
    CHECK(result.error().kind == base::ErrorKind::write_failed);
    CHECK(fs.files() == std::vector<base::Path>{"in/train.py"});
    CHECK(!fs.exists("out_report"));
}

TEST_CASE("pipeline: notes tell what was not looked at") {
    test::MemoryFileSystem fs;
    fs.add("in/.git/HEAD", "");
    fs.add("in/old/a.py", kTrain);
    fs.add("in/notes.md", "x");
    Options options = options_for(Command::migrate, "in");
    options.exclude = {"old/"};
    auto result = run(options, fs);
    REQUIRE(result);
    CHECK(result->report.notes.size() == 3);
    CHECK(result->report.notes[1] == "Neither analysed nor copied: .git.");
    CHECK(result->report.notes[2] == "1 file not analysed (excluded by --exclude): old/a.py.");
    CHECK(fs.exists("out/old/a.py"));
    CHECK(!fs.exists("out/.git"));
}

TEST_CASE("pipeline: bad input writes nothing") {
    test::MemoryFileSystem fs;
    REQUIRE(fs.make_directories("empty"));
    for (base::Path path : {"nope", "empty"}) {
        auto result = run(options_for(Command::migrate, path), fs);
        REQUIRE(!result);
        CHECK(result.error().kind == base::ErrorKind::bad_input);
    }
    CHECK(fs.files().empty());
    CHECK(!fs.exists("out_report"));
}

TEST_CASE("pipeline: standard input becomes text, and nothing touches the disk") {
    test::MemoryFileSystem fs;
    Options options = options_for(Command::migrate, base::Path(kStandardInput));
    options.output.clear();
    options.report_directory.clear();
    options.destination = Destination::text;
    options.stdin_text = kTrain;
    auto result = run(options, fs);
    REQUIRE(result);
    CHECK(result->text == "import torch\nimport torch_npu\nprint(torch.npu.current_device())\n");
    CHECK(result->report.summary.applied >= 1);
    CHECK(fs.files().empty());
    options.apply = ApplyMode::none;
    CHECK(run(options, fs)->text == kTrain);
    options.stdin_name = "run.sh";
    options.stdin_text = "export CUDA_VISIBLE_DEVICES=0\n";
    options.apply = ApplyMode::safe;
    CHECK(run(options, fs)->text == "export ASCEND_RT_VISIBLE_DEVICES=0\n");
    options.stdin_name = "notes.txt";
    auto unknown = run(options, fs);
    REQUIRE(!unknown);
    CHECK(unknown.error().kind == base::ErrorKind::usage);
}

TEST_CASE("pipeline: --instrument goes in, stays the same, changes its kind, and comes out without a trace") {
    const std::string train =
        "import torch\n"
        "for x in loader:\n"
        "    model(x.cuda()).backward()\n"
        "    optimizer.step()\n";
    for (const StyleKind style : {StyleKind::npu, StyleKind::portable, StyleKind::automatic}) {
        CAPTURE(name(style));
        auto migrated = [&](const std::string& text, const char* what) {
            test::MemoryFileSystem fs;
            fs.add("in/train.py", text);
            fs.add("in/any_device.py", "");
            Options options = options_for(Command::migrate, "in");
            options.paths = {"in/train.py"};
            options.style = style;
            options.instrument = what;
            const auto result = run(options, fs);
            REQUIRE(result);
            return fs.content("out/train.py");
        };
        const std::string plain = migrated(train, "");
        const std::string profiled = migrated(train, "profiler");
        CHECK(profiled.find("    optimizer.step()\n    if npu_profiler is not None:  # migrator: instrument\n") !=
              std::string::npos);
        CHECK(migrated(profiled, "profiler") == profiled);
        CHECK(migrated(profiled, "") == profiled);
        const std::string debugged = migrated(train, "precision");
        CHECK(debugged.find("    precision_debugger.start(model=model)  # migrator: instrument\n") !=
              std::string::npos);
        CHECK(migrated(profiled, "precision") == debugged);
        CHECK(migrated(debugged, "none") == plain);
    }
}

TEST_CASE("pipeline: --instrument says why it does nothing, and what to do") {
    const std::string loop = "for x in y:\n    model(x).backward()\n    opt.step()\n";
    auto refusal = [&](const std::string& a, const std::string& b, const char* what = "profiler",
                       const char* where = "") {
        test::MemoryFileSystem fs;
        fs.add("in/a.py", a);
        fs.add("in/b.py", b);
        Options options = options_for(Command::migrate, "in");
        options.instrument = what;
        options.loop = where;
        const auto result = run(options, fs);
        REQUIRE_FALSE(result);
        CHECK_FALSE(fs.exists("out"));
        return result.error().text();
    };
    CHECK(refusal(loop, "\n" + loop) ==
          "--instrument: there are 2 training loops: a.py:1, b.py:2; say which with --loop a.py:1");
    CHECK(
        refusal("x = 1\n", "") ==
        "--instrument: no training loop is found: no loop with `backward()` and the step of an optimizer, in one file");
    CHECK(
        refusal("for x in y:\n    x.backward()\n", "")
            .ends_with(
                "; a.py:1: gradients are computed in this loop, but the step of an optimizer is not seen in the file"));
    CHECK(refusal("from transformers import Trainer\nTrainer(model).train()\n", "")
              .find("; a.py:2: `Trainer` runs the loop by itself: add a transformers.TrainerCallback") !=
          std::string::npos);
    CHECK(refusal(loop, loop, "profiler", "c.py") ==
          "c.py: --loop names a Python file of the project, and there is none of this name");
    CHECK(refusal(loop, loop, "profiler", "a.py:9") == "a.py:9: --instrument: no training loop is found there");
    CHECK(refusal(loop, "", "speed") == "--instrument: unknown 'speed'; there are precision, profiler, none");
    CHECK(refusal("npu_profiler = 1\n" + loop, "") ==
          "a.py: --instrument: line 1: the name `npu_profiler` is needed, and the file has one");
}

TEST_CASE("pipeline: --loop says which loop") {
    const std::string loop = "for x in y:\n    model(x).backward()\n    opt.step()\n";
    test::MemoryFileSystem fs;
    fs.add("in/a.py", loop + loop);
    fs.add("in/b.py", loop);
    Options options = options_for(Command::migrate, "in");
    options.instrument = "profiler";
    options.loop = "a.py:5";
    const auto result = run(options, fs);
    REQUIRE(result);
    CHECK(fs.content("out/a.py").starts_with(loop + "global npu_profiler"));
    CHECK(fs.content("out/b.py") == loop);
    const ReportFile* file = file_named(result->report, "a.py");
    REQUIRE(file != nullptr);
    const auto found = std::find_if(file->findings.begin(), file->findings.end(), [](const ReportFinding& item) {
        return item.outcome.finding.rule == "instrument.profiler";
    });
    REQUIRE(found != file->findings.end());
    CHECK(found->outcome.begin.line == 4);
}

TEST_CASE("pipeline: through a pipe the portable style says that its module is missing") {
    test::MemoryFileSystem fs;
    Options options = options_for(Command::migrate, "-");
    options.destination = Destination::text;
    options.output.clear();
    options.report_directory.clear();
    options.stdin_text = kTrain;
    const auto npu = run(options, fs);
    REQUIRE(npu);
    CHECK(npu->warning.empty());
    options.style = StyleKind::portable;
    const auto portable = run(options, fs);
    REQUIRE(portable);
    CHECK(portable->text.find("import any_device") != std::string::npos);
    CHECK(portable->warning.find("imports any_device, a module") != std::string::npos);
    options.stdin_text = "x = 1\n";
    CHECK(run(options, fs)->warning.empty());
}

TEST_CASE("pipeline: several files are changed where they are") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py", kTrain, 0755);
    fs.add("p/q/b.py", kTrain);
    fs.add("p/c.py", "x = 1\n");
    Options options = options_for(Command::migrate, "p/a.py");
    options.paths = {"p/a.py", "p/q/b.py", "p/c.py"};
    options.output.clear();
    options.report_directory.clear();
    options.destination = Destination::in_place;
    auto result = run(options, fs);
    REQUIRE(result);
    CHECK(fs.content("p/a.py").find("torch.npu") != std::string::npos);
    CHECK(fs.content("p/q/b.py").find("torch.npu") != std::string::npos);
    CHECK(fs.content("p/c.py") == "x = 1\n");
    CHECK(fs.info("p/a.py")->mode == 0755);
    CHECK(file_named(result->report, "p/q/b.py") != nullptr);
    CHECK(result->trace.record == ".migrator/applied");
}
