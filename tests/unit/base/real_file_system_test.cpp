// The machine's own file system, in a directory of its own.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/real_file.h"
#include "base/run_journal.h"
#include "base/write_file.h"

namespace {

using base::ErrorKind;
using base::Path;

class Scratch {
public:
    Scratch() {
        path_ = (std::filesystem::temp_directory_path() / "migration_test_XXXXXX").string();
        REQUIRE(::mkdtemp(path_.data()) != nullptr);
    }
    ~Scratch() { CHECK(base::remove_tree(fs, path_)); }
    Path at(std::string_view name) const { return base::join(path_, name); }

    base::FileSystem& fs = base::real_file_system();

private:
    Path path_;
};

}  // namespace

TEST_CASE("real file system: a new file takes no name that is taken, by a link to nowhere neither") {
    Scratch scratch;
    REQUIRE(base::write_file(scratch.fs, scratch.at("a"), "mine"));
    REQUIRE(scratch.fs.make_link("nowhere", scratch.at("link")));
    for (const char* name : {"a", "link"}) {
        const auto created = scratch.fs.create(scratch.at(name), 0600);
        REQUIRE_FALSE(created);
        CHECK(created.error().message == "cannot create: File exists");
    }
    CHECK_FALSE(scratch.fs.exists(scratch.at("nowhere")));
    CHECK_FALSE(scratch.fs.move(scratch.at("a"), scratch.at("link")));
    CHECK(*base::read_file(scratch.fs, scratch.at("a")) == "mine");
}

TEST_CASE("real file system: pipes are refused and not waited for, and a NUL byte ends no path") {
    Scratch scratch;
    REQUIRE(::mkfifo(scratch.at("pipe").c_str(), 0600) == 0);
    const auto opened = scratch.fs.open(scratch.at("pipe"));
    REQUIRE_FALSE(opened);
    CHECK(opened.error().message == "this is a pipe, a device or a socket, a file is needed");
    CHECK(scratch.fs.open("/dev/null").error().message == opened.error().message);
    REQUIRE(base::write_file(scratch.fs, scratch.at("a"), "mine"));
    CHECK(scratch.fs.open(scratch.at("a") + std::string("\0b", 2)).error().message == "no path has a NUL byte");
}

TEST_CASE("real file system: nothing beneath a directory leads out of it") {
    Scratch scratch;
    for (const char* name : {"root/inner", "outside"}) REQUIRE(scratch.fs.make_directories(scratch.at(name)));
    REQUIRE(base::write_file(scratch.fs, scratch.at("outside/victim"), "mine"));
    REQUIRE(scratch.fs.make_link("../outside", scratch.at("root/link")));
    REQUIRE(scratch.fs.make_link("../outside/victim", scratch.at("root/file")));
    const auto root = scratch.fs.beneath(scratch.at("root"));
    REQUIRE(root);
    base::FileSystem& tree = **root;
    for (const char* path : {"link/victim", "file", "../outside/victim", "inner/../../outside/victim", "/etc/passwd"}) {
        CAPTURE(path);
        CHECK_FALSE(tree.open(path));
    }
    for (const char* path : {"link/new", "../outside/new", "inner/../../outside/new"}) {
        CAPTURE(path);
        CHECK_FALSE(tree.create(path, 0600));
        CHECK_FALSE(base::write_file(tree, path, "evil"));
        CHECK_FALSE(tree.make_directory(path));
        CHECK_FALSE(tree.make_directories(path));
        CHECK_FALSE(tree.rename("inner", path));
        CHECK_FALSE(tree.lock(path));
    }
    CHECK_FALSE(tree.remove("link/victim"));
    CHECK_FALSE(tree.list("link"));
    CHECK(tree.open("link/victim").error().message == "link is a link, and links are not followed here");
    CHECK(scratch.fs.list(scratch.at("outside"))->size() == 1);
    // A link that is written over is replaced.
    REQUIRE(base::write_file(tree, "file", "new"));
    CHECK(*base::read_file(scratch.fs, scratch.at("outside/victim")) == "mine");
    CHECK(*base::read_file(tree, "file") == "new");
    REQUIRE(tree.make_directories("inner/deep"));
    CHECK(tree.exists("inner/deep"));
    CHECK_FALSE(tree.exists("inner/none"));
}

TEST_CASE("real file system: what dead writers left is removed, and nothing else") {
    Scratch scratch;
    const char* const left = ".report.html.0123456789abcdef.unfinished";
    for (const char* name : {left, ".report.html.0123.unfinished", "x.0123456789abcdef.unfinished", ".mine.unfinished"})
        REQUIRE(base::write_file(scratch.fs, scratch.at(name), "x"));
    const auto alive = scratch.fs.create(scratch.at(".report.html.fedcba9876543210.unfinished"), 0600);
    REQUIRE(alive);
    REQUIRE(base::write_file(scratch.fs, scratch.at("other.html"), "of another name"));
    CHECK(scratch.fs.exists(scratch.at(left)));
    REQUIRE(base::write_file(scratch.fs, scratch.at("report.html"), "the same file again"));
    CHECK_FALSE(scratch.fs.exists(scratch.at(left)));
    CHECK(scratch.fs.list(scratch.at(""))->size() == 6);
}

TEST_CASE("real file system: a journal is one run's, and tells the next what a dead one has left") {
    Scratch scratch;
    const Path path = scratch.at("run");
    {
        auto first = base::RunJournal::open(scratch.fs, path);
        REQUIRE(first);
        REQUIRE(first->start());
        REQUIRE(first->say("staging", "a name with blanks"));
        REQUIRE(first->say("record", "one\nof two lines"));
        const auto second = base::RunJournal::open(scratch.fs, path);
        REQUIRE_FALSE(second);
        CHECK(second.error().kind == ErrorKind::usage);
    }
    auto next = base::RunJournal::open(scratch.fs, path);
    REQUIRE(next);
    CHECK(next->left("staging") == "a name with blanks");
    CHECK(next->left("record") == "one\nof two lines");
    REQUIRE(next->finish());
    CHECK_FALSE(scratch.fs.exists(path));

    REQUIRE(base::write_file(scratch.fs, path, "somebody's notes\n"));
    const auto refused = base::RunJournal::open(scratch.fs, path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "a run needs this name for a while; move what has it");
    CHECK(*base::read_file(scratch.fs, path) == "somebody's notes\n");
}

TEST_CASE("real file system: a lock where no file can be made is an error, and not waited for") {
    Scratch scratch;
    const auto locked = scratch.fs.lock(scratch.at("gone/.run"));
    REQUIRE_FALSE(locked);
    CHECK(locked.error().kind == ErrorKind::write_failed);
    CHECK(locked.error().message == "cannot create: No such file or directory");
}

TEST_CASE("real files: no memory is of no file") {
    const base::Error missing = base::system_failure(ErrorKind::bad_input, "list", "hf", ENOENT).value();
    CHECK(missing.kind == ErrorKind::bad_input);
    CHECK(missing.where == "hf");
    const base::Error memory = base::system_failure(ErrorKind::bad_input, "list", "hf", ENOMEM).value();
    CHECK(memory.kind == ErrorKind::no_memory);
    CHECK(memory.message == "there is not enough memory; fewer threads need less, and `ulimit -v` may hold it back");
}
