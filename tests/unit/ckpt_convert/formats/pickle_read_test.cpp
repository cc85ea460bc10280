#include <doctest/doctest.h>

#include <cmath>

#include <fmt/format.h>

#include "ckpt_convert/formats/pickle/reader.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

using base::ErrorKind;
using test::bytes;
namespace pickle = ckpt::pickle;
using pickle::Ref;

namespace {

// Keeps the arena alive next to the result.
struct Parsed {
    pickle::Arena arena;
    base::Result<Ref> root;
    std::size_t position = 0;
    Ref value() const {
        REQUIRE_MESSAGE(root.has_value(), root.error().text());
        return *root;
    }
};

std::unique_ptr<Parsed> parse(const std::string& text, const pickle::Limits& limits = {},
                              const pickle::GlobalFilter& accept = pickle::is_checkpoint_global) {
    auto parsed = std::make_unique<Parsed>();
    base::ByteReader reader(base::as_bytes(text), "f");
    parsed->root = pickle::read(reader, parsed->arena, accept, limits);
    parsed->position = reader.position();
    return parsed;
}

void check_bad(const std::string& text, std::string_view part, const pickle::Limits& limits = {}) {
    test::check_fails(parse(text, limits)->root, ErrorKind::bad_input, part);
}
void check_unsupported(const std::string& text, std::string_view part) {
    test::check_fails(parse(text)->root, ErrorKind::unsupported, part);
}

template <class T>
T scalar(const std::string& text) {
    auto parsed = parse(text);
    const T* value = parsed->value()->as<T>();
    REQUIRE_MESSAGE(value != nullptr, parsed->value()->kind_name());
    return *value;
}

std::string u32(std::uint64_t value) { return test::little_endian(value, 4); }
std::string u64(std::uint64_t value) { return test::little_endian(value, 8); }

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
    CHECK(scalar<pickle::BigInteger>("L-1000000000000000000000\n.").little_endian == test::from_hex("000060213a5236cac9"));
    CHECK(scalar<pickle::BigInteger>(bytes("\x8a\x0al\xfc\x9c\x46\xf9 j\xa8P\x19.")).little_endian == bytes("l\xfc\x9c\x46\xf9 j\xa8P\x19"));
    CHECK(scalar<bool>("I01\n.") == true);
    CHECK(scalar<bool>("I00\n.") == false);
    CHECK(scalar<bool>("\x88.") == true);
    CHECK(scalar<bool>("\x89.") == false);
    check_bad("Iabc\n.", "\"abc\" is no integer");
    check_bad("I\n.", "\"\" is no integer");
    check_bad("I1", "a text field has no end");
}

TEST_CASE("pickle: floats") {
    CHECK(scalar<double>(test::from_hex("47 3fb999999999999a 2e")) == 0.1);
    CHECK(std::isinf(scalar<double>(test::from_hex("47 fff0000000000000 2e"))));
    CHECK(scalar<double>("F-2.5e3\n.") == -2500);
    CHECK(std::isnan(scalar<double>("Fnan\n.")));
    check_bad("F1.5x\n.", "\"1.5x\" is no float");
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
    for (const char* text : {"Sabc\n.", "S'abc\n.", "S'\n.", "S'\\\n.", "S'\\x4'\n."}) check_bad(text, "is no string literal");
    for (const char* text : {"V\\u12\n.", "V\\ud800\n.", "V\\U00110000\n."}) check_bad(text, "has an invalid escape");
    check_bad(bytes("\x8c\x01\xFF."), "is not valid UTF-8");
}

