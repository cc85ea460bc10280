#include "migrator/source/glob.h"

#include <doctest/doctest.h>

using migrator::IgnoreFile;
using migrator::PathPattern;

namespace {

bool matches(std::string_view pattern, std::string_view path, bool directory = false) {
    const auto parsed = PathPattern::parse(pattern);
    return parsed && parsed->matches(path, directory);
}

std::string decide(std::string_view content, std::string_view path, bool directory = false) {
    const auto decision = IgnoreFile::parse(content).decide(path, directory);
    return !decision ? "silent" : *decision ? "ignored" : "kept";
}

}  // namespace

TEST_CASE("glob: a name matches at any depth, a path from its directory") {
    CHECK(matches("a.py", "a.py"));
    CHECK(matches("a.py", "x/y/a.py"));
    CHECK_FALSE(matches("a.py", "b.py"));
    CHECK_FALSE(matches("a.py", "a.pyc"));
    CHECK(matches("/a.py", "a.py"));
    CHECK_FALSE(matches("/a.py", "x/a.py"));
    CHECK(matches("x/a.py", "x/a.py"));
    CHECK_FALSE(matches("x/a.py", "y/x/a.py"));
}

TEST_CASE("glob: stars stay in a component, question marks take one character") {
    CHECK(matches("*.py", "x/a.py"));
    CHECK(matches("*", "anything"));
    CHECK(matches("a*b*c", "aXbYbZc"));
    CHECK_FALSE(matches("a*b*c", "aXbY"));
    CHECK(matches("x/*.py", "x/a.py"));
    CHECK_FALSE(matches("x/*.py", "x/y/a.py"));
    CHECK(matches("?.py", "a.py"));
    CHECK_FALSE(matches("?.py", "ab.py"));
    CHECK(matches("*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaab"));
    CHECK_FALSE(matches("*a*a*a*a*a*a*a*a*a*a*b", std::string(10'000, 'a')));
}

TEST_CASE("glob: brackets") {
    CHECK(matches("[abc].py", "b.py"));
    CHECK(matches("[a-c].py", "b.py"));
    CHECK_FALSE(matches("[a-c].py", "d.py"));
    CHECK(matches("[!a-c].py", "d.py"));
    CHECK(matches("[^a-c].py", "d.py"));
    CHECK_FALSE(matches("[!a-c].py", "a.py"));
    CHECK(matches("[]x].py", "].py"));
    CHECK(matches("[a-].py", "-.py"));
    CHECK(matches("[[:digit:]_].py", "7.py"));
    CHECK(matches("[\\]].py", "].py"));
    CHECK_FALSE(matches("[a.py", "[a.py"));
    CHECK_FALSE(matches("[[:nonsense:]].py", "n.py"));
}

TEST_CASE("glob: backslashes") {
    CHECK(matches("\\*.py", "*.py"));
    CHECK_FALSE(matches("\\*.py", "a.py"));
    CHECK(matches("\\#a", "#a"));
    CHECK(matches("\\!a", "!a"));
    CHECK_FALSE(matches("a\\", "a\\"));
}

TEST_CASE("glob: two stars stand for directories") {
    CHECK(matches("**/a.py", "a.py"));
    CHECK(matches("**/a.py", "x/y/a.py"));
    CHECK(matches("x/**/a.py", "x/a.py"));
    CHECK(matches("x/**/a.py", "x/y/z/a.py"));
    CHECK_FALSE(matches("x/**/a.py", "y/a.py"));
    CHECK(matches("x/**", "x/y"));
    CHECK(matches("x/**", "x/y/z"));
    CHECK_FALSE(matches("x/**", "x"));
    CHECK(matches("**/x/**/y", "a/x/b/c/y"));
    CHECK(matches("x/**/**/y", "x/y"));
    CHECK(matches("a**b", "aXXb"));
    CHECK_FALSE(matches("x/a**b", "x/a/b"));
}

TEST_CASE("glob: directories only") {
    CHECK(matches("data/", "x/data", true));
    CHECK_FALSE(matches("data/", "data", false));
    CHECK(matches("/data/", "data", true));
    CHECK_FALSE(matches("/data/", "x/data", true));
    CHECK(PathPattern::parse("data/")->matches_file_or_parent("x/data/a.py"));
    CHECK(PathPattern::parse("src")->matches_file_or_parent("src/a.py"));
    CHECK_FALSE(PathPattern::parse("src/*.py")->matches_file_or_parent("src/x/a.py"));
    CHECK_FALSE(PathPattern::parse("").has_value());
    CHECK_FALSE(PathPattern::parse("/").has_value());
    CHECK_FALSE(PathPattern::parse("a//b").has_value());
}

TEST_CASE("gitignore: comments, blanks and order") {
    CHECK(decide("# a\n\n*.log\n", "a.log") == "ignored");
    CHECK(decide("*.log\n", "a.py") == "silent");
    CHECK(decide("*.log\n!keep.log\n", "keep.log") == "kept");
    CHECK(decide("!keep.log\n*.log\n", "keep.log") == "ignored");
    CHECK(decide("*.log   \n", "a.log") == "ignored");
    CHECK(decide("a\\ \n", "a ") == "ignored");
    CHECK(decide("a\\ \n", "a") == "silent");
    CHECK(decide("*.log\r\n", "a.log") == "ignored");
    CHECK(decide("\xEF\xBB\xBF*.log", "a.log") == "ignored");
    CHECK(decide("#a", "#a") == "silent");
    CHECK(decide("\\#a", "#a") == "ignored");
    CHECK(decide("!", "a") == "silent");
    CHECK(decide("foo/*\n!foo/bar\n", "foo/bar", true) == "kept");
}
