#include "base/file_system.h"

#include <doctest/doctest.h>

#include <functional>
#include <utility>

#include "tests/support/memory_file_system.h"

namespace {

using base::Path;

// Where another process does something between two calls: `meanwhile` runs once, behind the first look at or listing of a path.
class BusyFileSystem : public test::MemoryFileSystem {
public:
    std::function<void()> meanwhile;

    base::Result<std::optional<base::FileInfo>> look(const Path& path) override {
        return behind(MemoryFileSystem::look(path));
    }
    base::Result<std::vector<base::DirectoryEntry>> list(const Path& path) override {
        return behind(MemoryFileSystem::list(path));
    }

private:
    template <class T>
    T behind(T found) {
        if (meanwhile) std::exchange(meanwhile, nullptr)();
        return found;
    }
};

}  // namespace

TEST_CASE("file system: what is made after the look was not there") {
    BusyFileSystem fs;
    fs.meanwhile = [&] { fs.add("d/file", ""); };
    CHECK(*base::is_there(fs, "d/file") == false);
    CHECK(*base::is_there(fs, "d/file") == true);
}

TEST_CASE("file system: a directory that is made between two looks is listed") {
    BusyFileSystem fs;
    fs.meanwhile = [&] { fs.add("d/file", ""); };
    const auto entries = base::list_if_there(fs, "d");
    REQUIRE(entries);
    REQUIRE(entries->size() == 1);
    CHECK(entries->front().name == "file");
    CHECK(base::list_if_there(fs, "nothing")->empty());
}

TEST_CASE("file system: a tree is removed while others make and remove parts of it") {
    SUBCASE("a file is gone before its turn") {
        BusyFileSystem fs;
        fs.add("d/a", "");
        fs.add("d/b", "");
        fs.meanwhile = [&] { CHECK(fs.remove("d/a")); };
        CHECK(base::remove_tree(fs, "d"));
        CHECK_FALSE(fs.exists("d"));
    }
    SUBCASE("a directory is filled again") {
        BusyFileSystem fs;
        fs.add("d/e/a", "");
        fs.meanwhile = [&] { fs.add("d/e/b", ""); };
        CHECK(base::remove_tree(fs, "d/e"));
        CHECK_FALSE(fs.exists("d/e"));
    }
    SUBCASE("a tree is gone, and made again") {
        BusyFileSystem fs;
        fs.add("d/a", "");
        fs.meanwhile = [&] {
            CHECK(fs.remove("d/a"));
            CHECK(fs.remove("d"));
            fs.add("d", "a file now");
        };
        CHECK(base::remove_tree(fs, "d"));
        CHECK_FALSE(fs.exists("d"));
    }
}

TEST_CASE("file system: what cannot be removed ends, and says why") {
    class Stuck : public test::MemoryFileSystem {
        base::Status remove(const Path& path) override {
            return base::fail(base::ErrorKind::write_failed, "cannot remove: Permission denied", path);
        }
    };
    Stuck fs;
    fs.add("d/a", "");
    const base::Status removed = base::remove_tree(fs, "d");
    REQUIRE_FALSE(removed);
    CHECK(removed.error().message == "cannot remove: Permission denied");
    CHECK(fs.exists("d/a"));
}