TEST_CASE("pickle: containers") {
    auto nested = parse(bytes("(K\x01K\x02](K\x03" "eK\x04t."));  // (1, 2, [3], 4)
    const auto& items = nested->value()->as<pickle::Tuple>()->items;
    REQUIRE(items.size() == 4);
    CHECK(*items[2]->as<pickle::List>()->items[0]->as<std::int64_t>() == 3);
    CHECK(parse("(t.")->value()->as<pickle::Tuple>()->items.empty());
    CHECK(parse(bytes("K\x01K\x02K\x03\x87."))->value()->as<pickle::Tuple>()->items.size() == 3);
    CHECK(parse("(NNl.")->value()->as<pickle::List>()->items.size() == 2);
    CHECK(parse("]Na.")->value()->as<pickle::List>()->items.size() == 1);
    CHECK(parse(bytes("\x8f(K\x01K\x02\x90."))->value()->as<pickle::Set>()->items.size() == 2);
    CHECK(parse(bytes("(K\x01\x91."))->value()->as<pickle::Set>()->items.size() == 1);
    CHECK(parse(bytes("(K\x01K\x02" "d."))->value()->as<pickle::Dict>()->items.size() == 1);
    CHECK(parse(bytes("K\x01K\x02K\x03" "00."))->value()->as<std::int64_t>() != nullptr);
    CHECK(parse(bytes("N(K\x01" "1."))->value()->as<pickle::None>() != nullptr);
    CHECK(parse(bytes("N(0."))->value()->as<pickle::None>() != nullptr);
    CHECK(parse(bytes("K\x07" "2\x86."))->value()->as<pickle::Tuple>()->items.size() == 2);
}

TEST_CASE("pickle: a later equal key replaces an earlier one, in its place, in dicts of every size") {
    for (int count : {3, 15, 16, 17, 1000}) {
        std::string text = "}(";
        for (int i = 0; i < count; ++i) text += "X" + u32(4) + fmt::format("{:04}", i) + "N";
        text += "X" + u32(4) + bytes("0001K\x09u.");
        auto parsed = parse(text);
        const auto& items = parsed->value()->as<pickle::Dict>()->items;
        REQUIRE(items.size() == static_cast<std::size_t>(count));
        CHECK(*items[1].second->as<std::int64_t>() == 9);
    }
    // Keys that are not strings are kept as they are.
    CHECK(parse(bytes("}(K\x01NK\x01Nu."))->value()->as<pickle::Dict>()->items.size() == 2);
}

TEST_CASE("pickle: the memo shares values, with numbers in any order") {
    auto parsed = parse(bytes("]q\x05h\x05\x86."));
    const auto& items = parsed->value()->as<pickle::Tuple>()->items;
    CHECK(items[0] == items[1]);
    CHECK(parse("]r" + u32(0xFFFFFFFF) + "j" + u32(0xFFFFFFFF) + "\x86.")->value()->as<pickle::Tuple>() != nullptr);
    CHECK(parse("]p123456789012\ng123456789012\n\x86.")->value()->as<pickle::Tuple>() != nullptr);
    // MEMOIZE numbers by how many there are; a number can be given anew.
    CHECK(*parse(bytes("K\x01\x94" "0K\x02\x94" "0h\x01."))->value()->as<std::int64_t>() == 2);
    CHECK(*parse(bytes("K\x01q\x03" "0K\x02q\x00" "0K\x04q\x03" "0h\x03."))->value()->as<std::int64_t>() == 4);
    check_bad(bytes("h\x00."), "refers to value 0, which it has not stored");
    check_bad("gx\n.", "\"x\" is no number of a stored value");
    check_bad("q\x01.", "takes more values from its stack");
}

