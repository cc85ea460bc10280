#include <doctest/doctest.h>

#include "ckpt_convert/formats/pickle/reader.h"
#include "ckpt_convert/formats/pickle/writer.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

using test::bytes;
namespace pickle = ckpt::pickle;
using pickle::Arena;
using pickle::Ref;
using pickle::Value;

namespace {

Ref read_back(const std::string& text, Arena& arena) {
    base::ByteReader reader(base::as_bytes(text), "f");
    auto root = pickle::read(reader, arena);
    REQUIRE_MESSAGE(root.has_value(), root.error().text());
    REQUIRE(reader.at_end());
    return *root;
}

std::string u32(std::uint64_t value) { return test::little_endian(value, 4); }
std::string one_string(const std::string& text) { return "X" + u32(text.size()) + text; }

}  // namespace

TEST_CASE("pickle writer: exact bytes of every kind of value") {
    Arena arena;
    auto check = [&](Value::Variant value, const std::string& body) {
        CHECK(pickle::write(arena.make(std::move(value))) == bytes("\x80\x02") + body + ".");
    };
    check(pickle::None{}, "N");
    check(true, "\x88");
    check(false, "\x89");
    check(std::int64_t{0}, bytes("K\x00"));
    check(std::int64_t{255}, "K\xFF");
    check(std::int64_t{256}, bytes("M\x00\x01"));
    check(std::int64_t{65536}, bytes("J\x00\x00\x01\x00"));
    check(std::int64_t{-1}, "J\xFF\xFF\xFF\xFF");
    check(std::int64_t{1} << 31, bytes("\x8a\x05\x00\x00\x00\x80\x00"));
    check(std::int64_t{1} << 40, bytes("\x8a\x06\x00\x00\x00\x00\x00\x01"));
    check(std::int64_t{INT64_MIN}, bytes("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"));
    check(pickle::BigInteger{bytes("\0\0\0\0\0\0\0\0\x01")}, bytes("\x8a\x09\0\0\0\0\0\0\0\0\x01"));
    check(pickle::BigInteger{std::string(300, '\x01')}, bytes("\x8b\x2C\x01\x00\x00") + std::string(300, '\x01'));
    check(3.0, test::from_hex("47 4008000000000000"));
    check(std::string("h\xC3\xA9"), bytes("X\x03\x00\x00\x00h\xC3\xA9"));
    check(pickle::Bytes{"\xFF"
                        "a"},
          "c_codecs\nencode\n" +
              one_string("\xC3\xBF"
                         "a") +
              one_string("latin1") + "\x86R");
    check(pickle::List{}, "]");
    check(pickle::Dict{}, "}");
    check(pickle::Tuple{}, ")");
    check(pickle::Set{}, "c__builtin__\nset\n]\x85R");
    check(pickle::Global{"torch", "bfloat16"}, "ctorch\nbfloat16\n");
    Ref one = arena.make(std::int64_t{1});
    check(pickle::List{{one, one}}, bytes("](K\x01K\x01"
                                          "e"));
    check(pickle::Tuple{{one}}, bytes("K\x01\x85"));
    check(pickle::Tuple{{one, one, one}}, bytes("K\x01K\x01K\x01\x87"));
    check(pickle::Tuple{{one, one, one, one}}, bytes("(K\x01K\x01K\x01K\x01t"));
    check(pickle::Dict{{{one, one}}}, bytes("}(K\x01K\x01u"));
    check(pickle::Set{{one}}, bytes("c__builtin__\nset\n](K\x01"
                                    "e\x85R"));
    check(pickle::PersistentId{one}, bytes("K\x01Q"));
    Ref name = arena.make(pickle::Global{"argparse", "Namespace"});
    Ref nothing = arena.make(pickle::Tuple{});
    check(pickle::Object{name, nothing, true, arena.make(pickle::Dict{}), {}, {}}, "cargparse\nNamespace\n)\x81}b");
    check(pickle::Object{name, nothing, false, nullptr, {{one, one}}, {one}}, bytes("cargparse\nNamespace\n)R(K\x01"
                                                                                    "e(K\x01K\x01u"));
}

