#include <doctest/doctest.h>

#include "tests/unit/ckpt_convert/formats/pickle_test_support.h"

using base::ErrorKind;
using test::bytes;
using test::check_bad_pickle;
using test::check_unsupported_pickle;
using test::parse_pickle;
using test::u32;
using test::u64;
namespace pickle = ckpt::pickle;

TEST_CASE("pickle: hostile globals are named, and nothing is executed") {
    check_unsupported_pickle(
        "cos\nsystem\n(X" + u32(2) + "idtR.",
        "the pickle names \"os.system\", which no checkpoint of plain tensors needs; nothing was executed");
    check_unsupported_pickle("cposix\nsystem\n.", "\"posix.system\"");
    check_unsupported_pickle("cnt\nsystem\n.", "\"nt.system\"");
    check_unsupported_pickle("c__builtin__\neval\n.", "\"__builtin__.eval\"");
    check_unsupported_pickle("cbuiltins\nexec\n.", "\"builtins.exec\"");
    check_unsupported_pickle("ctorch\nload\n.", "\"torch.load\"");
    check_unsupported_pickle("ctorch.hub\nload\n.", "\"torch.hub.load\"");
    check_unsupported_pickle("ctorch._utils\nimport_module\n.", "\"torch._utils.import_module\"");
    check_unsupported_pickle("ctorch.storage\n_load_from_bytes\n.", "\"torch.storage._load_from_bytes\"");
    check_unsupported_pickle("cnumpy.core.multiarray\nfromfile\n.", "fromfile");
    check_unsupported_pickle("csubprocess\nPopen\n.", "subprocess.Popen");
    check_unsupported_pickle(bytes("\x8c\x02os\x8c\x06system\x93."), "\"os.system\"");
    check_unsupported_pickle("c\nx\n.", "\".x\"");
    check_unsupported_pickle("cmegatron.core\na b\n.", "megatron.core.a b");
    check_unsupported_pickle(bytes("\x8c\x0fmegatron.core.x\x8c\x03"
                                   "a\nb\x93."),
                             "megatron.core.x.a\\x0ab");
    // The filter is asked for every name, and may be another one.
    auto none = [](std::string_view, std::string_view) { return false; };
    test::check_fails(parse_pickle("ccollections\nOrderedDict\n)R.", {}, none)->root, ErrorKind::unsupported,
                      "collections.OrderedDict");
}

TEST_CASE("pickle: hostile calls") {
    check_unsupported_pickle(
        "c__builtin__\ngetattr\n)R)R.",
        "the pickle calls a call of __builtin__.getattr, which is not a name; nothing was executed");
    check_unsupported_pickle("X" + u32(9) + "os.system)R.", "the pickle calls a string, which is not a name");
    check_unsupported_pickle("})\x81.", "the pickle calls a dict");
    check_unsupported_pickle("cargparse\nNamespace\n)}X" + u32(1) + "aNs\x92.", "arguments by name");
    check_bad_pickle("ccollections\nOrderedDict\n]R.", "the pickle calls with a list, not a tuple");
    check_bad_pickle("}}b.", "the pickle gives a state to a dict");
    check_bad_pickle("cargparse\nNamespace\n)\x81}b}b.", "a state twice");
    for (const char* text : {"(ios\nsystem\n.", "(cos\nsystem\no."}) CHECK_FALSE(parse_pickle(text)->root.has_value());
    check_unsupported_pickle("(ios\nsystem\n.", "the pickle opcode 0x69 has no place in a checkpoint");
    check_unsupported_pickle("(No.", "the pickle opcode 0x6f has no place");
    check_unsupported_pickle(bytes("\x82\x01."), "the pickle opcode 0x82 has no place");
    check_unsupported_pickle(bytes("\x83\x01\x00."), "0x83");
    check_unsupported_pickle("\x84" + u32(1) + ".", "0x84");
    check_unsupported_pickle("\x97.", "0x97");
    check_unsupported_pickle("N\x98.", "0x98");
}