TEST_CASE("pickle: calls, objects and states are recorded") {
    auto parsed = parse("cargparse\nNamespace\n)\x81}(X" + u32(1) + bytes("aK\x05ub."));
    const auto* object = parsed->value()->as<pickle::Object>();
    REQUIRE(object != nullptr);
    CHECK(object->is_new);
    CHECK(object->callable->as<pickle::Global>()->is("argparse", "Namespace"));
    CHECK(parsed->value()->kind_name() == "an object of argparse.Namespace");
    REQUIRE(pickle::namespace_items(parsed->value()) != nullptr);
    CHECK(pickle::namespace_items(parsed->value())->size() == 1);
    CHECK(pickle::mapping_items(parsed->value()) == nullptr);

    auto ordered = parse("ccollections\nOrderedDict\n)R(X" + u32(1) + bytes("aK\x05uX") + u32(1) + bytes("aK\x06s}b."));
    CHECK(pickle::mapping_items(ordered->value())->size() == 1);
    CHECK(*pickle::find(ordered->value(), "a")->as<std::int64_t>() == 6);
    CHECK(pickle::find(ordered->value(), "b") == nullptr);
    CHECK(ordered->value()->kind_name() == "a call of collections.OrderedDict");

    // Protocol 4: STACK_GLOBAL, NEWOBJ_EX without names.
    auto stack_global = parse(bytes("\x80\x04\x95\x00\x00\x00\x00\x00\x00\x00\x00\x8c\x05types\x94\x8c\x0fSimpleNamespace\x94\x93)}\x92."));
    REQUIRE(pickle::namespace_items(stack_global->value()) != nullptr);
    CHECK(pickle::namespace_items(stack_global->value())->empty());
    CHECK(parse("P12 x\n.")->value()->as<pickle::PersistentId>()->id->as<std::string>() != nullptr);
    CHECK(*parse(bytes("K\x03Q."))->value()->as<pickle::PersistentId>()->id->as<std::int64_t>() == 3);
}

TEST_CASE("pickle: mappings as other Pythons write them") {
    // Python 2: OrderedDict([["a", 1], ("b", 2)])
    auto python2 = parse(bytes("ccollections\nOrderedDict\n(](](U\x01" "aK\x01" "eU\x01" "bK\x02\x86" "etR."));
    REQUIRE(pickle::mapping_items(python2->value())->size() == 2);
    CHECK(*pickle::find(python2->value(), "b")->as<std::int64_t>() == 2);
    auto counter = parse(bytes("ccollections\nCounter\n}X\x01\x00\x00\x00" "aK\x02s\x85R."));
    CHECK(*pickle::find(counter->value(), "a")->as<std::int64_t>() == 2);
    auto defaults = parse(bytes("ccollections\ndefaultdict\nc__builtin__\nlist\n\x85RX\x01\x00\x00\x00" "aK\x02s."));
    CHECK(*pickle::find(defaults->value(), "a")->as<std::int64_t>() == 2);
    check_bad(bytes("ccollections\nOrderedDict\n(](K\x01" "etR."), "an OrderedDict is made of something that is not pairs");
    CHECK(pickle::find(nullptr, "a") == nullptr);
}

