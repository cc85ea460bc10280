#include "base/record.h"

#include <doctest/doctest.h>

namespace {

enum class Colour { red, green };
constexpr std::string_view name(Colour colour) { return colour == Colour::red ? "red" : "green"; }

struct Part {
    std::string what;
    std::vector<std::string> names;
    base::Status check(const base::JsonPlace& at) const {
        return what == "bad" ? at.error("\"what\" is bad") : base::Status();
    }
};
constexpr auto record_of(const Part*) {
    return base::record("part", "a part", base::field("what", &Part::what, "its name").needed().not_blank(),
                        base::field("names", &Part::names, "others"));
}

constexpr std::array<std::string_view, 2> kAllowedWords{"a", "b"};

struct Whole {
    std::int64_t count = 1;
    std::uint32_t size = 0;
    bool flag = false;
    Colour colour = Colour::red;
    std::optional<std::string> text;
    std::optional<double> number;
    std::vector<std::string> some;
    std::string word = "a";
    std::vector<Part> parts;
    std::map<std::string, Part, std::less<>> by_name;
};
constexpr auto record_of(const Whole*) {
    return base::record("whole", "all kinds", base::field("count", &Whole::count, "").up_to(9),
                        base::field("size", &Whole::size, ""), base::field("flag", &Whole::flag, ""),
                        base::field("colour", &Whole::colour, ""), base::field("text", &Whole::text, "").always(),
                        base::field("number", &Whole::number, ""), base::field("some", &Whole::some, "").needed(),
                        base::field("word", &Whole::word, "").one_of(kAllowedWords),
                        base::field("parts", &Whole::parts, ""), base::field("by_name", &Whole::by_name, ""));
}

base::Result<Whole> read(std::string_view text) {
    TRY_ASSIGN(const auto document, base::parse_json(text, "f.json"));
    return base::read_json<Whole>({document, document.root});
}

std::string error_of(std::string_view members) {
    const auto whole = read("{\"text\": null, \"some\": \"x\", " + std::string(members) + "}");
    REQUIRE_FALSE(whole);
    CHECK(whole.error().kind == base::ErrorKind::rule_data);
    return whole.error().text();
}

}  // namespace

template <>
inline constexpr auto base::kAll<Colour> = std::to_array({Colour::red, Colour::green});

TEST_CASE("record: what is written is read as the same") {
    const std::string text =
        R"({"count":3,"size":7,"flag":true,"colour":"green","text":null,"number":0.5,"some":["x","y"],"word":"b",)"
        R"("parts":[{"what":"p","names":["n"]},{"what":"q"}],"by_name":{"z":{"what":"r"}}})";
    const auto whole = read(text);
    REQUIRE(whole);
    CHECK(whole->colour == Colour::green);
    CHECK(whole->parts.size() == 2);
    base::JsonWriter json(0);
    base::InJson<Whole>::write(json, *whole);
    const std::string written = std::move(json).take();
    std::string plain;
    for (const char c : written) {
        if (c != ' ') plain += c;
    }
    CHECK(plain == text);
}

TEST_CASE("record: what is missing, of another kind or not known is named with its place") {
    CHECK(read(R"({"some": ["x"]})").error().text() == "f.json:1:1: the key \"text\" is missing");
    CHECK(read(R"({"text": "t"})").error().text() == "f.json:1:1: the key \"some\" is missing");
    CHECK(error_of(R"("count": "3")").find("\"count\" must be an integer, not a string") != std::string::npos);
    CHECK(error_of(R"("count": 10)").find("\"count\" is 10, and may be 9 at most") != std::string::npos);
    CHECK(error_of(R"("size": -1)").find("\"size\" counts from 0 and is -1") != std::string::npos);
    CHECK(error_of(R"("size": 4294967296)").find("may be 4294967295 at most") != std::string::npos);
    CHECK(error_of(R"("flag": 1)").find("\"flag\" must be true or false, not") != std::string::npos);
    CHECK(error_of(R"("colour": "blue")").find("\"colour\" is \"blue\", which is not one of \"red\", \"green\"") !=
          std::string::npos);
    CHECK(error_of(R"("number": "1")").find("\"number\" must be a number, not a string") != std::string::npos);
    CHECK(error_of(R"("number": null)").find("\"number\" must be a number, not null") != std::string::npos);
    CHECK(error_of(R"("word": "c")").find("\"word\" is \"c\", which is not one of \"a\", \"b\"") != std::string::npos);
    CHECK(error_of(R"("parts": {})").find("\"parts\" must be a list, not an object") != std::string::npos);
    CHECK(error_of(R"("parts": [1])").find("an object is expected here, not") != std::string::npos);
    CHECK(error_of(R"("parts": [{"what": " "}])").find("\"what\" is blank") != std::string::npos);
    CHECK(error_of(R"("parts": [{"what": "bad"}])").find("f.json:1:39: \"what\" is bad") != std::string::npos);
    CHECK(error_of(R"("by_name": {"a": {"what": "p", "names": [1]}})").find("\"names\" must hold strings only") !=
          std::string::npos);
    CHECK(error_of(R"("qux": 1)").find("the key \"qux\" is not known here") != std::string::npos);
    CHECK(read(R"({"text": null, "some": []})").error().text().find("\"some\" must have at least one entry") !=
          std::string::npos);
}

TEST_CASE("record: an open one skips keys that it does not know") {
    const auto document = base::parse_json(R"({"text": null, "some": "x", "later": 1})", "f.json");
    REQUIRE(document);
    CHECK(base::read_json<Whole>({*document, document->root, {}, base::ErrorKind::bad_input, true}));
    CHECK(base::read_json<Whole>({*document, document->root}).error().kind == base::ErrorKind::rule_data);
}

TEST_CASE("record: the schema has each record once, with sentences, words and defaults") {
    const std::string text = base::SchemaWriter("urn:x", "X", &base::InJson<Whole>::define).take();
    const auto schema = base::parse_json(text, "schema");
    REQUIRE(schema);
    CHECK(*schema->root.find_path("properties.parts.items.$ref")->string() == "#/$defs/part");
    CHECK(*schema->root.find_path("properties.by_name.additionalProperties.$ref")->string() == "#/$defs/part");
    CHECK(schema->root.find("$defs")->object()->size() == 1);
    CHECK(*schema->root.find_path("$defs.part.properties.what.description")->string() == "its name");
    CHECK(schema->root.find_path("properties.colour.enum")->array()->size() == 2);
    CHECK(*schema->root.find_path("properties.colour.default")->string() == "red");
    CHECK(schema->root.find_path("properties.text.anyOf")->array()->size() == 2);
    CHECK(schema->root.find("required")->array()->size() == 2);
}
