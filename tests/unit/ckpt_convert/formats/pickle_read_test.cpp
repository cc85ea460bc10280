#include <doctest/doctest.h>

#include <cmath>

#include "base/format.h"
#include "tests/unit/ckpt_convert/formats/pickle_test_support.h"

using test::bytes;
using test::check_bad_pickle;
using test::parse_pickle;
using test::u32;
using test::u64;
namespace pickle = ckpt::pickle;

namespace {

template <class T>
T scalar(const std::string& text) {
    auto parsed = parse_pickle(text);
    const T* value = parsed->value()->as<T>();
    REQUIRE_MESSAGE(value != nullptr, parsed->value()->kind_name());
    return *value;
}

}  // namespace

TEST_CASE("pickle: integers of every opcode") {
    CHECK(scalar<std::int64_t>(bytes("K\xFF.")) == 255);
    CHECK(scalar<std::int64_t>(bytes("M\x2C\x01.")) == 300);
    CHECK(scalar<std::int64_t>(bytes("J\xFF\xFF\xFF\xFF.")) == -1);
    CHECK(scalar<std::int64_t>(bytes("J\x70\x11\x01\x00.")) == 70000);
    CHECK(scalar<std::int64_t>(bytes("\x8a\x06\x00\x00\x00\x00\x00\x01.")) == 1ll << 40);
    CHECK(scalar<std::int64_t>(bytes("\x8a\x00.")) == 0);
    CHECK(scalar<std::int64_t>(bytes("\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80.")) == INT64_MIN);
    CHECK(scalar<std::int64_t>(bytes("\x8a\x09\xff\x00\x00\x00\x00\x00\x00\x00\x00.")) == 255);  // needlessly long
    CHECK(scalar<std::int64_t>(bytes("\x8b\x01\x00\x00\x00\xFE.")) == -2);
    CHECK(scalar<std::int64_t>("I-12\n.") == -12);
    CHECK(scalar<std::int64_t>("I0\n.") == 0);
    CHECK(scalar<std::int64_t>("L9223372036854775807L\n.") == INT64_MAX);
    CHECK(scalar<std::int64_t>("L-9223372036854775808L\n.") == INT64_MIN);
    CHECK(scalar<pickle::BigInteger>("L9223372036854775808L\n.").little_endian == bytes("\0\0\0\0\0\0\0\x80\0"));
    CHECK(scalar<pickle::BigInteger>("L-1000000000000000000000\n.").little_endian ==
          test::from_hex("000060213a5236cac9"));
    CHECK(scalar<pickle::BigInteger>(bytes("\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.")).little_endian ==
          bytes("l\xfc\x9c\x46\xf9 j\xa8P\x19"));
    CHECK(scalar<bool>("I01\n.") == true);
    CHECK(scalar<bool>("I00\n.") == false);
    CHECK(scalar<bool>("\x88.") == true);
    CHECK(scalar<bool>("\x89.") == false);
    check_bad_pickle("Iabc\n.", "\"abc\" is not an integer");
    check_bad_pickle("I\n.", "\"\" is not an integer");
    check_bad_pickle("I1", "a text field has no end");
}

TEST_CASE("pickle: floats") {
    CHECK(scalar<double>(test::from_hex("47 3fb999999999999a 2e")) == 0.1);
    CHECK(std::isinf(scalar<double>(test::from_hex("47 fff0000000000000 2e"))));
    CHECK(scalar<double>("F-2.5e3\n.") == -2500);
    CHECK(std::isnan(scalar<double>("Fnan\n.")));
    check_bad_pickle("F1.5x\n.", "\"1.5x\" is not a float");
}