TEST_CASE("pickle: bytes below protocol 3") {
    auto encoded = parse("c_codecs\nencode\nX" + u32(4) + "\xC3\xBF" "a\x01X" + u32(6) + "latin1\x86R.");
    CHECK(pickle::bytes_of(encoded->value()) == "\xFF" "a\x01");
    CHECK(pickle::bytes_of(parse("c__builtin__\nbytes\n)R.")->value()) == "");
    CHECK(pickle::bytes_of(parse(bytes("C\x01z."))->value()) == "z");
    CHECK_FALSE(pickle::bytes_of(parse("N.")->value()).has_value());
    auto beyond = parse("c_codecs\nencode\nX" + u32(3) + "\xE2\x82\xACX" + u32(6) + "latin1\x86R.");
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
    std::string tensor = "ctorch._utils\n_rebuild_tensor_v2\nq\x03((X" + u32(7) + "storageq\x04" "ctorch\nBFloat16Storage\nq\x05X" + u32(1) + "0q\x06X" +
                         u32(3) + bytes("cpuq\x07K\x03tq\x08QK\x00K\x03\x85q\x09K\x01\x85q\x0a\x89h\x00)Rq\x0btq\x0cRq\x0d");
    std::string text = bytes("\x80\x02" "ccollections\nOrderedDict\nq\x00)Rq\x01(X") + u32(17) + bytes("model.norm.weightq\x02") + tensor + "u.";
    auto parsed = parse(text);
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

TEST_CASE("pickle: hostile globals are named, and nothing is executed") {
    check_unsupported("cos\nsystem\n(X" + u32(2) + "idtR.", "the pickle names \"os.system\", which no checkpoint of plain tensors needs; nothing was executed");
    check_unsupported("cposix\nsystem\n.", "\"posix.system\"");
    check_unsupported("cnt\nsystem\n.", "\"nt.system\"");
    check_unsupported("c__builtin__\neval\n.", "\"__builtin__.eval\"");
    check_unsupported("cbuiltins\nexec\n.", "\"builtins.exec\"");
    check_unsupported("ctorch\nload\n.", "\"torch.load\"");
    check_unsupported("ctorch.hub\nload\n.", "\"torch.hub.load\"");
    check_unsupported("ctorch._utils\nimport_module\n.", "\"torch._utils.import_module\"");
    check_unsupported("ctorch.storage\n_load_from_bytes\n.", "\"torch.storage._load_from_bytes\"");
    check_unsupported("cnumpy.core.multiarray\nfromfile\n.", "fromfile");
    check_unsupported("csubprocess\nPopen\n.", "subprocess.Popen");
    check_unsupported(bytes("\x8c\x02os\x8c\x06system\x93."), "\"os.system\"");
    check_unsupported("c\nx\n.", "\".x\"");
    check_unsupported("cmegatron.core\na b\n.", "megatron.core.a b");
    check_unsupported(bytes("\x8c\x0fmegatron.core.x\x8c\x03" "a\nb\x93."), "megatron.core.x.a\\nb");
    // The filter is asked for every name, and may be another one.
    auto none = [](std::string_view, std::string_view) { return false; };
    test::check_fails(parse("ccollections\nOrderedDict\n)R.", {}, none)->root, ErrorKind::unsupported, "collections.OrderedDict");
}

TEST_CASE("pickle: hostile calls") {
    check_unsupported("c__builtin__\ngetattr\n)R)R.", "the pickle calls a call of __builtin__.getattr, which is not a name; nothing was executed");
    check_unsupported("X" + u32(9) + "os.system)R.", "the pickle calls a string, which is not a name");
    check_unsupported("})\x81.", "the pickle calls a dict");
    check_unsupported("cargparse\nNamespace\n)}X" + u32(1) + "aNs\x92.", "arguments by name");
    check_bad("ccollections\nOrderedDict\n]R.", "the pickle calls with a list, not a tuple");
    check_bad("}}b.", "the pickle gives a state to a dict");
    check_bad("cargparse\nNamespace\n)\x81}b}b.", "a state twice");
    for (const char* text : {"(ios\nsystem\n.", "(cos\nsystem\no."}) CHECK_FALSE(parse(text)->root.has_value());
    check_unsupported("(ios\nsystem\n.", "the pickle opcode 0x69 has no place in a checkpoint");
    check_unsupported("(No.", "the pickle opcode 0x6f has no place");
    check_unsupported(bytes("\x82\x01."), "the pickle opcode 0x82 has no place");
    check_unsupported(bytes("\x83\x01\x00."), "0x83");
    check_unsupported("\x84" + u32(1) + ".", "0x84");
    check_unsupported("\x97.", "0x97");
    check_unsupported("N\x98.", "0x98");
}

TEST_CASE("pickle: damage by name") {
    check_bad("", "the pickle ends without STOP");
    check_bad("N", "the pickle ends without STOP");
    check_bad(".", "the pickle leaves 0 values at STOP");
    check_bad("NN.", "the pickle leaves 2 values at STOP");
    check_bad("(N.", "the pickle leaves 2 values at STOP");
    check_bad("\xFF.", "0xff is no pickle opcode");
    check_bad(bytes("\x00."), "0x00 is no pickle opcode");
    check_bad(bytes("\x80\x06."), "pickle protocol 6 is not known");
    check_bad("\x95" + u64(2) + ".", "a frame of 2 bytes, but 1 are left");
    check_bad("0", "takes more values from its stack");
    check_bad("2", "takes more values from its stack");
    check_bad("\x85.", "takes more values from its stack");
    check_bad("N(\x85.", "takes more values from its stack");  // not past the mark
    check_bad("N(a.", "takes more values from its stack");
    check_bad("]s.", "takes more values from its stack");
    check_bad("R", "takes more values from its stack");
    check_bad("t", "up to a mark that is not there");
    check_bad("Ne.", "up to a mark that is not there");
    check_bad("NNa.", "the pickle appends to None");
    check_bad("]NNs.", "the pickle sets items of a list");
    check_bad("}(Nu.", "has a key but no value");
    check_bad("N(N\x90.", "the pickle appends to None");
    check_bad("NN\x93.", "names a global by something that is not a string");
    check_bad("X" + u32(0xFFFFFFFF) + "abc.", "the data ends");
    check_bad("\x8d" + u64(UINT64_MAX) + "abc.", "the data ends");
    check_bad("\x8e" + u64(1ull << 63) + "abc.", "the data ends");
    check_bad("T" + u32(0x80000000) + "abc.", "the data ends");
    check_bad("\x8b" + u32(0xFFFFFFFF) + "abc.", "an integer of 4294967295 bytes; the most allowed are 1024");
    check_bad("ccollections", "a text field has no end");
}

TEST_CASE("pickle: budgets on both sides") {
    pickle::Limits limits;
    limits.max_opcodes = 3;
    CHECK(parse("]0N.", {3 + 1})->root.has_value());
    check_bad("]0N.", "more than 3 opcodes", limits);

    limits = {};
    limits.max_values = 3;
    CHECK(parse("](}}e.", limits)->root.has_value());
    check_bad("](}}}e.", "makes more than 3 values", limits);
    CHECK(parse("](NNNNNe.", limits)->root.has_value());  // None is made once
    // Items copied from an argument count: the list could be used very often.
    limits.max_values = 11;
    std::string pairs = bytes("](NN\x86NN\x86" "e");  // a list and two pairs
    std::string call = bytes("q\x00" "0ccollections\nOrderedDict\nq\x01h\x00\x85R");  // a name, a tuple, a call, two items
    CHECK(parse(pairs + call + ".", limits)->root.has_value());
    check_bad(pairs + call + bytes("0h\x01h\x00\x85R."), "makes more than 11 values", limits);

    limits = {};
    limits.max_memo = 2;
    CHECK(parse(bytes("Nq\x00q\x01q\x01."), limits)->root.has_value());
    check_bad(bytes("Nq\x00q\x01q\x02."), "stores more than 2 values", limits);
    check_bad("Nq\x09r" + u32(77) + "r" + u32(78) + ".", "stores more than 2 values", limits);
    check_bad("N\x94\x94\x94.", "stores more than 2 values", limits);

    limits = {};
    limits.max_stack = 3;
    CHECK(parse("(NNt.", limits)->root.has_value());
    check_bad("(NNNt.", "a stack of more than 3 values", limits);
    check_bad("((((.", "a stack of more than 3 values", limits);

    limits = {};
    limits.max_long_bytes = 9;
    CHECK(parse(bytes("\x8a\x09") + std::string(9, '\x01') + ".", limits)->root.has_value());
    check_bad(bytes("\x8a\x0A") + std::string(10, '\x01') + ".", "an integer of 10 bytes; the most allowed are 9", limits);
    CHECK(parse("L" + std::string(23, '9') + "L\n.", limits)->root.has_value());
    check_bad("L" + std::string(24, '9') + "L\n.", "an integer of 24 digits; the most allowed are 23", limits);
    CHECK(parse("L" + std::string(2459, '9') + "L\n.")->root.has_value());
    check_bad("L" + std::string(2460, '9') + "L\n.", "an integer of 2460 digits");

    std::string name(pickle::kMaxGlobalNameBytes, 'x');
    CHECK(parse("cmegatron.core\n" + name + "\n.")->root.has_value());
    check_unsupported("cmegatron.core\n" + name + "x\n.", "megatron.core.xxx");
}

TEST_CASE("pickle: bombs and deep or cyclic values cost what their bytes cost") {
    // Each level is a tuple of the level below, twice: 2^200 values to whoever walks it as a tree.
    std::string laughs = "]";
    for (int i = 0; i < 200; ++i) laughs += "2\x86";
    auto bomb = parse(laughs + ".");
    CHECK(bomb->value()->as<pickle::Tuple>() != nullptr);
    CHECK(bomb->arena.size() < 300);

    auto deep = parse(std::string(1'000'000, ']') + std::string(999'999, 'a') + ".");
    CHECK(deep->value()->as<pickle::List>()->items.size() == 1);
    check_bad(std::string(1'000'000, '('), "ends without STOP");

    auto self = parse(bytes("]q\x00h\x00" "a."));
    CHECK(self->value()->as<pickle::List>()->items[0] == self->value());

    // One name, given a million times, is one value.
    std::string names = "](";
    for (int i = 0; i < 100'000; ++i) names += "cmegatron.core\nx\n";
    CHECK(parse(names + "e.")->arena.size() < 10);

    // A long key, used very often, is looked at once.
    std::string keys = "}X" + u32(1'000'000) + std::string(1'000'000, 'k') + "q" + std::string(1, '\0') + "0";
    for (int i = 0; i < 100'000; ++i) keys += bytes("h\x00Ns");
    CHECK(parse(keys + ".")->value()->as<pickle::Dict>()->items.size() == 1);
}

TEST_CASE("pickle: cut off anywhere, it is refused") {
    std::string good = bytes("\x80\x02}q\x00(X\x01\x00\x00\x00" "a](K\x01M\x00\x01G\x00\x00\x00\x00\x00\x00\x00\x00\x8a\x02\x01\x02" "eX\x01\x00\x00\x00" "bctorch\nSize\n(K\x01tRu.");
    REQUIRE(parse(good)->root.has_value());
    for (std::size_t length = 0; length < good.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(parse(good.substr(0, length))->root.has_value());
    }
}

TEST_CASE("pickle: the globals of checkpoints") {
    struct Row {
        const char* module;
        const char* name;
    };
    const Row accepted[] = {
        {"torch._utils", "_rebuild_tensor_v2"}, {"torch._utils", "_rebuild_parameter"}, {"torch._tensor", "_rebuild_from_type_v2"}, {"torch", "BFloat16Storage"},
        {"torch", "float8_e4m3fn"}, {"torch", "Size"}, {"torch", "device"}, {"torch.storage", "UntypedStorage"}, {"collections", "OrderedDict"},
        {"collections", "defaultdict"}, {"argparse", "Namespace"}, {"types", "SimpleNamespace"}, {"numpy", "ndarray"}, {"numpy", "dtype"},
        {"numpy.core.multiarray", "_reconstruct"}, {"numpy._core.multiarray", "scalar"}, {"numpy.dtypes", "UInt32DType"}, {"_codecs", "encode"}, {"_io", "BytesIO"},
        {"pathlib", "PosixPath"}, {"builtins", "set"}, {"__builtin__", "complex"}, {"builtins", "getattr"},
        {"megatron.core.transformer.enums", "AttnBackend"}, {"mindspeed_llm.core.x", "Y"}, {"mindspeed.core", "Y"}};
    for (const Row& row : accepted) {
        CAPTURE(row.name);
        CHECK(pickle::is_checkpoint_global(row.module, row.name));
    }
    const Row refused[] = {{"os", "system"}, {"builtins", "eval"}, {"builtins", "exec"}, {"builtins", "open"}, {"builtins", "__import__"}, {"torch", "load"},
                           {"torch", "compile"}, {"torch._utils", "eval"}, {"pathlib", "os"}, {"io", "open"}, {"types", "CodeType"}, {"numpy", "load"},
                           {"megatron", "x"}, {"", ""}, {"collections", "namedtuple"}, {"numpy.dtypes", "x"}};
    for (const Row& row : refused) {
        CAPTURE(row.name);
        CHECK_FALSE(pickle::is_checkpoint_global(row.module, row.name));
    }
}
