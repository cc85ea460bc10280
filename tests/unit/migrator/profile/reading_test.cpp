#include <doctest/doctest.h>

#include "base/compress.h"
#include "migrator/compare/sequence_match.h"
#include "migrator/profile/csv_rows.h"
#include "migrator/profile/intervals.h"
#include "migrator/profile/ticks.h"
#include "migrator/profile/trace_events.h"
#include "tests/support/memory_file_system.h"

using namespace migrator;

namespace {

struct ReadTrace {
    std::vector<std::string> names;
    std::string damage;
    std::size_t header = 0;
};

ReadTrace read_events(const std::string& text) {
    test::MemoryFileSystem fs;
    fs.add("t.json", text);
    auto events = TraceEvents::open(fs, "t.json");
    REQUIRE(events.has_value());
    ReadTrace out;
    for (;;) {
        const auto event = events->next();
        REQUIRE(event.has_value());
        if (*event == nullptr) break;
        out.names.emplace_back((*event)->name);
    }
    out.damage = events->damage();
    out.header = events->header().size();
    return out;
}

}  // namespace

TEST_CASE("profile: times keep every digit") {
    CHECK(*parse_moment("1736408883688177.930") == Moment{1736408883688177, 93'000'000});
    CHECK(*parse_moment("-0.5") == Moment{-1, 50'000'000});
    CHECK(*parse_moment(" 12\t") == Moment{12, 0});
    CHECK(*parse_duration("2.30003125") == 230'003'125);
    CHECK(*parse_duration("1.5e3") == 1500 * kTicksPerMicrosecond);
    for (const char* text : {"", ".", "abc", "1e400", "99999999999999999999", "N/A", "1.2.3"})
        CHECK_FALSE(parse_moment(text).has_value());
    TimeOrigin origin;
    origin.set({1736408883688177, 0});
    CHECK(*origin.ticks({1736408883688178, 5}) == kTicksPerMicrosecond + 5);
    CHECK_FALSE(origin.ticks({0, 0}).has_value());
}

TEST_CASE("profile: events of both kinds of traces, in any order of keys") {
    CHECK(read_events(R"([{"name": "a"}, {"args": {"x": [1, {"y": "]}"}]}, "name": "b\u0041\"\\"}])").names ==
          std::vector<std::string>{"a", "bA\"\\"});
    const ReadTrace trace = read_events(R"({"a": 1, "traceEvents": [{"name": "x"},], "b": {"c": []}} )");
    CHECK(trace.names == std::vector<std::string>{"x"});
    CHECK(trace.header == 2);
    CHECK(trace.damage.empty());
    CHECK(read_events("[]").damage.empty());
    CHECK(read_events(R"({"traceEvents": []})").damage.empty());
}

TEST_CASE("profile: a trace that ends anywhere gives the events before") {
    const std::string text =
        R"({"s": 1, "traceEvents": [{"name": "one", "ts": 1.5}, {"name": "t\\wo", "args": {"a": ["}", 2]}}], "t": "u"})";
    const std::size_t first = text.find('}') + 1, second = text.find("]}}") + 3;
    for (std::size_t length = 1; length < text.size(); ++length) {
        CAPTURE(length);
        for (const std::string& packed : {text.substr(0, length), base::gzip(text.substr(0, length))}) {
            const ReadTrace trace = read_events(packed);
            CHECK(trace.names.size() == (length >= first ? 1u : 0u) + (length >= second ? 1u : 0u));
            CHECK_FALSE(trace.damage.empty());
        }
    }
}

TEST_CASE("profile: what follows the end is named") {
    for (const char* text : {"[{}] [{}]", "{\"traceEvents\": []}{", "[],"}) {
        CAPTURE(text);
        CHECK(read_events(text).damage.find("more follows the end") != std::string::npos);
    }
    CHECK(read_events("[{}]\n\n \t").damage.empty());
}

TEST_CASE("profile: an event larger than a window, and one that is too large") {
    const std::string large(3 << 20, 'x');
    CHECK(read_events(R"([{"name": "a", "args": {"t": ")" + large + R"("}}, {"name": "b"}])").names.size() == 2);
    test::MemoryFileSystem fs;
    fs.add("t.json", R"([{"name": ")" + std::string(65 << 20, 'x') + R"("}])");
    auto events = TraceEvents::open(fs, "t.json");
    REQUIRE(events.has_value());
    CHECK_FALSE(events->next().has_value());
}

TEST_CASE("profile: rows of a CSV file") {
    test::MemoryFileSystem fs;
    fs.add("t.csv",
           "\xef\xbb\xbf"
           "A,B,C\r\n1\t,\"\"\"2,3;4\"\"\",x\r\n\r\nA,B,C\r\n\"a\nb\",N/A,\r\n5,6,\n");
    auto rows = CsvRows::open(fs, "t.csv");
    REQUIRE(rows.has_value());
    const auto a = rows->column({"Z", "A"}), b = rows->column({"B"}), c = rows->column({"C"}),
               none = rows->column({"D"});
    REQUIRE(*rows->next());
    CHECK(rows->number(a) == 1);
    CHECK((*rows)[b] == "\"2,3;4\"");
    CHECK((*rows)[none].empty());
    REQUIRE(*rows->next());
    CHECK((*rows)[a] == "a\nb");
    CHECK(rows->number(b) != rows->number(b));
    CHECK((*rows)[c].empty());
    REQUIRE(*rows->next());
    CHECK(rows->number(b) == 6);
    CHECK_FALSE(*rows->next());
    CHECK(rows->damage().empty());
    fs.add("cut.csv", "A\n1\n\"2");
    auto cut = CsvRows::open(fs, "cut.csv");
    REQUIRE(*cut->next());
    CHECK_FALSE(*cut->next());
    CHECK(cut->damage() == "the file ends inside the quotes of row 3");
    fs.add("cut.csv", "A,B\n1,2\n3,4");
    cut = CsvRows::open(fs, "cut.csv");
    REQUIRE(*cut->next());
    CHECK_FALSE(*cut->next());
    CHECK(cut->damage() == "the file ends inside row 3");
    fs.add("joined.csv", "A,B\n1,2\nA,B,C\n3,4,5\n");
    cut = CsvRows::open(fs, "joined.csv");
    REQUIRE(*cut->next());
    CHECK_FALSE(*cut->next());
    CHECK(cut->damage().starts_with("row 3 has 3 columns and the first row 2, "));
}

TEST_CASE("profile: unions of intervals") {
    const auto all = merged({{5, 9}, {1, 3}, {3, 4}, {8, 12}, {7, 7}});
    CHECK(length_of(all) == 10);
    CHECK(length_in_both(all, merged({{0, 2}, {6, 20}})) == 7);
}

TEST_CASE("profile: sequences are paired as difflib does") {
    const auto pairs = matched({1, 2, 3, 4, 5}, {2, 3, 9, 5});
    std::string shown;
    for (const MatchedPair& pair : pairs) {
        shown += pair.base == MatchedPair::kNone ? "-" : std::to_string(pair.base);
        shown += pair.compared == MatchedPair::kNone ? "- " : std::to_string(pair.compared) + " ";
    }
    CHECK(shown == "0- 10 21 3- -2 43 ");
}

TEST_CASE("profile: long sequences are paired in pieces, and none is lost") {
    const std::vector<std::uint32_t> base(50'000, 7), compared(60'000, 7);
    const auto pairs = matched(base, compared);
    CHECK(pairs.size() == 60'000);
    CHECK(pairs[49'999].base == 49'999);
    CHECK(pairs[59'999].base == MatchedPair::kNone);
}
