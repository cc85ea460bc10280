// What runs keep of what they have written, and what becomes of it.
#include <doctest/doctest.h>

#include "base/sha256.h"
#include "migrator/app/review_commands.h"
#include "migrator/review/record.h"
#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"
#include "tests/unit/migrator/report/small_report.h"

using namespace migrator;
using test::file_named;
using test::kTrain;
using test::options_for;

namespace {

// One file cannot be written any more.
class NoSpaceAtRename : public test::MemoryFileSystem {
public:
    explicit NoSpaceAtRename(base::Path path) : path_(std::move(path)) {}
    base::Status rename(const base::Path& from, const base::Path& to) override {
        if (to == path_) return base::fail(base::ErrorKind::write_failed, "no space left", to);
        return MemoryFileSystem::rename(from, to);
    }

private:
    base::Path path_;
};

// Somebody saves one file when another is replaced, which then fails or not.
class SavedAtRename : public test::MemoryFileSystem {
public:
    base::Path replaced, saved;
    bool fails = false;

    base::Status rename(const base::Path& from, const base::Path& to) override {
        if (to != replaced) return MemoryFileSystem::rename(from, to);
        add(saved, "# saved\n");
        if (fails) return base::fail(base::ErrorKind::write_failed, "no space left", to);
        return MemoryFileSystem::rename(from, to);
    }
};

// Somebody saves p/a.py as soon as the copy is made.
class SavedMeanwhile : public test::MemoryFileSystem {
public:
    base::Status make_directories(const base::Path& path) override {
        if (path == "out_report/applied/original") add("p/a.py", "# changed\n");
        return MemoryFileSystem::make_directories(path);
    }
};

base::Result<std::string> undo_record(test::MemoryFileSystem& fs, const base::Path& record,
                                      const base::Path& project = {}) {
    Options options;
    options.review.project = project;
    options.command = Command::undo;
    options.review.record = record;
    return review_command(options, fs);
}

}  // namespace

TEST_CASE("pipeline: what is changed in place can be undone, run by run") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py", kTrain, 0755);
    fs.add("p/q/b.py", "x = 1\n");
    Options options = options_for(Command::migrate, "p");
    options.output.clear();
    options.report_directory.clear();
    options.destination = Destination::in_place;
    REQUIRE(run(options, fs));
    CHECK(fs.content("p/.migrator/.gitignore") == "*\n");
    fs.add("p/q/b.py", kTrain);
    options.style = StyleKind::portable;
    const auto again = run(options, fs);
    REQUIRE(again);
    CHECK(again->trace.record == "p/.migrator/applied_2");
    CHECK(fs.content("p/q/any_device.py").starts_with("\"\"\""));

    CHECK(*undo_record(fs, "p/.migrator/applied_2") == "2 files restored\n");
    CHECK(fs.content("p/q/b.py") == kTrain);
    CHECK_FALSE(fs.exists("p/q/any_device.py"));
    CHECK(*undo_record(fs, "p/.migrator/applied") == "1 file restored\n");
    CHECK(fs.content("p/a.py") == kTrain);
    CHECK(fs.info("p/a.py")->mode == 0755);
    CHECK_FALSE(fs.exists("p/.migrator"));

    // Nothing to write, nothing to keep; and who wants no record gets none.
    options.style = StyleKind::npu;
    options.apply = ApplyMode::none;
    CHECK(run(options, fs)->trace.record.empty());
    options.apply = ApplyMode::safe;
    options.review.keep_record = false;
    CHECK(run(options, fs)->trace.record.empty());
    CHECK(fs.content("p/a.py").find("torch.npu") != std::string::npos);
    CHECK_FALSE(fs.exists("p/.migrator"));
}

TEST_CASE("pipeline: a copy has a record too, which replaces the one of the same copy") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py", kTrain);
    Options options = options_for(Command::migrate, "p");
    REQUIRE(run(options, fs));
    const std::string record = fs.content("out_report/applied/applied.json");
    auto done = undo_record(fs, "out_report/applied");
    REQUIRE_FALSE(done);
    CHECK(done.error().message.find("in the copy out, and the sources are unchanged") != std::string::npos);
    options.force = true;
    REQUIRE(run(options, fs));
    CHECK(fs.content("out_report/applied/applied.json") == record);
    CHECK_FALSE(fs.exists("out_report/applied_2"));

    // The same edits in newer sources.
    fs.add("newer/a.py", "# newer\n" + std::string(kTrain));
    Options merge;
    merge.command = Command::reapply;
    merge.review.record = "out_report/applied";
    merge.review.project = "newer";
    merge.output = "merged";
    REQUIRE(review_command(merge, fs));
    CHECK(fs.content("merged/a.py") == "# newer\nimport torch\nimport torch_npu\nprint(torch.npu.current_device())\n");
}

TEST_CASE("pipeline: a copy of a file that changes meanwhile is not published") {
    SavedMeanwhile fs;
    fs.add("p/a.py", kTrain);
    const auto result = run(options_for(Command::migrate, "p"), fs);
    REQUIRE_FALSE(result);
    CHECK(result.error().text() == "a.py: the file has changed while it was copied");
    CHECK_FALSE(fs.exists("out"));
    CHECK_FALSE(fs.exists("out_report/applied/applied.json"));
}

TEST_CASE("pipeline: a failed write leaves the sources as they were") {
    NoSpaceAtRename fs("p/b.py");
    fs.add("p/a.py", kTrain);
    fs.add("p/b.py", kTrain);
    Options options = options_for(Command::migrate, "p");
    options.output.clear();
    options.report_directory.clear();
    options.destination = Destination::in_place;
    REQUIRE_FALSE(run(options, fs));
    CHECK(fs.content("p/a.py") == kTrain);
    CHECK(fs.content("p/b.py") == kTrain);
    CHECK_FALSE(fs.exists("p/.migrator/applied"));
}

