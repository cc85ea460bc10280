#include "base/nearest_word.h"

#include <doctest/doctest.h>

#include "base/missing_path.h"
#include "tests/support/memory_file_system.h"

namespace {

const std::vector<std::string> kWords{"analyze", "migrate", "undo"};

}  // namespace

TEST_CASE("nearest word: a slip of the keyboard is forgiven, another word is not") {
    CHECK(base::nearest_word("analyse", kWords) == "analyze");
    CHECK(base::did_you_mean("migrte", kWords) == "; did you mean \"migrate\"?");
    CHECK(base::did_you_mean("convert", kWords).empty());
    CHECK(base::did_you_mean_or_all("convert", kWords) == "; there are analyze, migrate, undo");
    CHECK(base::nearest_word(std::string(200, 'a'), kWords).empty());
}

TEST_CASE("missing path: the part that was mistyped is named with what is there") {
    test::MemoryFileSystem fs;
    fs.add("samples/gpt_train/train.py", "");
    const auto says = [&](const char* path) { return base::missing_path(fs, path).text(); };
    CHECK(says("samples/gpt_trian") ==
          "samples/gpt_trian: there is no such file or directory; did you mean \"samples/gpt_train\"?");
    CHECK(says("sample/gpt_train/train.py") ==
          "sample/gpt_train/train.py: there is no such file or directory; did you mean \"samples\"?");
    CHECK(says("nothing/like/it") == "nothing/like/it: there is no such file or directory");
}