TEST_CASE("pickle: strings and bytes of every opcode") {
    CHECK(scalar<std::string>("X" + u32(3) + "abc.") == "abc");
    CHECK(scalar<std::string>(bytes("\x8c\x02\xC3\xA9.")) == "\xC3\xA9");
    CHECK(scalar<std::string>("\x8d" + u64(2) + "ab.") == "ab");
    CHECK(scalar<std::string>(bytes("U\x01z.")) == "z");
    CHECK(scalar<std::string>("T" + u32(1) + "z.") == "z");
    CHECK(scalar<pickle::Bytes>(bytes("U\x01\xFF.")).data == "\xFF");  // Python 2 bytes that are no text
    CHECK(scalar<pickle::Bytes>("B" + u32(1) + "z.").data == "z");
    CHECK(scalar<pickle::Bytes>(bytes("C\x02\xFF\x00.")).data == bytes("\xFF\0"));
    CHECK(scalar<pickle::Bytes>("\x8e" + u64(1) + "z.").data == "z");
    CHECK(scalar<pickle::Bytes>("\x96" + u64(1) + "z.").data == "z");
    CHECK(scalar<std::string>("S'a\\n\\x41\\101\\\\\\'\\q'\n.") == "a\nAA\\'\\q");
    CHECK(scalar<std::string>("S\"it's\"\r\n.") == "it's");
    CHECK(scalar<std::string>("V\\u00e9\xE9\\U0001F600\\n\n.") == "\xC3\xA9\xC3\xA9\xF0\x9F\x98\x80\\n");
    for (const char* text : {"Sabc\n.", "S'abc\n.", "S'\n.", "S'\\\n.", "S'\\x4'\n."})
        check_bad_pickle(text, "is not a string literal");
    for (const char* text : {"V\\u12\n.", "V\\ud800\n.", "V\\U00110000\n."})
        check_bad_pickle(text, "has an invalid escape");
    check_bad_pickle(bytes("\x8c\x01\xFF."), "is not valid UTF-8");
}

TEST_CASE("pickle: containers") {
    auto nested =
        parse_pickle(bytes("(K\x01K\x02](K\x03"
                           "eK\x04t."));  // (1, 2, [3], 4)
    const auto& items = nested->value()->as<pickle::Tuple>()->items;
    REQUIRE(items.size() == 4);
    CHECK(*items[2]->as<pickle::List>()->items[0]->as<std::int64_t>() == 3);
    CHECK(parse_pickle("(t.")->value()->as<pickle::Tuple>()->items.empty());
    CHECK(parse_pickle(bytes("K\x01K\x02K\x03\x87."))->value()->as<pickle::Tuple>()->items.size() == 3);
    CHECK(parse_pickle("(NNl.")->value()->as<pickle::List>()->items.size() == 2);
    CHECK(parse_pickle("]Na.")->value()->as<pickle::List>()->items.size() == 1);
    CHECK(parse_pickle(bytes("\x8f(K\x01K\x02\x90."))->value()->as<pickle::Set>()->items.size() == 2);
    CHECK(parse_pickle(bytes("(K\x01\x91."))->value()->as<pickle::Set>()->items.size() == 1);
    CHECK(parse_pickle(bytes("(K\x01K\x02"
                             "d."))
              ->value()
              ->as<pickle::Dict>()
              ->items.size() == 1);
    CHECK(parse_pickle(bytes("K\x01K\x02K\x03"
                             "00."))
              ->value()
              ->as<std::int64_t>() != nullptr);
    CHECK(parse_pickle(bytes("N(K\x01"
                             "1."))
              ->value()
              ->as<pickle::None>() != nullptr);
    CHECK(parse_pickle(bytes("N(0."))->value()->as<pickle::None>() != nullptr);
    CHECK(parse_pickle(bytes("K\x07"
                             "2\x86."))
              ->value()
              ->as<pickle::Tuple>()
              ->items.size() == 2);
}

TEST_CASE("pickle: a later equal key replaces an earlier one, in its place, in dicts of every size") {
    for (int count : {3, 15, 16, 17, 1000}) {
        std::string text = "}(";
        for (int i = 0; i < count; ++i) text += "X" + u32(4) + base::format("{:04}", i) + "N";
        text += "X" + u32(4) + bytes("0001K\x09u.");
        auto parsed = parse_pickle(text);
        const auto& items = parsed->value()->as<pickle::Dict>()->items;
        REQUIRE(items.size() == static_cast<std::size_t>(count));
        CHECK(*items[1].second->as<std::int64_t>() == 9);
    }
    // Keys that are not strings are kept as they are.
    CHECK(parse_pickle(bytes("}(K\x01NK\x01Nu."))->value()->as<pickle::Dict>()->items.size() == 2);
}

TEST_CASE("pickle: the memo shares values, with numbers in any order") {
    auto parsed = parse_pickle(bytes("]q\x05h\x05\x86."));
    const auto& items = parsed->value()->as<pickle::Tuple>()->items;
    CHECK(items[0] == items[1]);
    CHECK(parse_pickle("]r" + u32(0xFFFFFFFF) + "j" + u32(0xFFFFFFFF) + "\x86.")->value()->as<pickle::Tuple>() !=
          nullptr);
    CHECK(parse_pickle("]p123456789012\ng123456789012\n\x86.")->value()->as<pickle::Tuple>() != nullptr);
    // MEMOIZE numbers by how many there are; a number can be given anew.
    CHECK(*parse_pickle(bytes("K\x01\x94"
                              "0K\x02\x94"
                              "0h\x01."))
               ->value()
               ->as<std::int64_t>() == 2);
    CHECK(*parse_pickle(bytes("K\x01q\x03"
                              "0K\x02q\x00"
                              "0K\x04q\x03"
                              "0h\x03."))
               ->value()
               ->as<std::int64_t>() == 4);
    check_bad_pickle(bytes("h\x00."), "refers to value 0, which it has not stored");
    check_bad_pickle("gx\n.", "\"x\" is not a number of a stored value");
    check_bad_pickle("q\x01.", "takes more values from its stack");
}