TEST_CASE("pickle: a persistent id of protocol 0 is ASCII, as in Python") {
    CHECK(parse_pickle("Pstorage 0\n.")->root.has_value());
    check_bad_pickle(bytes("P\xff\xc0\n."), "is not a persistent id of protocol 0, which is ASCII");
}

TEST_CASE("pickle: damage by name") {
    check_bad_pickle("", "the pickle ends without STOP");
    check_bad_pickle("N", "the pickle ends without STOP");
    check_bad_pickle(".", "the pickle leaves 0 values at STOP");
    check_bad_pickle("NN.", "the pickle leaves 2 values at STOP");
    check_bad_pickle("(N.", "the pickle leaves 2 values at STOP");
    check_bad_pickle("\xFF.", "0xff is not a pickle opcode");
    check_bad_pickle(bytes("\x00."), "0x00 is not a pickle opcode");
    check_bad_pickle(bytes("\x80\x06."), "pickle protocol 6 is not known");
    check_bad_pickle("\x95" + u64(2) + ".", "a frame of 2 bytes, but 1 are left");
    check_bad_pickle("0", "takes more values from its stack");
    check_bad_pickle("2", "takes more values from its stack");
    check_bad_pickle("\x85.", "takes more values from its stack");
    check_bad_pickle("N(\x85.", "takes more values from its stack");  // not past the mark
    check_bad_pickle("N(a.", "takes more values from its stack");
    check_bad_pickle("]s.", "takes more values from its stack");
    check_bad_pickle("R", "takes more values from its stack");
    check_bad_pickle("t", "up to a mark that is not there");
    check_bad_pickle("Ne.", "up to a mark that is not there");
    check_bad_pickle("NNa.", "the pickle appends to None");
    check_bad_pickle("]NNs.", "the pickle sets items of a list");
    check_bad_pickle("}(Nu.", "has a key but no value");
    check_bad_pickle("N(N\x90.", "the pickle appends to None");
    check_bad_pickle("NN\x93.", "names a global by something that is not a string");
    check_bad_pickle("X" + u32(0xFFFFFFFF) + "abc.", "the data ends");
    check_bad_pickle("\x8d" + u64(UINT64_MAX) + "abc.", "the data ends");
    check_bad_pickle("\x8e" + u64(1ull << 63) + "abc.", "the data ends");
    check_bad_pickle("T" + u32(0x80000000) + "abc.", "the data ends");
    check_bad_pickle("\x8b" + u32(0xFFFFFFFF) + "abc.", "an integer of 4294967295 bytes; the most allowed are 1024");
    check_bad_pickle("ccollections", "a text field has no end");
}

