#include <doctest/doctest.h>

#include <functional>

#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "tests/unit/ckpt_convert/formats/raw_torch_pickle.h"

using base::ErrorKind;
using ckpt::TorchFile;
using namespace test::raw;
using test::little_endian;
namespace pickle = ckpt::pickle;

namespace {

// The format before torch 1.6, of which everything can be wrong.
struct RawLegacy {
    std::string magic = pickled(test::from_hex("8a0a 6cfc9c46f9206aa85019"));
    std::string version = pickled(number(1001));
    std::string system = pickled("}" + text("protocol_version") + number(1001) + "s" + text("little_endian") + "\x88s");
    std::string object;
    std::string keys = pickled("]" + text("0") + "a");
    std::string payload = little_endian(6, 8) + std::string(24, 'x');

    RawLegacy() {
        RawTensor tensor;
        tensor.view = "N";
        object = pickled(tensor.body());
    }
    std::string bytes() const { return magic + version + system + object + keys + payload; }
    auto read() const { return TorchFile::read(*test::open_bytes(bytes())); }
};

}  // namespace

TEST_CASE("torch file before 1.6: parts and damage") {
    auto good = RawLegacy().read();
    REQUIRE_MESSAGE(good.has_value(), good.error().text());
    CHECK((*good->tensor(good->root()))->file_offset == RawLegacy().bytes().size() - 24);
    struct Row {
        const char* name;
        std::function<void(RawLegacy&)> spoil;
        ErrorKind kind;
        const char* message;
    };
    const Row rows[] = {
        {"other_magic", [](RawLegacy& f) { f.magic[5] ^= 1; }, ErrorKind::unsupported,
         "a pickle, but not one of torch.save"},
        {"other_version", [](RawLegacy& f) { f.version = pickled(number(1000)); }, ErrorKind::unsupported,
         "this version of the format before torch 1.6"},
        {"big_endian", [](RawLegacy& f) { f.system = pickled("}" + text("little_endian") + "\x89s"); },
         ErrorKind::unsupported, "big-endian"},
        {"no_endianness", [](RawLegacy& f) { f.system = pickled("}"); }, ErrorKind::bad_input,
         "does not say whether it is little-endian"},
        {"global_in_system", [](RawLegacy& f) { f.system = pickled(global("collections", "OrderedDict")); },
         ErrorKind::unsupported, "collections.OrderedDict"},
        {"eval", [](RawLegacy& f) { f.object = pickled(global("builtins", "eval")); }, ErrorKind::unsupported,
         "builtins.eval"},
        {"keys_are_a_dict", [](RawLegacy& f) { f.keys = pickled("}"); }, ErrorKind::bad_input,
         "the list of storages is not a list"},
        {"key_missing", [](RawLegacy& f) { f.keys = pickled("]"), f.payload = ""; }, ErrorKind::bad_input,
         "the storage \"0\" is missing in the file"},
        {"key_unknown", [](RawLegacy& f) { f.keys = pickled("]" + text("1") + "a"); }, ErrorKind::bad_input,
         "a storage is listed that nothing refers to"},
        {"key_twice",
         [](RawLegacy& f) { f.keys = pickled("](" + text("0") + text("0") + "e"), f.payload += f.payload; },
         ErrorKind::bad_input, "is listed twice"},
        {"no_payload", [](RawLegacy& f) { f.payload = ""; }, ErrorKind::bad_input,
         "the storage \"0\" is missing; was the file cut off?"},
        {"payload_short", [](RawLegacy& f) { f.payload.pop_back(); }, ErrorKind::bad_input,
         "the storage \"0\" of 6 elements does not fit into the file"},
        {"payload_long", [](RawLegacy& f) { f.payload += "x"; }, ErrorKind::bad_input,
         "1 bytes follow the last storage"},
        {"count_overflows", [](RawLegacy& f) { f.payload = little_endian(1ull << 62, 8); }, ErrorKind::bad_input,
         "does not fit into the file"},
        {"count_negative", [](RawLegacy& f) { f.payload = little_endian(UINT64_MAX, 8); }, ErrorKind::bad_input,
         "does not fit into the file"},
        {"count_smaller", [](RawLegacy& f) { f.payload = little_endian(5, 8) + std::string(20, 'x'); },
         ErrorKind::bad_input, "the storage \"0\" should have 6 elements of 4 bytes, but has 20 bytes"},
        {"whole_module", [](RawLegacy& f) { f.object = pickled(tuple(text("module")) + "Q"); }, ErrorKind::unsupported,
         "a whole module"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        RawLegacy file;
        row.spoil(file);
        test::check_fails(file.read(), row.kind, row.message);
    }
}

TEST_CASE("torch file before 1.6: views of storages") {
    RawTensor tensor;
    tensor.view = tuple(text("v") + number(4) + number(2));
    tensor.size = numbers({2});
    tensor.stride = numbers({1});
    RawLegacy file;
    file.object = pickled(tensor.body());
    auto read = file.read();
    REQUIRE_MESSAGE(read.has_value(), read.error().text());
    CHECK((*read->tensor(read->root()))->file_offset == file.bytes().size() - 8);
    tensor.size = numbers({3});
    file.object = pickled(tensor.body());
    auto beyond = file.read();
    REQUIRE(beyond);
    test::check_fails(beyond->tensor(beyond->root()), ErrorKind::bad_input, "reaches to element 3 of its storage");
    tensor.view = tuple(text("v") + number(4) + number(3));
    file.object = pickled(tensor.body());
    test::check_fails(file.read(), ErrorKind::bad_input, "a view of the storage \"0\" does not lie inside it");
}

TEST_CASE("torch file before 1.6: pickles longer than the first fetch") {
    RawLegacy file;
    RawTensor tensor;
    tensor.view = "N";
    file.object = pickled(tensor.body() + text(std::string(3'000'000, 'z')) + "\x86");
    auto read = file.read();
    REQUIRE_MESSAGE(read.has_value(), read.error().text());
    CHECK(read->tensor(read->root()->as<pickle::Tuple>()->items[0]).has_value());
}
