#include "migrator/app/output_tree.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

FoundFile found(base::Path path, base::FileKind kind = base::FileKind::regular, std::uint32_t mode = 0644) {
    FoundFile file;
    file.path = std::move(path);
    file.kind = kind;
    file.mode = mode;
    return file;
}

std::unique_ptr<OutputTree> tree_in(base::FileSystem& fs) {
    auto tree = OutputTree::create(fs, "out");
    REQUIRE(tree);
    return std::move(*tree);
}

}  // namespace

TEST_CASE("output tree: appears whole, with modes") {
    test::MemoryFileSystem fs;
    auto tree = tree_in(fs);
    REQUIRE(tree->write("a/b.sh", "echo\n", 0755));
    CHECK(!fs.exists("out"));
    CHECK(fs.exists(".out.migrator.run"));
    REQUIRE(tree->commit());
    CHECK(fs.files() == std::vector<base::Path>{"out/a/b.sh"});
    CHECK(fs.content("out/a/b.sh") == "echo\n");
    CHECK(fs.info("out/a/b.sh")->mode == 0755);
}

TEST_CASE("output tree: leaves nothing when it is not committed") {
    test::MemoryFileSystem fs;
    REQUIRE(tree_in(fs)->write("a.py", "x", 0644));
    CHECK(fs.files().empty());
    CHECK(!fs.exists(".out.migrator.run"));
}

namespace {

constexpr const char* kJournal =
    "migration-toolkit: a run is writing here, or has died. The next run cleans up.\nunfinished 0123456789abcdef\n";

}  // namespace

TEST_CASE("output tree: what a run that died has left is removed, and nothing else") {
    test::MemoryFileSystem fs;
    fs.add(".out.migrator.run", kJournal);
    fs.add("out.unfinished-0123456789abcdef/old.py", "");
    fs.add("out.unfinished-aaaaaaaaaaaaaaaa/precious", "x");
    fs.add("out.partial/precious", "y");
    auto tree = tree_in(fs);
    CHECK(tree->has_cleaned_up());
    REQUIRE(tree->commit());
    CHECK(fs.files() == std::vector<base::Path>{"out.partial/precious", "out.unfinished-aaaaaaaaaaaaaaaa/precious"});
}

TEST_CASE("output tree: a run that died between the renames of --force loses nothing") {
    test::MemoryFileSystem fs;
    fs.add(".out.migrator.run", std::string(kJournal) + "previous 0123456789abcdef\n");
    fs.add("out.unfinished-0123456789abcdef/new.py", "");
    fs.add("out.previous-0123456789abcdef/old.py", "old");
    const auto refused = OutputTree::create(fs, "out");
    REQUIRE(!refused);
    CHECK(refused.error().text() ==
          "out: the output directory is not empty; name a new one, or replace this one with --force");
    CHECK(fs.files() == std::vector<base::Path>{"out/old.py"});
}

TEST_CASE("output tree: a journal names no directory elsewhere") {
    test::MemoryFileSystem fs;
    fs.add("out.unfinished-/../home/precious", "x");
    fs.add(".out.migrator.run",
           "migration-toolkit: a run is writing here, or has died. The next run cleans up.\nunfinished /../home\n");
    REQUIRE(tree_in(fs)->commit());
    CHECK(fs.content("out.unfinished-/../home/precious") == "x");
}

TEST_CASE("output tree: the second of two runs is refused") {
    test::MemoryFileSystem fs;
    auto first = tree_in(fs);
    REQUIRE(first->write("a.py", "x", 0644));
    const auto second = OutputTree::create(fs, "out");
    REQUIRE(!second);
    CHECK(second.error().kind == base::ErrorKind::usage);
    CHECK(second.error().text() ==
          ".out.migrator.run: another run is writing here; wait for it, or name another output");
    REQUIRE(first->commit());
    CHECK(fs.files() == std::vector<base::Path>{"out/a.py"});
}

TEST_CASE("output tree: a copy that something else has changed is not published") {
    test::MemoryFileSystem fs;
    auto tree = tree_in(fs);
    REQUIRE(tree->write("a.py", "x", 0644));
    for (const base::Path& path : fs.files()) {
        if (path.ends_with("a.py")) REQUIRE(fs.remove(path));
    }
    const auto published = tree->commit();
    REQUIRE(!published);
    CHECK(published.error().kind == base::ErrorKind::write_failed);
    CHECK(!fs.exists("out"));
}

