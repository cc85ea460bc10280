#include "ckpt_convert/execute/shard_set.h"

#include <doctest/doctest.h>

#include "tests/support/memory_file_system.h"

TEST_CASE("shard set: an empty directory of shards is that of a worker that begins at this moment") {
    test::MemoryFileSystem fs;
    REQUIRE(fs.make_directories("out/.shards"));
    REQUIRE(ckpt::ShardSet::open(fs, "out", {2, 2}, 7));
    CHECK(fs.exists("out/.shards"));
}

TEST_CASE("shard set: beside an output it is what a worker left that died at its last step") {
    test::MemoryFileSystem fs;
    REQUIRE(fs.make_directories("out/.shards"));
    fs.add("out/config.json", "{}");
    const auto opened = ckpt::ShardSet::open(fs, "out", {2, 2}, 7);
    REQUIRE_FALSE(opened);
    CHECK(opened.error().text() == "out: the output directory is not empty; name a new one, or empty it first");
    CHECK(fs.files() == std::vector<base::Path>{"out/config.json"});
    CHECK_FALSE(fs.exists("out/.shards"));
}
