#include "migrator/edit/edit.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "migrator/edit/line_diff.h"

using migrator::Edit;
using migrator::EditSet;

namespace {

std::string random_text(std::mt19937& random, std::size_t lines, int alphabet) {
    std::string text;
    for (std::size_t i = 0; i < lines; ++i)
        text += std::string(1, static_cast<char>('a' + random() % static_cast<unsigned>(alphabet))) + "\n";
    return text;
}

// Plays the changes back on the old lines.
std::string replay(std::string_view old_text, std::string_view new_text) {
    auto old_lines = migrator::split_lines(old_text);
    auto new_lines = migrator::split_lines(new_text);
    std::string out;
    std::size_t at = 0;
    for (const auto& change : migrator::diff_lines(old_lines, new_lines)) {
        for (; at < change.old_begin; ++at) out += old_lines[at];
        at += change.old_count;
        for (std::size_t i = 0; i < change.new_count; ++i) out += new_lines[change.new_begin + i];
    }
    for (; at < old_lines.size(); ++at) out += old_lines[at];
    return out;
}

}  // namespace

TEST_CASE("edit set: sorted application, insertions in their order, before what they stand in front of") {
    EditSet set;
    CHECK(set.add({{{4, 7}, "npu"}}));
    CHECK(set.add({{{4, 4}, "<"}}));
    CHECK(set.add({{{4, 4}, "["}}));
    CHECK(set.add({{{7, 7}, ">"}, {{0, 1}, "A"}}));
    CHECK(set.apply("abc cuda") == "Abc <[npu>a");
}

TEST_CASE("edit set: all edits of an addition or none; equal edits are kept once") {
    EditSet set;
    CHECK(set.add({{{2, 5}, "x"}}));
    CHECK_FALSE(set.add({{{0, 1}, "y"}, {{4, 6}, "z"}}));
    CHECK(set.edits().size() == 1);
    CHECK(set.add({{{2, 5}, "x"}, {{5, 6}, "z"}, {{5, 6}, "z"}}));
    CHECK(set.edits().size() == 2);
    CHECK_FALSE(set.add({{{2, 5}, "other"}}));
    CHECK_FALSE(set.add({{{3, 3}, "inside"}}));
    CHECK_FALSE(set.add({{{8, 9}, "1"}, {{8, 9}, "2"}}));
    CHECK(set.add({{{2, 2}, "at the edge"}}));
    CHECK_FALSE(EditSet{}.add({{{1, 3}, "a"}, {{2, 2}, "inside"}}));
}

TEST_CASE("edit set: agrees with a naive model") {
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        std::string text(20, '.');
        EditSet set;
        std::vector<Edit> accepted;
        for (int i = 0; i < 8; ++i) {
            std::uint64_t begin = random() % 20;
            std::uint64_t end = std::min<std::uint64_t>(20, begin + random() % 4);
            Edit edit{{begin, end}, std::string(1, static_cast<char>('a' + i))};
            bool free = std::none_of(accepted.begin(), accepted.end(), [&](const Edit& other) {
                // Naive: ranges share a byte, or one lies strictly inside the other.
                auto strictly_inside = [](std::uint64_t p, const base::ByteRange& r) {
                    return p > r.begin && p < r.end;
                };
                if (edit.range.size() == 0 && other.range.size() == 0) return false;
                if (edit.range.size() == 0) return strictly_inside(begin, other.range);
                if (other.range.size() == 0) return strictly_inside(other.range.begin, edit.range);
                return std::max(begin, other.range.begin) < std::min(end, other.range.end);
            });
            CHECK(set.add({edit}) == free);
            if (free) accepted.push_back(edit);
        }
        // Naive application: from the back, so that earlier offsets stay valid.
        std::stable_sort(accepted.begin(), accepted.end(), [](const Edit& a, const Edit& b) {
            if (a.range.begin != b.range.begin) return a.range.begin < b.range.begin;
            return a.range.size() == 0 && b.range.size() != 0;
        });
        std::string expected = text;
        for (auto it = accepted.rbegin(); it != accepted.rend(); ++it) {
            expected.replace(it->range.begin, it->range.size(), it->replacement);
        }
        CHECK(set.apply(text) == expected);
    }
}

TEST_CASE("unified diff: hunks with three lines of context") {
    std::string old_text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
    std::string new_text = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\nnew\n14\n15\n";
    CHECK(migrator::unified_diff(old_text, new_text, "a dir/x.py") ==
          "--- a/a dir/x.py\t\n+++ b/a dir/x.py\t\n"
          "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
          "@@ -11,5 +11,6 @@\n 11\n 12\n 13\n+new\n 14\n 15\n");
    CHECK(migrator::unified_diff("same", "same", "x").empty());
}

TEST_CASE("unified diff: carriage returns stay, a missing last newline is marked, odd names are quoted") {
    CHECK(migrator::unified_diff("a\r\nb", "a\r\nc", "x") ==
          "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\r\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of "
          "file\n");
    CHECK(migrator::unified_diff("", "a\n", "x") == "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
    CHECK(migrator::unified_diff("a\n", "", "q\"\n") ==
          "--- \"a/q\\\"\\012\"\n+++ \"b/q\\\"\\012\"\n@@ -1 +0,0 @@\n-a\n");
}

TEST_CASE("line diff: the changes turn the old lines into the new ones, with a shortest script") {
    std::mt19937 random(11);
    for (int round = 0; round < 400; ++round) {
        std::string a = random_text(random, random() % 14, 3);
        std::string b = random_text(random, random() % 14, 3);
        CHECK(replay(a, b) == b);
        auto old_lines = migrator::split_lines(a);
        auto new_lines = migrator::split_lines(b);
        std::size_t script = 0;
        for (const auto& change : migrator::diff_lines(old_lines, new_lines))
            script += change.old_count + change.new_count;
        std::vector<std::vector<std::size_t>> longest(old_lines.size() + 1,
                                                      std::vector<std::size_t>(new_lines.size() + 1));
        for (std::size_t i = 1; i <= old_lines.size(); ++i) {
            for (std::size_t j = 1; j <= new_lines.size(); ++j) {
                longest[i][j] = old_lines[i - 1] == new_lines[j - 1] ? longest[i - 1][j - 1] + 1
                                                                     : std::max(longest[i - 1][j], longest[i][j - 1]);
            }
        }
        CHECK(script == old_lines.size() + new_lines.size() - 2 * longest.back().back());
    }
}

TEST_CASE("line diff: many lines, few and many changes") {
    std::string a;
    for (int i = 0; i < 100'000; ++i) a += std::to_string(i) + "\n";
    std::string b = a;
    b.replace(b.find("50000\n"), 6, "changed\n");
    b += "more\n";
    CHECK(replay(a, b) == b);
    CHECK(migrator::unified_diff(a, b, "x").size() < 300);

    std::mt19937 random(3);
    std::string c = random_text(random, 30'000, 20);
    std::string d = random_text(random, 30'000, 20);
    CHECK(replay(c, d) == d);
}
