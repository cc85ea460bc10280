#include "migrator/source/git_head.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

const std::string kHash(40, 'a');
const std::string kOther(40, 'b');

}  // namespace

TEST_CASE("git head: of a branch, packed or not, of a detached head, and of a worktree") {
    test::MemoryFileSystem fs;
    fs.add("/p/src/a.py", "");
    CHECK(git_head(fs, "/p/src").empty());
    fs.add("/p/.git/HEAD", "ref: refs/heads/main\n");
    CHECK(git_head(fs, "/p/src").empty());
    fs.add("/p/.git/packed-refs", "# pack-refs with: peeled\n" + kOther + " refs/heads/main\n");
    CHECK(git_head(fs, "/p/src") == kOther);
    fs.add("/p/.git/refs/heads/main", kHash + "\n");
    CHECK(git_head(fs, "/p/src") == kHash);
    CHECK(git_head(fs, "/p/src/a.py") == kHash);
    fs.add("/w/.git", "gitdir: /p/.git/worktrees/w\n");
    fs.add("/p/.git/worktrees/w/HEAD", "ref: refs/heads/main\n");
    fs.add("/p/.git/worktrees/w/commondir", "/p/.git\n");
    fs.add("/p/.git/HEAD", kOther + "\n");
    CHECK(git_head(fs, "/p") == kOther);
}

TEST_CASE("git head: what leads elsewhere, or is not a hash, is not a commit") {
    test::MemoryFileSystem fs;
    fs.add("/p/.git/HEAD", "ref: ../../secret\n");
    fs.add("/secret", kHash + "\n");
    CHECK(git_head(fs, "/p").empty());
    fs.add("/p/.git/HEAD", "0123\n");
    CHECK(git_head(fs, "/p").empty());
}
