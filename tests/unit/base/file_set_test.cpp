#include "base/file_set.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

namespace {

using base::FileSet;
using Paths = std::vector<base::Path>;

// As a run that dies there: nothing of it is cleaned up, and nobody has its locks.
template <class Until>
void die(test::MemoryFileSystem& fs, const base::Path& directory, FileSet::Place place, const Until& until) {
    auto begun = FileSet::begin(fs, directory, place);
    REQUIRE(begun);
    until(*begun);
    static std::vector<FileSet*>& dead = *new std::vector<FileSet*>;  // never destroyed, so neither are these
    dead.push_back(new FileSet(std::move(*begun)));
    fs.forget_locks();
}

Paths hidden(const test::MemoryFileSystem& fs) {
    Paths out = fs.files();
    std::erase_if(out, [](const base::Path& path) { return path[path.rfind('/') + 1] != '.'; });
    return out;
}

}  // namespace

TEST_CASE("file set: a new directory appears with all of its files") {
    test::MemoryFileSystem fs;
    auto set = FileSet::begin(fs, "a/out", FileSet::Place::empty);
    REQUIRE(set);
    REQUIRE(set->add("x.sh", "x"));
    REQUIRE(set->add("deep/y", "y"));
    CHECK_FALSE(fs.exists("a/out"));
    CHECK_FALSE(FileSet::begin(fs, "a/out", FileSet::Place::empty));  // another run at the same time
    REQUIRE(set->commit());
    CHECK(fs.files() == Paths{"a/out/deep/y", "a/out/x.sh"});
    const auto again = FileSet::begin(fs, "a/out", FileSet::Place::empty);
    REQUIRE_FALSE(again);
    CHECK(again.error().message == "the output directory is not empty; name a new one, or empty it first");
    CHECK(fs.files() == Paths{"a/out/deep/y", "a/out/x.sh"});
}

TEST_CASE("file set: what is not kept goes again, and so do the directories that were made for it") {
    test::MemoryFileSystem fs;
    REQUIRE(fs.make_directories("there"));
    for (const char* directory : {"new/out", "there"}) {
        auto set = FileSet::begin(fs, directory, FileSet::Place::empty);
        REQUIRE(set);
        REQUIRE(set->add("deep/x", "x"));
        REQUIRE(set->publish());
        CHECK(fs.exists(base::join(directory, "deep/x")));
    }
    CHECK(fs.files().empty());
    CHECK_FALSE(fs.exists("new"));
    CHECK_FALSE(fs.exists("there/deep"));
    CHECK(fs.exists("there"));
}

TEST_CASE("file set: the next run takes back what one has published that died before its work was done") {
    for (const char* directory : {"new", "there"}) {
        test::MemoryFileSystem fs;
        REQUIRE(fs.make_directories("there"));
        die(fs, directory, FileSet::Place::empty, [](FileSet& set) {
            REQUIRE(set.add("x", "x"));
            REQUIRE(set.add("y", "y"));
            REQUIRE(set.publish());
        });
        CHECK(*FileSet::is_free(fs, directory));
        auto set = FileSet::begin(fs, directory, FileSet::Place::empty);
        REQUIRE(set);
        REQUIRE(set->add("x", "another"));
        REQUIRE(set->commit());
        CHECK(fs.files() == Paths{base::join(directory, "x")});
    }
}

TEST_CASE("file set: what a person has put in the place of a file stays, and is no free place") {
    test::MemoryFileSystem fs;
    die(fs, "out", FileSet::Place::empty, [](FileSet& set) {
        REQUIRE(set.add("x", "x"));
        REQUIRE(set.add("y", "y"));
        REQUIRE(set.publish());
    });
    REQUIRE(fs.remove("out/x"));
    fs.add("out/x", "edited");
    const auto set = FileSet::begin(fs, "out", FileSet::Place::empty);
    REQUIRE_FALSE(set);
    CHECK(fs.files() == Paths{"out/x"});
    CHECK(fs.content("out/x") == "edited");
}

TEST_CASE("file set: what a run has left that died before it published is nothing to the next") {
    test::MemoryFileSystem fs;
    die(fs, "out", FileSet::Place::empty, [](FileSet& set) { REQUIRE(set.add("x", "x")); });
    CHECK(*FileSet::is_free(fs, "out"));
    auto set = FileSet::begin(fs, "out", FileSet::Place::empty);
    REQUIRE(set);
    REQUIRE(set->add("x", "x"));
    REQUIRE(set->commit());
    CHECK(hidden(fs).empty());
    CHECK_FALSE(*FileSet::is_free(fs, "out"));
}

TEST_CASE("file set: files of other names stay, and those of the same are replaced where that is wanted") {
    test::MemoryFileSystem fs;
    fs.add("r/report.json", "old");
    fs.add("r/mine", "mine");
    {
        auto set = FileSet::begin(fs, "r", FileSet::Place::any);
        REQUIRE(set);
        REQUIRE(set->add("report.json", "new"));
        CHECK(fs.content("r/report.json") == "old");
        REQUIRE(set->commit());
    }
    CHECK(fs.content("r/report.json") == "new");
    auto set = FileSet::begin(fs, "r", FileSet::Place::new_names);
    REQUIRE(set);
    REQUIRE(set->add("cases/a.py", "a"));
    const auto added = set->add("report.json", "another");
    REQUIRE_FALSE(added);
    CHECK(added.error().message == "this file exists already; name another one");
    CHECK(fs.content("r/report.json") == "new");
    CHECK(fs.content("r/mine") == "mine");
}