TEST_CASE("pipeline: reports of several absolute paths count from the directory that they share, and can be applied") {
    test::MemoryFileSystem fs;
    fs.add("/srv/one/a.py", kTrain);
    fs.add("/srv/two/b.py", kTrain);
    Options options = options_for(Command::analyze, "/srv/one");
    options.paths = {"/srv/one", "/srv/two/b.py"};
    options.report_directory = "review";
    const auto result = run(options, fs);
    REQUIRE(result);
    CHECK(result->report.run.root == "/srv");
    CHECK(file_named(result->report, "one/a.py") != nullptr);
    CHECK(file_named(result->report, "two/b.py") != nullptr);
    Options apply;
    apply.command = Command::apply;
    apply.review.report = "review/report.json";
    apply.review.in_place = true;
    const auto refused = review_command(apply, fs);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text() ==
          "review: the files would be changed in /srv, which does not lie next to this; if that is the project, say so "
          "with --project /srv");
    apply.review.project = "/srv";
    REQUIRE(review_command(apply, fs));
    CHECK(fs.content("/srv/two/b.py").find("torch.npu") != std::string::npos);
    REQUIRE(undo_record(fs, "review/applied", "/srv"));
    CHECK(fs.content("/srv/two/b.py") == kTrain);
}

TEST_CASE("pipeline: a proposal that needs the helper module brings it, and nothing else does") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py", "import torch\nclass A:\n    def cuda(self):\n        pass\ndef f(x):\n    x.cuda()\n");
    Options options = options_for(Command::migrate, "p");
    options.style = StyleKind::portable;
    const auto result = run(options, fs);
    REQUIRE(result);
    CHECK_FALSE(fs.exists("out/any_device.py"));
    const ReportFile* file = file_named(result->report, "a.py");
    REQUIRE(file != nullptr);
    REQUIRE(file->findings.front().outcome.state == FixState::uncertain);
    CHECK(test::diff_of(result->report).empty());

    auto applied = [&](bool accepted) {
        fs.add("decisions.json", "{\"schema\": \"migrator-decisions/1\", \"decisions\": [{\"finding\": \"" +
                                     file->findings.front().id + "\", \"decision\": \"" +
                                     (accepted ? "accept" : "reject") + "\"}]}");
        Options apply;
        apply.command = Command::apply;
        apply.review.report = "out_report/report.json";
        apply.review.decisions = "decisions.json";
        apply.output = accepted ? "accepted" : "rejected";
        REQUIRE(review_command(apply, fs));
    };
    applied(false);
    CHECK_FALSE(fs.exists("rejected/any_device.py"));
    applied(true);
    CHECK(fs.exists("accepted/any_device.py"));
    CHECK(fs.content("accepted/a.py").find("any_device") != std::string::npos);
}

TEST_CASE("in place: a file that is saved while others are put back is left alone") {
    Options options = options_for(Command::migrate, "p");
    options.output.clear();
    options.report_directory.clear();
    options.destination = Destination::in_place;
    const auto project = [](SavedAtRename& fs) {
        fs.add("p/a.py", kTrain);
        fs.add("p/b.py", kTrain);
    };
    SUBCASE("after another could not be written") {
        SavedAtRename fs;
        project(fs);
        fs.replaced = "p/b.py";
        fs.saved = "p/a.py";
        fs.fails = true;
        const auto done = run(options, fs);
        REQUIRE_FALSE(done);
        CHECK(done.error().text().find("a.py could not be put back") != std::string::npos);
        CHECK(fs.content("p/a.py") == "# saved\n");
        CHECK(fs.content("p/b.py") == kTrain);
    }
    SUBCASE("by undo") {
        SavedAtRename fs;
        project(fs);
        REQUIRE(run(options, fs));
        fs.replaced = "p/a.py";
        fs.saved = "p/b.py";
        const auto undone = undo_record(fs, "p/.migrator/applied");
        REQUIRE_FALSE(undone);
        CHECK(undone.error().text() == "b.py: the file has changed while others were restored, so it stays as it is");
        CHECK(fs.content("p/a.py") == kTrain);
        CHECK(fs.content("p/b.py") == "# saved\n");
        CHECK(fs.exists("p/.migrator/applied/original"));
    }
}

TEST_CASE("in place: a file that somebody has saved since it was read is left alone") {
    test::MemoryFileSystem fs;
    fs.add("p/a.py", "x = 2\n");
    fs.add("p/b.py", "y = 1\n");
    const auto change = [](const char* path, std::string original, std::string content) {
        FileChange out;
        out.file.path = path;
        out.file.original.sha256 = base::sha256_hex(original);
        out.original = std::move(original);
        out.content = std::move(content);
        return out;
    };
    const auto done =
        write_in_place(fs, "p", {change("b.py", "y = 1\n", "y = 3\n"), change("a.py", "x = 1\n", "x = 3\n")}, {},
                       "p/.migrator/applied");
    REQUIRE_FALSE(done);
    CHECK(done.error().kind == base::ErrorKind::bad_input);
    CHECK(done.error().text() ==
          "a.py: the file has changed since it was read. Nothing was written; run the command again");
    CHECK(fs.content("p/a.py") == "x = 2\n");
    CHECK(fs.content("p/b.py") == "y = 1\n");
    CHECK_FALSE(fs.exists("p/.migrator"));
    CHECK_FALSE(fs.exists("p/.migrator.run"));
}
