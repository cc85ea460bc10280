#include "base/git_index.h"

#include <doctest/doctest.h>

#include "base/sha1.h"
#include "tests/support/memory_file_system.h"

namespace {

std::string big_endian(std::uint32_t number, int bytes) {
    std::string out;
    for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(number >> (8 * i));
    return out;
}

std::string entry(const std::string& path, std::uint32_t mode = 0100644, std::uint32_t stage = 0) {
    std::string out = std::string(24, '\0') + big_endian(mode, 4) + std::string(12, '\0') + std::string(20, 'o') +
                      big_endian(stage << 12 | static_cast<std::uint32_t>(path.size()), 2) + path;
    out.resize((out.size() / 8 + 1) * 8, '\0');
    return out;
}

std::string sum_of(const std::string& bytes) {
    base::Sha1 sha1;
    sha1.add(bytes);
    std::string out;
    for (const std::uint8_t byte : sha1.finish()) out += static_cast<char>(byte);
    return out;
}

std::string index_of(const std::vector<std::string>& entries, const std::string& extensions = "") {
    std::string out = "DIRC" + big_endian(2, 4) + big_endian(static_cast<std::uint32_t>(entries.size()), 4);
    for (const std::string& one : entries) out += one;
    out += extensions;
    return out + sum_of(out);
}

// The files, or why there are none.
std::string files_of(const std::string& index, const std::string& shared = "") {
    const auto parsed = base::GitIndex::parse(index, base::GitHash::sha1,
                                              [&](const std::string&) -> base::Result<std::string> { return shared; });
    if (!parsed) return parsed.error().message;
    std::string out;
    parsed->for_each_file(base::GitIndex::kRoot,
                          [&](const base::Path& path, const std::string&) { out += (out.empty() ? "" : " ") + path; });
    return out;
}

}  // namespace

TEST_CASE("git index: files, a conflict, a submodule, and what is no path of a work tree") {
    CHECK(files_of(index_of({entry("a/b/c.py"), entry("a/d"), entry("m", 0160000), entry("z", 0120000)})) ==
          "z a/d a/b/c.py");
    CHECK(files_of(index_of({entry("a", 0100644, 1), entry("a", 0100644, 2), entry("a/b", 0100644, 3)})) == "a a/b");
    CHECK(files_of(index_of({})) == "");
    const std::string leads_out = "git's index has a path that leads out of the work tree",
                      damaged = "git's index is damaged";
    for (const char* path : {"../a", "a/../b", "/a", "a//b", ".git/a", "a/.Git/b", "./a", "a/"})
        CHECK(files_of(index_of({entry(path)})) == leads_out);
    CHECK(files_of(index_of({entry(std::string(256, 'n'))})) == leads_out);
    CHECK(files_of(index_of({entry("b"), entry("a")})) == damaged);
    CHECK(files_of(index_of({entry("a"), entry("a")})) == damaged);
    CHECK(files_of(index_of({entry("a", 0)})) == damaged);
    CHECK(files_of(index_of({entry("a/", 0040000)})) == damaged);
    CHECK(files_of(index_of({entry("a/", 0040000)}, std::string("sdir\0\0\0\0", 8))) == "");
    CHECK(files_of(index_of({}, std::string("TREE\0\0\0\1x", 9))) == "");
    CHECK(files_of(index_of({}, std::string("tree\0\0\0\1x", 9))) ==
          "git's index has a part that is not known and cannot be left away");
    const std::string whole = index_of({entry("a")});
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) CHECK(files_of(whole.substr(0, bytes)) != "a");
    CHECK(files_of(whole.substr(0, whole.size() - 20) + std::string(20, '\0')) == "a");
}

TEST_CASE("git index: a split one") {
    const std::string shared = index_of({entry("a"), entry("b/c"), entry("d")});
    const std::string sum = shared.substr(shared.size() - 20);
    const auto link = [&](const std::string& content) {
        return "link" + big_endian(static_cast<std::uint32_t>(content.size()), 4) + content;
    };
    // Bits as git compresses them: one word, as it is.
    const auto bits = [](std::uint32_t word) {
        return big_endian(3, 4) + big_endian(2, 4) + big_endian(2, 4) + big_endian(0, 4) + big_endian(0, 4) +
               big_endian(word, 4) + big_endian(0, 4);
    };
    CHECK(files_of(index_of({entry("e")}, link(sum)), shared) == "e a d b/c");
    CHECK(files_of(index_of({entry("b/e")}, link(sum + bits(2) + bits(0))), shared) == "b/e a d");
    CHECK(files_of(index_of({entry("", 0160000), entry("e")}, link(sum + bits(0) + bits(1))), shared) == "e d b/c");
    CHECK(files_of(index_of({entry("e")}, link(std::string(20, '\0')))) == "e");
    for (const auto& [gone, changed] : {std::pair(8u, 0u), std::pair(0u, 8u), std::pair(0u, 1u)})
        CHECK(files_of(index_of({}, link(sum + bits(gone) + bits(changed))), shared) == "git's index is damaged");
    CHECK(files_of(index_of({}, link(std::string(20, 'x'))), shared) == "git's shared index is another one");
    CHECK(files_of(index_of({entry("")})) == "git's index is damaged");
}

TEST_CASE("git index: read from the disk, of a worktree with its settings elsewhere") {
    test::MemoryFileSystem fs;
    fs.add("/w/.git", "gitdir: /p/.git/worktrees/w\n");
    CHECK_FALSE(base::read_git_index(fs, "/w")->has_value());
    fs.add("/p/.git/worktrees/w/commondir", "../..\n");
    fs.add("/p/.git/worktrees/w/index", index_of({entry("a")}));
    CHECK((*base::read_git_index(fs, "/w"))->has_file(base::GitIndex::kRoot, "a"));
    fs.add("/p/.git/config", "[core]\n\tbare = false\n[Extensions]\n\tobjectFormat = sha256 ; new\n");
    const auto other = base::read_git_index(fs, "/w");
    REQUIRE_FALSE(other);
    CHECK(other.error().where == "/p/.git/worktrees/w/index");
}
