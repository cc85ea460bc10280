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

TEST_CASE("shard set: a worker that begins when another has published the same shard leaves the output as it is") {
    test::MemoryFileSystem fs;
    const auto opened = ckpt::ShardSet::open(fs, "out", {1, 1}, 7);
    REQUIRE(opened);
    fs.add("out/config.json", "{}");
    fs.add("out/conversion_manifest.json", "{}");
    const auto begun = opened->begin();
    REQUIRE_FALSE(begun);
    CHECK(begun.error().text() == "out: another run of this shard has published the output; nothing is left to do");
    CHECK(fs.files() == std::vector<base::Path>{"out/config.json", "out/conversion_manifest.json"});
    CHECK_FALSE(fs.exists("out/.shards"));
}

TEST_CASE("shard set: a file of somebody's beside the shards is not a published output") {
    test::MemoryFileSystem fs;
    const auto opened = ckpt::ShardSet::open(fs, "out", {1, 2}, 7);
    REQUIRE(opened);
    auto begun = opened->begin();
    REQUIRE(begun);
    fs.add("out/slurm.log", "of the job");
    REQUIRE(opened->begin());
    REQUIRE(opened->finish(*begun, {}, {}));
    CHECK(opened->missing() == 1);
}

TEST_CASE("shard set: a worker whose directory another run has removed does not make it again") {
    test::MemoryFileSystem fs;
    const auto opened = ckpt::ShardSet::open(fs, "out", {1, 1}, 7);
    REQUIRE(opened);
    auto begun = opened->begin();
    REQUIRE(begun);
    REQUIRE(fs.remove(begun->path()));
    REQUIRE(fs.remove("out/.shards"));
    const auto file = begun->create("hf_config/config.json");
    REQUIRE_FALSE(file);
    CHECK(file.error().text() ==
          begun->path() + ": is gone: another run has published this output, or somebody removed it");
    CHECK_FALSE(fs.exists("out/.shards"));
}

TEST_CASE("shard set: half a manifest that a worker left is not published") {
    test::MemoryFileSystem fs;
    const auto opened = ckpt::ShardSet::open(fs, "out", {1, 1}, 7);
    REQUIRE(opened);
    auto begun = opened->begin();
    REQUIRE(begun);
    REQUIRE(opened->finish(*begun, {}, {}));
    REQUIRE(fs.make_directories("out/.shards/whole"));
    fs.add("out/.shards/whole/.conversion_manifest.json.0123456789abcdef.unfinished", "{");
    CHECK(opened->publish_if_complete() == true);
    CHECK(fs.files() == std::vector<base::Path>{"out/conversion_manifest.json"});
}
