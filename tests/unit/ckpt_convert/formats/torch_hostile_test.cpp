#include <doctest/doctest.h>

#include <functional>

#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "tests/unit/ckpt_convert/formats/raw_torch_pickle.h"

using base::ErrorKind;
using ckpt::TorchFile;
using namespace test::raw;
using test::bytes;

namespace {

struct RawFile {
    std::string pickle = pickled(RawTensor().body());
    std::vector<test::Record> more = {{"a/version", "3\n"}, {"a/data/0", std::string(24, 'x')}};

    auto read() const {
        std::vector<test::Record> records{{"a/data.pkl", pickle}};
        records.insert(records.end(), more.begin(), more.end());
        return TorchFile::read(*test::open_bytes(test::zip_of(records)));
    }
};

// Reads a file whose object is this tensor, and the tensor.
base::Result<std::optional<ckpt::TorchTensor>> read_tensor(const RawTensor& tensor) {
    RawFile file{pickled(tensor.body())};
    TRY_ASSIGN(TorchFile read, file.read());
    return read.tensor(read.root());
}

}  // namespace

TEST_CASE("torch file: the parts of the archive") {
    REQUIRE(RawFile().read());
    struct Row {
        const char* name;
        std::function<void(RawFile&)> spoil;
        ErrorKind kind;
        const char* message;
    };
    const Row rows[] = {
        {"no_version", [](RawFile& f) { f.more.erase(f.more.begin()); }, ErrorKind::bad_input,
         "the record \"version\" is missing"},
        {"version_0", [](RawFile& f) { f.more[0].content = "0\n"; }, ErrorKind::bad_input,
         "format version 0 is not known; 1 to 10 are read"},
        {"version_11", [](RawFile& f) { f.more[0].content = "11\n"; }, ErrorKind::unsupported,
         "format version 11 is not known"},
        {"version_text", [](RawFile& f) { f.more[0].content = "three"; }, ErrorKind::bad_input,
         "the format version \"three\" is not a number"},
        {"version_empty", [](RawFile& f) { f.more[0].content = ""; }, ErrorKind::bad_input,
         "the format version \"\" is not a number"},
        {"version_long", [](RawFile& f) { f.more[0].content = std::string(65, '1'); }, ErrorKind::bad_input,
         "has 65 bytes, the largest allowed is 64"},
        {"big_endian",
         [](RawFile& f) {
             f.more.push_back({"a/byteorder", "big"});
         },
         ErrorKind::unsupported, "written on a big-endian machine"},
        {"byte_order_unknown",
         [](RawFile& f) {
             f.more.push_back({"a/byteorder", "middle"});
         },
         ErrorKind::bad_input, "the byte order \"middle\" is not known"},
        {"torch_script",
         [](RawFile& f) {
             f.more.push_back({"a/constants.pkl", ""});
         },
         ErrorKind::unsupported, "this is a TorchScript archive"},
        {"storage_missing", [](RawFile& f) { f.more.pop_back(); }, ErrorKind::bad_input,
         "the storage \"0\" is missing in the file"},
        {"storage_short", [](RawFile& f) { f.more[1].content.pop_back(); }, ErrorKind::bad_input,
         "the storage \"0\" should have 6 elements of 4 bytes, but has 23 bytes"},
        {"storage_elsewhere", [](RawFile& f) { f.more[1].name = "b/data/0"; }, ErrorKind::bad_input,
         "the storage \"0\" is missing"},
        {"bytes_behind_the_pickle", [](RawFile& f) { f.pickle += "x"; }, ErrorKind::bad_input,
         "1 bytes follow the end of the pickle"},
        {"eval", [](RawFile& f) { f.pickle = pickled("cbuiltins\neval\n" + tuple(text("1")) + "R"); },
         ErrorKind::unsupported, "(a/data.pkl): byte 81: the pickle names \"builtins.eval\""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        RawFile file;
        row.spoil(file);
        test::check_fails(file.read(), row.kind, row.message);
    }
}

TEST_CASE("torch file: parts that other versions write") {
    for (const char* version : {"1\n", "10\n", "3"}) {
        RawFile file;
        file.more[0].content = version;
        CHECK(file.read());
    }
    RawFile file;
    file.more[0].name = "a/.data/version";
    file.more.push_back({"a/byteorder", "little"});
    file.more.push_back({"a/.data/serialization_id", "123"});
    file.more.push_back({"a/.format_version", "1"});
    file.more[1].content += "longer than needed";
    CHECK(file.read());
}

TEST_CASE("torch file: other files") {
    auto fails = [](const std::string& content, ErrorKind kind, std::string_view part) {
        test::check_fails(TorchFile::read(*test::open_bytes(content)), kind, part);
    };
    fails("", ErrorKind::bad_input, "this is not a file of torch.save");
    fails("hello", ErrorKind::bad_input, "this is not a file of torch.save");
    fails("version https://git-lfs.github.com/spec/v1\n", ErrorKind::bad_input, "run \"git lfs pull\"");
    std::string tar(512, '\0');
    tar.replace(257, 5, "ustar");
    fails(tar, ErrorKind::unsupported, "tar files of PyTorch before 0.1.10");
    fails("PK\x03\x04 and no more", ErrorKind::bad_input, "no zip end record");
    fails("x" + test::zip_of({{"a/data.pkl", "N."}}), ErrorKind::bad_input, "this is not a file of torch.save");
    fails(test::zip_of({{"data.pkl", "N."}, {"version", "3"}}), ErrorKind::bad_input,
          "its first member is not in a folder");
    fails(test::zip_of({{"a/b/data.pkl", "N."}, {"a/b/version", "3"}}), ErrorKind::bad_input,
          "it has no \"a/data.pkl\"");
    fails(test::zip_of({{"word/document.xml", ""}}), ErrorKind::bad_input, "it has no \"word/data.pkl\"");
    std::string damaged = test::zip_of({{"a/data.pkl", pickled("N")}, {"a/version", "3"}});
    damaged[64 + 2] = 'K';
    fails(damaged, ErrorKind::bad_input, "the record \"a/data.pkl\" is damaged");
    fails(pickled("N"), ErrorKind::unsupported, "a pickle, but not one of torch.save");
    fails(pickled("cos\nsystem\n" + tuple(text("id")) + "R"), ErrorKind::unsupported, "the pickle names \"os.system\"");
}

TEST_CASE("torch file: the largest pickle on both sides of its limit") {
    auto with_pickle_of = [](std::uint64_t size) {
        ckpt::ZipLayout layout;
        std::uint64_t version = (layout.add("a/data.pkl", size), layout.add("a/version", 1));
        test::SparseFile file(layout.file_bytes());
        for (auto& chunk : layout.headers({0, 0})) file.put(chunk.offset, chunk.data);
        file.put(version, "3");
        return TorchFile::read(file);
    };
    test::check_fails(with_pickle_of(ckpt::kMaxTorchPickleBytes), ErrorKind::bad_input, "0x00 is not a pickle opcode");
    test::check_fails(with_pickle_of(ckpt::kMaxTorchPickleBytes + 1), ErrorKind::bad_input,
                      "the largest allowed is 268435456");
}

TEST_CASE("torch file: tensors that do not fit") {
    auto good = read_tensor({});
    REQUIRE(good);
    CHECK((*good)->shape == ckpt::Shape{2, 3});
    struct Row {
        const char* name;
        std::function<void(RawTensor&)> spoil;
        const char* message;
    };
    const Row rows[] = {
        {"offset_too_large", [](RawTensor& t) { t.offset = number(1); },
         "reaches to element 7 of its storage, past its end"},
        {"offset_negative", [](RawTensor& t) { t.offset = number(-1); }, "has an offset that is not an integer from 0"},
        {"stride_too_large",
         [](RawTensor& t) {
             t.stride = numbers({4, 1});
         },
         "reaches to element 7 of its storage"},
        {"stride_negative",
         [](RawTensor& t) {
             t.stride = numbers({3, -1});
         },
         "has sizes or strides that are not"},
        {"size_negative",
         [](RawTensor& t) {
             t.size = numbers({-2, 3});
         },
         "has sizes or strides that are not"},
        {"fewer_strides", [](RawTensor& t) { t.stride = numbers({3}); },
         "has sizes or strides that are not equally many"},
        {"size_is_a_list", [](RawTensor& t) { t.size = "]"; }, "has sizes or strides that are not"},
        {"size_is_huge",
         [](RawTensor& t) {
             t.size = numbers({INT32_MAX, INT32_MAX});
         },
         "is too large"},
        {"stride_is_huge",
         [](RawTensor& t) {
             t.size = numbers({3, 1}), t.stride = numbers({INT32_MAX, 1});
         },
         "reaches to element 18446744073709551615"},
        {"stride_overflows",
         [](RawTensor& t) {
             t.size = numbers({4, 1}), t.stride = numbers({INT32_MAX, 1});
         },
         "is too large"},
        {"offset_overflows",
         [](RawTensor& t) {
             t.offset = bytes("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"), t.size = numbers({3, 1}),
             t.stride = numbers({INT32_MAX, 1});
         },
         "is too large"},
        {"expanded_too_large",
         [](RawTensor& t) {
             t.size = numbers({INT32_MAX, 7}), t.stride = numbers({0, 1});
         },
         "is too large"},
        {"65_dimensions", [](RawTensor& t) { t.size = numbers(std::vector<std::int64_t>(65, 1)), t.stride = t.size; },
         "has sizes or strides that are not"},
        {"storage_negative", [](RawTensor& t) { t.elements = number(-6); },
         "refers to a storage in a way that PyTorch does not write"},
        {"storage_too_large", [](RawTensor& t) { t.elements = number(7); },
         "should have 7 elements of 4 bytes, but has 24 bytes"},
        {"storage_overflows", [](RawTensor& t) { t.elements = bytes("\x8a\x08\x01\x00\x00\x00\x00\x00\x00\x40"); },
         "should have 4611686018427387905 elements"},
        {"key_is_a_number", [](RawTensor& t) { t.key = number(0); }, "refers to a storage in a way"},
        {"class_is_a_string", [](RawTensor& t) { t.storage_class = text("FloatStorage"); },
         "refers to a storage in a way"},
        {"untyped_without_type", [](RawTensor& t) { t.storage_class = global("torch.storage", "UntypedStorage"); },
         "has no element type"},
        {"v3_without_type", [](RawTensor& t) { t.function = global("torch._utils", "_rebuild_tensor_v3"); },
         "has no element type"},
        {"wraps_nothing", [](RawTensor& t) { t.function = global("torch._utils", "_rebuild_parameter"); },
         "wraps something that is not a tensor"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        RawTensor tensor;
        row.spoil(tensor);
        test::check_fails(read_tensor(tensor), ErrorKind::bad_input, row.message);
    }
    // Dimensions at the limit, and an empty tensor whose strides do not matter.
    RawTensor deep;
    deep.size = deep.stride = numbers(std::vector<std::int64_t>(64, 1));
    CHECK(read_tensor(deep));
    RawTensor empty;
    empty.size = numbers({0, 3});
    empty.stride = numbers({INT32_MAX, INT32_MAX});
    REQUIRE(read_tensor(empty));
    CHECK((*read_tensor(empty))->contiguous);
}

TEST_CASE("torch file: kinds of tensors") {
    RawTensor tensor;
    tensor.size = global("torch", "Size") + tuple(numbers({2, 3})) + "R";
    CHECK(read_tensor(tensor));

    // Parameter(subclass(tensor)), and one wrapper too many.
    std::string plain = RawTensor().body();
    auto parameter = [](const std::string& inner) {
        return global("torch._utils", "_rebuild_parameter") + tuple(inner + "\x88N") + "R";
    };
    std::string arguments = plain.substr(plain.find('('), plain.size() - plain.find('(') - 1);
    std::string subclass =
        global("torch._tensor", "_rebuild_from_type_v2") +
        tuple(global("torch._utils", "_rebuild_tensor_v2") + global("torch", "Tensor") + arguments + "}") + "R";
    for (const std::string& body : {parameter(plain), subclass, parameter(subclass)}) {
        auto file = RawFile{pickled(body)}.read();
        REQUIRE_MESSAGE(file.has_value(), file.error().text());
        auto read = file->tensor(file->root());
        REQUIRE_MESSAGE(read.has_value(), read.error().text());
        CHECK((*read)->shape == ckpt::Shape{2, 3});
    }
    std::string wrapped = plain;
    for (int i = 0; i < 8; ++i) wrapped = parameter(wrapped);
    auto eight = RawFile{pickled(wrapped)}.read();
    REQUIRE(eight);
    CHECK(eight->tensor(eight->root()));
    auto nine = RawFile{pickled(parameter(wrapped))}.read();
    REQUIRE(nine);
    test::check_fails(nine->tensor(nine->root()), ErrorKind::bad_input, "wraps something that is not a tensor");

    // Untyped bytes with the type given apart.
    RawTensor f8;
    f8.function = global("torch._utils", "_rebuild_tensor_v3");
    f8.storage_class = global("torch.storage", "UntypedStorage");
    f8.elements = number(24);
    f8.more = global("torch", "float8_e5m2");
    f8.offset = number(18);
    auto read = read_tensor(f8);
    REQUIRE(read);
    CHECK((*read)->dtype == ckpt::DType::f8_e5m2);
    f8.offset = number(19);
    test::check_fails(read_tensor(f8), ErrorKind::bad_input, "reaches to element 25");
    f8.more = global("torch", "uint16");
    f8.offset = number(6);
    REQUIRE(read_tensor(f8));
    f8.offset = number(7);
    test::check_fails(read_tensor(f8), ErrorKind::bad_input, "reaches to element 13");
    f8.more = global("torch", "complex32");
    test::check_fails(read_tensor(f8), ErrorKind::unsupported, "tensors of type \"torch.complex32\" are not read");
}

TEST_CASE("torch file: tensors without plain storage") {
    RawTensor tensor;
    for (const char* name : {"_rebuild_sparse_tensor", "_rebuild_qtensor", "_rebuild_meta_tensor_no_storage",
                             "_rebuild_wrapper_subclass"}) {
        tensor.function = global("torch._utils", name);
        test::check_fails(read_tensor(tensor), ErrorKind::unsupported, std::string(name) + "\" has no plain storage");
    }
    tensor = {};
    for (const char* name : {"QInt8Storage", "QUInt4x2Storage", "XStorage"}) {
        tensor.storage_class = global("torch", name);
        test::check_fails(read_tensor(tensor), ErrorKind::unsupported,
                          std::string("storages of class \"torch.") + name + "\" are not read");
    }
    RawFile module{pickled(tuple(text("module") + global("torch", "Tensor") + text("m.py") + text("import os")) + "Q")};
    test::check_fails(module.read(), ErrorKind::unsupported, "the file holds a whole module, code included");
}

TEST_CASE("torch file: one storage, two classes") {
    RawTensor other;
    other.storage_class = global("torch", "IntStorage");
    RawFile file{pickled(RawTensor().body() + other.body() + "\x86")};
    test::check_fails(file.read(), ErrorKind::bad_input, "the storage \"0\" is used both as f32 and as i32");
}
