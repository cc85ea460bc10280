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
    CHECK(fs.exists("out.partial/.migrator_incomplete"));
    REQUIRE(tree->commit());
    CHECK(fs.files() == std::vector<base::Path>{"out/a/b.sh"});
    CHECK(fs.content("out/a/b.sh") == "echo\n");
    CHECK(fs.info("out/a/b.sh")->mode == 0755);
}

TEST_CASE("output tree: leaves nothing when it is not committed") {
    test::MemoryFileSystem fs;
    REQUIRE(tree_in(fs)->write("a.py", "x", 0644));
    CHECK(fs.files().empty());
    CHECK(!fs.exists("out.partial"));
}

TEST_CASE("output tree: the left-over of a killed run is replaced, anything else is not") {
    test::MemoryFileSystem fs;
    fs.add("out.partial/.migrator_incomplete", "");
    fs.add("out.partial/old.py", "");
    REQUIRE(tree_in(fs)->commit());
    CHECK(fs.files().empty());
    test::MemoryFileSystem other;
    other.add("out.partial/precious", "x");
    auto refused = OutputTree::create(other, "out");
    REQUIRE(!refused);
    CHECK(refused.error().kind == base::ErrorKind::usage);
    CHECK(other.content("out.partial/precious") == "x");
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
    auto left_out = copy_the_rest(fs, list, true, *tree);
    REQUIRE(left_out);
    REQUIRE(tree->commit());
    CHECK(fs.content("out/data.bin") == binary);
    CHECK(fs.info("out/data.bin")->mode == 0640);
    CHECK(*fs.read_link("out/link") == "../elsewhere");
    CHECK(fs.exists("out/logs/today"));
    CHECK(!fs.exists("out/train.py"));
    CHECK(!fs.exists("out/.git"));
    REQUIRE(left_out->size() == 1);
    CHECK((*left_out)[0].path == "pipe");
}