TEST_CASE("pickle writer: only what is used twice is memoised") {
    Arena arena;
    auto text = [&](const char* t) { return arena.make(std::string(t)); };
    Ref list = arena.make(pickle::List{});
    // Equal strings are one, equal lists are not unless they are the same.
    Ref root = arena.make(pickle::List{{text("a"), text("a"), text("b"), list, list, arena.make(pickle::List{})}});
    CHECK(pickle::write(root) ==
          bytes("\x80\x02](") + one_string("a") + bytes("q\x00h\x00") + one_string("b") + bytes("]q\x01h\x01]e."));
    Arena again;
    const auto& items = read_back(pickle::write(root), again)->as<pickle::List>()->items;
    CHECK(items[3] == items[4]);
    CHECK(items[3] != items[5]);

    // Numbers above 255 take four bytes.
    std::vector<Ref> many;
    for (int i = 0; i < 300; ++i) many.push_back(arena.make(pickle::List{}));
    std::vector<Ref> twice = many;
    twice.insert(twice.end(), many.begin(), many.end());
    Arena third;
    const auto& back = read_back(pickle::write(arena.make(pickle::List{twice})), third)->as<pickle::List>()->items;
    REQUIRE(back.size() == 600);
    for (std::size_t i = 0; i < 300; ++i) CHECK(back[i] == back[i + 300]);
}

TEST_CASE("pickle writer: what is written reads back, and writes the same again") {
    Arena arena;
    auto text = [&](const char* t) { return arena.make(std::string(t)); };
    auto number = [&](std::int64_t n) { return arena.make(n); };
    Ref ordered = arena.make(pickle::Object{arena.make(pickle::Global{"collections", "OrderedDict"}),
                                            arena.make(pickle::Tuple{}),
                                            false,
                                            nullptr,
                                            {{text("k"), number(-70000)}},
                                            {}});
    Ref attributes =
        arena.make(pickle::Dict{{{text("k"), arena.make(1e300)},
                                 {text("s"), arena.make(pickle::Tuple{{number(1), text("k"), ordered, ordered}})}}});
    Ref object = arena.make(pickle::Object{
        arena.make(pickle::Global{"argparse", "Namespace"}), arena.make(pickle::Tuple{}), true, attributes, {}, {}});
    std::vector<std::pair<Ref, Ref>> items;
    for (int i = 0; i < 2500; ++i) items.emplace_back(number(i), object);
    Ref root = arena.make(pickle::Dict{items});
    std::string first = pickle::write(root);
    Arena second;
    Ref back = read_back(first, second);
    CHECK(back->as<pickle::Dict>()->items.size() == 2500);
    CHECK(pickle::write(back) == first);
    CHECK(pickle::namespace_items(back->as<pickle::Dict>()->items[7].second)->size() == 2);
}

TEST_CASE("pickle writer: depth and sharing cost no recursion and no blow-up") {
    Arena arena;
    Ref at = arena.make(pickle::Tuple{{arena.make(pickle::None{})}});
    for (int i = 0; i < 300'000; ++i) at = arena.make(pickle::List{{at}});
    Arena deep;
    CHECK(pickle::write(read_back(pickle::write(at), deep)) == pickle::write(at));

    Ref bomb = arena.make(pickle::List{});
    for (int i = 0; i < 200; ++i) bomb = arena.make(pickle::Tuple{{bomb, bomb}});
    CHECK(pickle::write(bomb).size() < 2000);

    // A long string that is used very often.
    Ref text = arena.make(std::string(1'000'000, 'x'));
    CHECK(pickle::write(arena.make(pickle::List{std::vector<Ref>(100'000, text)})).size() < 1'400'000);
}

TEST_CASE("pickle writer: cycles") {
    Arena arena;
    Value* list = arena.make(pickle::List{});
    list->as<pickle::List>()->items.push_back(list);
    CHECK(pickle::write(list) == bytes("\x80\x02]q\x00(h\x00"
                                       "e."));

    Value* inner = arena.make(pickle::List{});
    Ref tuple = arena.make(pickle::Tuple{{inner}});
    inner->as<pickle::List>()->items.push_back(tuple);
    CHECK_FALSE(pickle::try_write(tuple).has_value());
    CHECK(pickle::try_write(arena.make(pickle::Tuple{{list}})).has_value());
}