TEST_CASE("pickle: calls, objects and states are recorded") {
    auto parsed = parse_pickle("cargparse\nNamespace\n)\x81}(X" + u32(1) + bytes("aK\x05ub."));
    const auto* object = parsed->value()->as<pickle::Object>();
    REQUIRE(object != nullptr);
    CHECK(object->is_new);
    CHECK(object->callable->as<pickle::Global>()->is("argparse", "Namespace"));
    CHECK(parsed->value()->kind_name() == "an object of argparse.Namespace");
    REQUIRE(pickle::namespace_items(parsed->value()) != nullptr);
    CHECK(pickle::namespace_items(parsed->value())->size() == 1);
    CHECK(pickle::mapping_items(parsed->value()) == nullptr);

    auto ordered =
        parse_pickle("ccollections\nOrderedDict\n)R(X" + u32(1) + bytes("aK\x05uX") + u32(1) + bytes("aK\x06s}b."));
    CHECK(pickle::mapping_items(ordered->value())->size() == 1);
    CHECK(*pickle::find(ordered->value(), "a")->as<std::int64_t>() == 6);
    CHECK(pickle::find(ordered->value(), "b") == nullptr);
    CHECK(ordered->value()->kind_name() == "a call of collections.OrderedDict");

    // Protocol 4: STACK_GLOBAL, NEWOBJ_EX without names.
    auto stack_global = parse_pickle(
        bytes("\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00\x8c\x05types\x94\x8c\x0fSimpleNamespace\x94\x93)}\x92."));
    REQUIRE(pickle::namespace_items(stack_global->value()) != nullptr);
    CHECK(pickle::namespace_items(stack_global->value())->empty());
    CHECK(parse_pickle("P12 x\n.")->value()->as<pickle::PersistentId>()->id->as<std::string>() != nullptr);
    CHECK(*parse_pickle(bytes("K\x03Q."))->value()->as<pickle::PersistentId>()->id->as<std::int64_t>() == 3);
}

TEST_CASE("pickle: mappings as other Pythons write them") {
    // Python 2: OrderedDict([["a", 1], ("b", 2)])
    auto python2 =
        parse_pickle(bytes("ccollections\nOrderedDict\n(](](U\x01"
                           "aK\x01"
                           "eU\x01"
                           "bK\x02\x86"
                           "etR."));
    REQUIRE(pickle::mapping_items(python2->value())->size() == 2);
    CHECK(*pickle::find(python2->value(), "b")->as<std::int64_t>() == 2);
    auto counter =
        parse_pickle(bytes("ccollections\nCounter\n}X\x01\x00\x00\x00"
                           "aK\x02s\x85R."));
    CHECK(*pickle::find(counter->value(), "a")->as<std::int64_t>() == 2);
    auto defaults =
        parse_pickle(bytes("ccollections\ndefaultdict\nc__builtin__\nlist\n\x85RX\x01\x00\x00\x00"
                           "aK\x02s."));
    CHECK(*pickle::find(defaults->value(), "a")->as<std::int64_t>() == 2);
    check_bad_pickle(bytes("ccollections\nOrderedDict\n(](K\x01"
                           "etR."),
                     "an OrderedDict is made of something that is not pairs");
    CHECK(pickle::find(nullptr, "a") == nullptr);
}

TEST_CASE("pickle: bytes below protocol 3") {
    auto encoded = parse_pickle("c_codecs\nencode\nX" + u32(4) +
                                "\xC3\xBF"
                                "a\x01X" +
                                u32(6) + "latin1\x86R.");
    CHECK(pickle::bytes_of(encoded->value()) ==
          "\xFF"
          "a\x01");
    CHECK(pickle::bytes_of(parse_pickle("c__builtin__\nbytes\n)R.")->value()) == "");
    CHECK(pickle::bytes_of(parse_pickle(bytes("C\x01z."))->value()) == "z");
    CHECK_FALSE(pickle::bytes_of(parse_pickle("N.")->value()).has_value());
    auto beyond = parse_pickle("c_codecs\nencode\nX" + u32(3) + "\xE2\x82\xACX" + u32(6) + "latin1\x86R.");
    CHECK_FALSE(pickle::bytes_of(beyond->value()).has_value());
}

