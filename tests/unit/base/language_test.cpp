#include "base/language.h"

#include <doctest/doctest.h>

using base::Language;

TEST_CASE("a language has whole texts, and sentences in texts that were put together") {
    const Language some(base::Dictionary{{"no files", "没有文件"},
                                         {"{} files", "{} 个文件"},
                                         {"there is no \"{}\"{}", "没有“{}”{}"},
                                         {"; did you mean \"{}\"?", "；是否想用“{}”？"},
                                         {"{what}; see {command} --help", "{what}；参见 {command} --help"},
                                         {"published {} in {}", "在 {1} 中发布 {0}"}});
    CHECK(some.text("no files") == "没有文件");
    CHECK(some.text("some files") == "some files");
    CHECK(some.said("published 3 files in out") == "在 out 中发布 3 个文件");
    CHECK(some.said("there is no \"a\"; did you mean \"b\"?; see x --help") == "没有“a”；是否想用“b”？；参见 x --help");
    CHECK(some.lines("  no files\n\n    3 files\nx\n") == "  没有文件\n\n    3 个文件\nx\n");
    CHECK(some.format("{} files", 4) == "4 个文件");
    CHECK(some.plural(1, "file") == "1 file");
    CHECK(some.error_text({base::ErrorKind::usage, "no files", "a.py", {"published 1 in 2"}}) ==
          "a.py: 没有文件 (在 2 中发布 1)");
    CHECK(some.error_text({base::ErrorKind::bad_input, "a.b: \"c: d\": published 3 in o", "x", {}}) ==
          "x: a.b: \"c: d\": 在 o 中发布 3");
    CHECK(some.error_text({base::ErrorKind::bad_input, "a.b: nothing", "", {}}) == "a.b: nothing");
    CHECK(some.said("a.b: published 3 in o") == "a.b: published 3 in o");
    // What stands around any sentence goes first, however long the sentence is.
    CHECK(some.said("published 3 in o; see x --help") == "在 o 中发布 3；参见 x --help");
}

TEST_CASE("a name that is also a word of the dictionary stays a name") {
    const Language some(base::Dictionary{{"files", "文件"}, {"there is no \"{}\"", "没有“{}”"}});
    CHECK(some.said("there is no \"files\"") == "没有“files”");
}

TEST_CASE("English has nothing to look up") {
    CHECK(Language().code() == "en");
    CHECK(Language().said("there is no file") == "there is no file");
    CHECK(Language().lines("a\n\n b") == "a\n\n b");
    CHECK(Language().format("{} of {}", 1, 2) == "1 of 2");
}

TEST_CASE("a page is formatted in its language, and what it shows is printable") {
    const Language some(base::Dictionary{{"{} of {}\n", "{1} 中的 {0}\n"}});
    CHECK(some.show("{} of {}\n", "a\nb", 3) == "3 中的 a\\x0ab\n");
    CHECK(Language().show("{} of {}\n", "a", 3) == "a of 3\n");
}

TEST_CASE("a value of a finding that is also a word of a page stays a name") {
    const base::DataStore store;
    const auto chinese = Language::load(store, "zh");
    REQUIRE(chinese);
    CHECK(chinese->text("layer") != "layer");
    const base::Message finding("The distributed back end of the NPU is hccl: {name} becomes {to}.",
                                {{"name", "layer"}, {"to", "shape"}});
    const std::string said = chinese->message(finding);
    CHECK(said != finding.text());
    CHECK(said.find("layer") != said.npos);
    CHECK(said.find("shape") != said.npos);
}
