#include "ckpt_convert/execute/staged_output.h"

#include <doctest/doctest.h>

#include "base/run_journal.h"
#include "tests/support/memory_file_system.h"

TEST_CASE("staged output: a run that died before it said what it converts is gone on with") {
    test::MemoryFileSystem fs;
    REQUIRE(fs.make_directories("out"));
    {
        auto journal = base::RunJournal::open(fs, "out/.ckpt_convert.run");
        REQUIRE(journal);
        REQUIRE(journal->start());
        REQUIRE(journal->say("staging", ".unfinished-00"));
    }
    auto begun = ckpt::StagedOutput::begin(fs, "out", "of this conversion", ckpt::Unfinished::kept);
    REQUIRE(begun);
    CHECK(begun->kept().empty());
    REQUIRE(begun->write("a.txt", "a"));
    REQUIRE(begun->commit({}, {}));
    CHECK(fs.files() == std::vector<base::Path>{"out/a.txt"});
}

TEST_CASE("staged output: what another conversion left is kept when it shall go on") {
    test::MemoryFileSystem fs;
    REQUIRE(fs.make_directories("out"));
    {
        auto journal = base::RunJournal::open(fs, "out/.ckpt_convert.run");
        REQUIRE(journal);
        REQUIRE(journal->start());
        REQUIRE(journal->say("staging", ".unfinished-00"));
        REQUIRE(journal->say("conversion", "another"));
    }
    const auto begun = ckpt::StagedOutput::begin(fs, "out", "of this conversion", ckpt::Unfinished::kept);
    REQUIRE_FALSE(begun);
    CHECK(begun.error().text().find("belongs to another conversion") != std::string::npos);
}
