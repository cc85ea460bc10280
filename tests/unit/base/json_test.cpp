#include <cmath>
#include <limits>

#include <doctest/doctest.h>

#include "base/json.h"
#include "base/json_writer.h"

using base::parse_json;

TEST_CASE("json: values keep their order, kind and place") {
    auto document = parse_json("{\"b\": 1,\n \"a\": [true, null, -2.5, \"x\\u00e9\"]}", "f.json");
    REQUIRE(document);
    const auto& members = *document->root.object();
    REQUIRE(members.size() == 2);
    CHECK(members[0].first == "b");
    CHECK(*members[0].second.integer() == 1);
    const auto& items = *members[1].second.array();
    CHECK(*items[0].boolean() == true);
    CHECK(items[1].is_null());
    CHECK(*items[2].real() == -2.5);
    CHECK(*items[3].string() == "x\xC3\xA9");
    CHECK(document->where(items[3]) == "f.json:2:34");
    CHECK(document->root.find_path("a") == &members[1].second);
}

TEST_CASE("json: what is not strict is refused, with its place") {
    struct Row {
        const char* text;
        const char* message;
    };
    const Row rows[] = {
        {"{\"a\": 1, \"a\": 2}", "the key \"a\" appears twice in one object"},
        {"18446744073709551616", "the integer 18446744073709551616 needs more than 64 bits"},
        {"[1e999]", "not valid JSON: number overflow parsing '1e999'"},
        {"\xEF\xBB\xBF{}", "JSON must not start with a byte order mark"},
    };
    for (const Row& row : rows) {
        auto document = parse_json(row.text, "f");
        REQUIRE_FALSE(document);
        CHECK(document.error().message == row.message);
        CHECK(document.error().kind == base::ErrorKind::bad_input);
    }
    CHECK_FALSE(parse_json("", "f"));
    CHECK_FALSE(parse_json("{} x", "f"));
    CHECK_FALSE(parse_json("\"\xFF\"", "f"));
    CHECK(parse_json("18446744073709551615", "f"));
}

TEST_CASE("json: what Python writes for numbers that are not finite is read where it is asked for") {
    const std::string text = R"({"limits": [0.0, Infinity, -Infinity,NaN], "Infinity": "NaN \" Infinity"})";
    CHECK_FALSE(base::parse_json(text, "config.json"));
    auto document = base::parse_json(text, "config.json", base::kPythonJson);
    REQUIRE(document);
    const auto& limits = *document->root.find("limits")->array();
    CHECK(*limits[1].real() == std::numeric_limits<double>::infinity());
    CHECK(*limits[2].real() == -std::numeric_limits<double>::infinity());
    CHECK(std::isnan(*limits[3].real()));
    CHECK(limits[1].offset() == text.find("Infinity") + 8);
    CHECK(limits[3].offset() == text.find("NaN") + 3);
    CHECK(*document->root.find("Infinity")->string() == "NaN \" Infinity");
    base::JsonWriter json(0);
    json.value(document->root);
    CHECK(std::move(json).take() == R"({"limits":[0.0,Infinity,-Infinity,NaN],"Infinity":"NaN \" Infinity"})");
    CHECK_FALSE(base::parse_json("[Infinit]", "config.json", base::kPythonJson));
    CHECK_FALSE(base::parse_json("[1.79e309]", "config.json", base::kPythonJson));
}

TEST_CASE("json: nesting is limited on both sides of the limit") {
    base::JsonLimits limits{3};
    CHECK(parse_json("[[[]]]", "f", limits));
    auto deep = parse_json("[[[[]]]]", "f", limits);
    REQUIRE_FALSE(deep);
    CHECK(deep.error().message == "values are nested deeper than 3 levels");
    CHECK_FALSE(parse_json(std::string(1'000'000, '['), "f"));
}

TEST_CASE("json writer: order, escapes and layout") {
    base::JsonWriter writer(2);
    writer.begin_object()
        .key("z")
        .integer(-1)
        .key("a")
        .begin_array()
        .string("q\"\n\x01\xFF")
        .boolean(false)
        .end_array();
    writer.key("e").begin_object().end_object().end_object();
    CHECK(std::move(writer).take() ==
          "{\n  \"z\": -1,\n  \"a\": [\n    \"q\\\"\\n\\u0001\xEF\xBF\xBD\",\n    false\n  ],\n  \"e\": {}\n}");
    base::JsonWriter compact(0);
    compact.begin_array().number(0.1).null().end_array();
    CHECK(std::move(compact).take() == "[0.1,null]");
    base::JsonWriter copy(0);
    copy.value(base::parse_json("[1.0,1,1e-7,1e22]", "x")->root);
    CHECK(std::move(copy).take() == "[1.0,1,1e-07,1e+22]");
}

TEST_CASE("json writer: a long text goes to its sink in parts") {
    std::vector<std::string> parts;
    base::JsonWriter writer([&](std::string_view part) { parts.emplace_back(part); }, 0);
    writer.begin_array();
    for (const char letter : {'a', 'b', 'c'}) writer.string(std::string(60'000, letter));
    writer.end_array();
    CHECK(parts.size() == 1);
    writer.finish();
    REQUIRE(parts.size() == 2);
    CHECK(parts[0] == "[\"" + std::string(60'000, 'a') + "\",\"" + std::string(60'000, 'b') + "\"");
    CHECK(parts[1] == ",\"" + std::string(60'000, 'c') + "\"]");
}