TEST_CASE("output tree: the rest of the project is copied as it is") {
    test::MemoryFileSystem fs;
    std::string binary = std::string(5 << 20, '\0') + "\xFF\x01";
    fs.add("in/data.bin", binary, 0640);
    fs.add("in/train.py", "analysed");
    fs.add("in/.git/HEAD", "");
    REQUIRE(fs.make_directories("in/logs/today"));
    REQUIRE(fs.make_link("../elsewhere", "in/link"));
    FileList list;
    list.root = "in";
    list.files = {found("data.bin", base::FileKind::regular, 0640), found("link", base::FileKind::symlink),
                  found("pipe", base::FileKind::other), found("train.py")};
    list.files.back().analysed = true;
    list.directories_skipped = {".git"};
    auto tree = tree_in(fs);
    auto left_out = copy_the_rest(fs, list, true, LargeFiles::link, *tree);
    REQUIRE(left_out);
    REQUIRE(tree->commit());
    CHECK(fs.content("out/data.bin") == binary);
    CHECK(fs.info("out/data.bin")->mode == 0640);
    CHECK(*fs.read_link("out/link") == "elsewhere");
    CHECK(fs.exists("out/logs/today"));
    CHECK(!fs.exists("out/train.py"));
    CHECK(!fs.exists("out/.git"));
    REQUIRE(left_out->size() == 1);
    CHECK((*left_out)[0].path == "pipe");
}

TEST_CASE("output tree: modes and times of files and directories") {
    test::MemoryFileSystem fs;
    fs.add("in/sub/data.bin", "x", 0640);
    REQUIRE(fs.set_attributes("in/sub", 0550, 7));
    REQUIRE(fs.set_attributes("in", 0750, 8));
    FileList list;
    list.root = "in";
    list.files = {found("sub/data.bin", base::FileKind::regular, 0640)};
    list.files[0].modified = 5;
    auto tree = tree_in(fs);
    REQUIRE(copy_the_rest(fs, list, true, LargeFiles::link, *tree));
    REQUIRE(tree->write("sub/new.py", "", 0600));
    REQUIRE(tree->write("sub/same.py", "", 0600, 6));
    REQUIRE(tree->commit());
    CHECK(fs.info("out")->mode == 0750);
    CHECK(fs.info("out/sub")->mode == 0550);
    CHECK(fs.info("out/sub")->modified == 7);
    CHECK(fs.info("out/sub/data.bin")->mode == 0640);
    CHECK(fs.info("out/sub/data.bin")->modified == 5);
    CHECK(fs.info("out/sub/same.py")->modified == 6);
    CHECK(fs.info("out/sub/new.py")->modified == 0);
}

TEST_CASE("output tree: links that lead out of the project lead there from the copy, too") {
    test::MemoryFileSystem fs;
    fs.add("home/in/sub/a.txt", "");
    REQUIRE(fs.make_link("a.txt", "home/in/sub/near"));
    REQUIRE(fs.make_link("../sub/a.txt", "home/in/sub/inside"));
    REQUIRE(fs.make_link("../../data", "home/in/sub/out"));
    REQUIRE(fs.make_link("/data", "home/in/absolute"));
    FileList list;
    list.root = "home/in";
    for (const char* link : {"absolute", "sub/inside", "sub/near", "sub/out"})
        list.files.push_back(found(link, base::FileKind::symlink));
    auto tree = tree_in(fs);
    REQUIRE(copy_the_rest(fs, list, true, LargeFiles::link, *tree));
    REQUIRE(tree->commit());
    CHECK(*fs.read_link("out/sub/near") == "a.txt");
    CHECK(*fs.read_link("out/sub/inside") == "../sub/a.txt");
    CHECK(*fs.read_link("out/absolute") == "/data");
    CHECK(*fs.read_link("out/sub/out") == "home/data");  // this file system's absolute paths have no slash in front
}

TEST_CASE("output tree: large files are linked, copied or left out") {
    auto copied = [](LargeFiles large) {
        test::MemoryFileSystem fs;
        fs.add("in/data.bin", "weights");
        FileList list;
        list.root = "in";
        list.files = {found("data.bin")};
        list.files[0].bytes = kLargeFileBytes;
        auto tree = tree_in(fs);
        auto left_out = copy_the_rest(fs, list, true, large, *tree);
        REQUIRE(left_out);
        REQUIRE(tree->commit());
        if (!fs.exists("out/data.bin")) return "left out: " + left_out->front().reason;
        return fs.link_info("out/data.bin")->kind == base::FileKind::symlink ? "-> " + *fs.read_link("out/data.bin")
                                                                             : fs.content("out/data.bin");
    };
    CHECK(copied(LargeFiles::link) == "-> in/data.bin");
    CHECK(copied(LargeFiles::copy) == "weights");
    CHECK(copied(LargeFiles::skip) == "left out: it is large, and --large-files skip leaves such files out");
}

TEST_CASE("output tree: an output that is there goes when the new one is whole, and not before") {
    test::MemoryFileSystem fs;
    fs.add("out/old.py", "old");
    {
        auto abandoned = OutputTree::create(fs, "out", true);
        REQUIRE(abandoned);
        REQUIRE((*abandoned)->write("a.py", "x", 0644));
    }
    CHECK(fs.files() == std::vector<base::Path>{"out/old.py"});
    auto tree = OutputTree::create(fs, "out", true);
    REQUIRE(tree);
    REQUIRE((*tree)->write("a.py", "x", 0644));
    REQUIRE((*tree)->commit());
    CHECK(fs.files() == std::vector<base::Path>{"out/a.py"});
}