TEST_CASE("pickle: budgets on both sides") {
    pickle::Limits limits;
    limits.max_opcodes = 3;
    CHECK(parse_pickle("]0N.", {3 + 1})->root.has_value());
    check_bad_pickle("]0N.", "more than 3 opcodes", limits);

    limits = {};
    limits.max_values = 3;
    CHECK(parse_pickle("](}}e.", limits)->root.has_value());
    check_bad_pickle("](}}}e.", "makes more than 3 values", limits);
    CHECK(parse_pickle("](NNNNNe.", limits)->root.has_value());  // None is made once
    // Items copied from an argument count: the list could be used very often.
    limits.max_values = 11;
    std::string pairs = bytes(
        "](NN\x86NN\x86"
        "e");  // a list and two pairs
    std::string call = bytes(
        "q\x00"
        "0ccollections\nOrderedDict\nq\x01h\x00\x85R");  // a name, a tuple, a call, two items
    CHECK(parse_pickle(pairs + call + ".", limits)->root.has_value());
    check_bad_pickle(pairs + call + bytes("0h\x01h\x00\x85R."), "makes more than 11 values", limits);

    limits = {};
    limits.max_memo = 2;
    CHECK(parse_pickle(bytes("Nq\x00q\x01q\x01."), limits)->root.has_value());
    check_bad_pickle(bytes("Nq\x00q\x01q\x02."), "stores more than 2 values", limits);
    check_bad_pickle("Nq\x09r" + u32(77) + "r" + u32(78) + ".", "stores more than 2 values", limits);
    check_bad_pickle("N\x94\x94\x94.", "stores more than 2 values", limits);

    limits = {};
    limits.max_stack = 3;
    CHECK(parse_pickle("(NNt.", limits)->root.has_value());
    check_bad_pickle("(NNNt.", "a stack of more than 3 values", limits);
    check_bad_pickle("((((.", "a stack of more than 3 values", limits);

    limits = {};
    limits.max_long_bytes = 9;
    CHECK(parse_pickle(bytes("\x8a\x09") + std::string(9, '\x01') + ".", limits)->root.has_value());
    check_bad_pickle(bytes("\x8a\x0A") + std::string(10, '\x01') + ".",
                     "an integer of 10 bytes; the most allowed are 9", limits);
    CHECK(parse_pickle("L" + std::string(23, '9') + "L\n.", limits)->root.has_value());
    check_bad_pickle("L" + std::string(24, '9') + "L\n.", "an integer of 24 digits; the most allowed are 23", limits);
    CHECK(parse_pickle("L" + std::string(2459, '9') + "L\n.")->root.has_value());
    check_bad_pickle("L" + std::string(2460, '9') + "L\n.", "an integer of 2460 digits");

    std::string name(pickle::kMaxGlobalNameBytes, 'x');
    CHECK(parse_pickle("cmegatron.core\n" + name + "\n.")->root.has_value());
    check_unsupported_pickle("cmegatron.core\n" + name + "x\n.", "megatron.core.xxx");
}

TEST_CASE("pickle: bombs and deep or cyclic values cost what their bytes cost") {
    // Each level is a tuple of the level below, twice: 2^200 values to whoever walks it as a tree.
    std::string laughs = "]";
    for (int i = 0; i < 200; ++i) laughs += "2\x86";
    auto bomb = parse_pickle(laughs + ".");
    CHECK(bomb->value()->as<pickle::Tuple>() != nullptr);
    CHECK(bomb->arena.size() < 300);

    auto deep = parse_pickle(std::string(1'000'000, ']') + std::string(999'999, 'a') + ".");
    CHECK(deep->value()->as<pickle::List>()->items.size() == 1);
    check_bad_pickle(std::string(1'000'000, '('), "ends without STOP");

    auto self =
        parse_pickle(bytes("]q\x00h\x00"
                           "a."));
    CHECK(self->value()->as<pickle::List>()->items[0] == self->value());

    // One name, given a million times, is one value.
    std::string names = "](";
    for (int i = 0; i < 100'000; ++i) names += "cmegatron.core\nx\n";
    CHECK(parse_pickle(names + "e.")->arena.size() < 10);

    // A long key, used very often, is looked at once.
    std::string keys = "}X" + u32(1'000'000) + std::string(1'000'000, 'k') + "q" + std::string(1, '\0') + "0";
    for (int i = 0; i < 100'000; ++i) keys += bytes("h\x00Ns");
    CHECK(parse_pickle(keys + ".")->value()->as<pickle::Dict>()->items.size() == 1);
}

TEST_CASE("pickle: cut off anywhere, it is refused") {
    std::string good = bytes(
        "\x80\x02}q\x00(X\x01\x00\x00\x00"
        "a](K\x01M\x00\x01G\x00\x00\x00\x00\x00\x00\x00\x00\x8a\x02\x01\x02"
        "eX\x01\x00\x00\x00"
        "bctorch\nSize\n(K\x01tRu.");
    REQUIRE(parse_pickle(good)->root.has_value());
    for (std::size_t length = 0; length < good.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(parse_pickle(good.substr(0, length))->root.has_value());
    }
}