TEST_CASE("pickle: several behind each other") {
    std::string text = bytes("K\x01.K\x02.");
    pickle::Arena arena;
    base::ByteReader reader(base::as_bytes(text), "f");
    CHECK(*(*pickle::read(reader, arena))->as<std::int64_t>() == 1);
    CHECK(*(*pickle::read(reader, arena))->as<std::int64_t>() == 2);
    CHECK(reader.at_end());
}

TEST_CASE("pickle: the disassembled file of the documentation") {
    // OrderedDict{norm: (3,) bfloat16} in the shape PyTorch gives it.
    std::string tensor = "ctorch._utils\n_rebuild_tensor_v2\nq\x03((X" + u32(7) +
                         "storageq\x04"
                         "ctorch\nBFloat16Storage\nq\x05X" +
                         u32(1) + "0q\x06X" + u32(3) +
                         bytes("cpuq\x07K\x03tq\x08QK\x00K\x03\x85q\x09K\x01\x85q\x0a\x89h\x00)Rq\x0btq\x0cRq\x0d");
    std::string text = bytes(
                           "\x80\x02"
                           "ccollections\nOrderedDict\nq\x00)Rq\x01(X") +
                       u32(17) + bytes("model.norm.weightq\x02") + tensor + "u.";
    auto parsed = parse_pickle(text);
    const auto* call = pickle::find(parsed->value(), "model.norm.weight")->as<pickle::Object>();
    REQUIRE(call != nullptr);
    CHECK(call->callable->as<pickle::Global>()->is("torch._utils", "_rebuild_tensor_v2"));
    const auto& args = call->args->as<pickle::Tuple>()->items;
    REQUIRE(args.size() == 6);
    const auto& id = args[0]->as<pickle::PersistentId>()->id->as<pickle::Tuple>()->items;
    CHECK(*id[0]->as<std::string>() == "storage");
    CHECK(*id[4]->as<std::int64_t>() == 3);
    CHECK(parsed->position == text.size());
}

TEST_CASE("pickle: the globals of checkpoints") {
    struct Row {
        const char* module;
        const char* name;
    };
    const Row accepted[] = {{"torch._utils", "_rebuild_tensor_v2"},
                            {"torch._utils", "_rebuild_parameter"},
                            {"torch._tensor", "_rebuild_from_type_v2"},
                            {"torch", "BFloat16Storage"},
                            {"torch", "float8_e4m3fn"},
                            {"torch", "Size"},
                            {"torch", "device"},
                            {"torch.storage", "UntypedStorage"},
                            {"collections", "OrderedDict"},
                            {"collections", "defaultdict"},
                            {"argparse", "Namespace"},
                            {"types", "SimpleNamespace"},
                            {"numpy", "ndarray"},
                            {"numpy", "dtype"},
                            {"numpy.core.multiarray", "_reconstruct"},
                            {"numpy._core.multiarray", "scalar"},
                            {"numpy.dtypes", "UInt32DType"},
                            {"_codecs", "encode"},
                            {"_io", "BytesIO"},
                            {"pathlib", "PosixPath"},
                            {"builtins", "set"},
                            {"__builtin__", "complex"},
                            {"builtins", "getattr"},
                            {"megatron.core.transformer.enums", "AttnBackend"},
                            {"mindspeed_llm.core.x", "Y"},
                            {"mindspeed.core", "Y"}};
    for (const Row& row : accepted) {
        CAPTURE(row.name);
        CHECK(pickle::is_checkpoint_global(row.module, row.name));
    }
    const Row refused[] = {{"os", "system"},
                           {"builtins", "eval"},
                           {"builtins", "exec"},
                           {"builtins", "open"},
                           {"builtins", "__import__"},
                           {"torch", "load"},
                           {"torch", "compile"},
                           {"torch._utils", "eval"},
                           {"pathlib", "os"},
                           {"io", "open"},
                           {"types", "CodeType"},
                           {"numpy", "load"},
                           {"megatron", "x"},
                           {"", ""},
                           {"collections", "namedtuple"},
                           {"numpy.dtypes", "x"}};
    for (const Row& row : refused) {
        CAPTURE(row.name);
        CHECK_FALSE(pickle::is_checkpoint_global(row.module, row.name));
    }
}
