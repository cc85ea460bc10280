#include "migrator/project/translations.h"

#include <doctest/doctest.h>

#include "migrator/project/knowledge.h"
#include "tests/support/memory_file_system.h"

using migrator::load_knowledge;

namespace {

base::Result<migrator::Knowledge> with_file(const std::string& content) {
    test::MemoryFileSystem fs;
    fs.add("own/translations/zh/own.json", content);
    return load_knowledge(fs, "own");
}

std::string error_of(const std::string& content) {
    const auto knowledge = with_file(content);
    return knowledge ? "none" : knowledge.error().text();
}

}  // namespace

TEST_CASE("translations: rules of one's own bring theirs") {
    const auto knowledge = with_file(R"({"schema": 1, "texts": {"My message.": "我的消息。"}})");
    REQUIRE(knowledge);
    const base::Dictionary& chinese = knowledge->translations.at("zh");
    CHECK(chinese.at("My message.") == "我的消息。");
    CHECK(chinese.at("Used {count} times in this file.") == "在此文件中使用了 {count} 次。");
}

TEST_CASE("translations: loading is strict") {
    CHECK(error_of(R"({"schema": 2, "texts": {}})").find("\"schema\" must be 1") != std::string::npos);
    CHECK(error_of(R"({"schema": 1})").find("texts") != std::string::npos);
    CHECK(error_of(R"({"schema": 1, "texts": {"a": 1}})") != "none");
    CHECK(error_of(R"({"schema": 1, "texts": {"a": "b"}, "more": 1})").find("the key \"more\" is not known here") !=
          std::string::npos);
    CHECK(
        error_of(R"({"schema": 1, "texts": {"Used {count} times in this file.": "x"}})").find("is translated twice") !=
        std::string::npos);
}
