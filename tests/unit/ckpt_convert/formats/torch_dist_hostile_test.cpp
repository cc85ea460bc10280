#include <doctest/doctest.h>

#include "base/format.h"
#include "tests/unit/ckpt_convert/formats/torch_dist_test_support.h"

using base::ErrorKind;
using test::bytes;
using namespace test::raw;

TEST_CASE("torch_dist: metadata.json") {
    auto json = [](const char* text) { return [text](RawDist& d) { d.json = text; }; };
    check_refused({
        {"zarr", json(R"({"sharded_backend":"zarr","sharded_backend_version":1})"), kUnsupported,
         "metadata.json:1:25: checkpoints of the sharded_backend \"zarr\" are not read"},
        {"common", json(R"({"sharded_backend":"torch_dist","sharded_backend_version":1,"common_backend":"x"})"),
         kUnsupported, "checkpoints of the common_backend \"x\" are not read"},
        {"version", json(R"({"sharded_backend":"torch_dist","sharded_backend_version":2})"), kUnsupported,
         "version 2 of the sharded_backend is not known, only 1"},
        {"no version", json(R"({"sharded_backend":"torch_dist"})"), kBad,
         "it does not say the \"sharded_backend_version\""},
        {"no backend", json("{}"), kBad, "it does not say the \"sharded_backend\""},
        {"number", json(R"({"sharded_backend":1,"sharded_backend_version":1})"), kBad, "does not say the"},
        {"list", json("[]"), kBad, "it holds an array, not an object"},
        {"no json", json("x"), kBad, "metadata.json"},
        {"empty", json(""), kBad, "metadata.json"},
        {"pointer", json("version https://git-lfs.github.com/spec/v1\noid"), kBad, "Git LFS pointer"},
    });
    test::MemoryFileSystem fs = RawDist().files();
    REQUIRE(fs.remove("f/metadata.json"));
    test::check_fails(ckpt::read_torch_dist(fs, test::kDist), kBad, "f/metadata.json: the file is missing");
}

TEST_CASE("torch_dist: files that are missing or others") {
    for (const char* path : {"f/.metadata", "f/__0_0.distcp"}) {
        CAPTURE(std::string(path));
        test::MemoryFileSystem fs = RawDist().files();
        REQUIRE(fs.remove(path));
        test::check_fails(ckpt::read_torch_dist(fs, test::kDist), kBad, base::format("{}: the file is missing", path));
        fs.add(path, "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
        test::check_fails(ckpt::read_torch_dist(fs, test::kDist), kBad,
                          base::format("{}: this is a Git LFS pointer", path));
        fs.add(path, "");
        test::check_fails(ckpt::read_torch_dist(fs, test::kDist), kBad, path);
    }
}

TEST_CASE("torch_dist: paths that leave the directory") {
    for (const char* path : {"../x", "a/../../x", "/x", "", ".."}) {
        CAPTURE(std::string(path));
        RawDist dist;
        dist.path = text(path);
        test::check_fails(read(dist), kBad, "which is not a file in the checkpoint's directory");
    }
    RawDist dist;
    dist.path = text(bytes("__0_0.distcp\x00x"));
    test::check_fails(read(dist), kBad, "which is not a file in the checkpoint's directory");
    dist.path = text("a..b");
    test::check_fails(read(dist), kBad, "f/a..b: the file is missing");
}

TEST_CASE("torch_dist: what .metadata is made of") {
    auto whole = [](std::string pickle) { return [pickle](RawDist& d) { d.metadata = pickle; }; };
    check_refused({
        {"cut off",
         [](RawDist& d) {
             d.metadata = d.metadata_bytes();
             d.metadata.pop_back();
         },
         kBad, "f/.metadata"},
        {"more behind", [](RawDist& d) { d.metadata = d.metadata_bytes() + "x"; }, kBad,
         "1 bytes follow the end of the pickle"},
        {"no object", whole(pickled(dict(""))), kBad, "a dict is where torch.distributed.checkpoint puts its Metadata"},
        {"other class", whole(pickled(object("torch.distributed.x", "Plan", text("a") + none()))), kBad,
         "an object of torch.distributed.x.Plan is where"},
        {"no attributes", whole(pickled(object("torch.distributed.x", "Metadata", {}))), kBad,
         "have no storage_data or no state_dict_metadata"},
        {"eval", whole(pickled(global("builtins", "eval") + tuple(text("1")) + "R")), kUnsupported,
         "the pickle names \"builtins.eval\""},
        {"torch.load", whole(pickled(global("torch", "load") + tuple(text("1")) + "R")), kUnsupported,
         "the pickle names \"torch.load\""},
        {"os.system", whole(pickled(global("posix", "system") + tuple(text("1")) + "R")), kUnsupported,
         "the pickle names \"posix.system\""},
        {"entry", [](RawDist& d) { d.more_entries = text("x") + number(1); }, kBad,
         "\"x\": neither a tensor nor bytes, but an integer"},
        {"name", [](RawDist& d) { d.more_entries = number(1) + number(1); }, kBad, "a tensor's name is an integer"},
        {"long name", [](RawDist& d) { d.more_entries = text(std::string(4097, 'x')) + number(1); }, kBad,
         "the name is too long"},
        {"index", [](RawDist& d) { d.more_storages = number(1) + d.place(number(1), number(1)); }, kBad,
         "the storage of an integer, which has no fqn"},
        {"place", [](RawDist& d) { d.bytes_place = number(1); }, kBad,
         "\"k/shard_0_1\": an integer does not say in which bytes of which file it lies"},
        {"negative", [](RawDist& d) { d.bytes_place = d.place(number(-1), number(1)); }, kBad,
         "does not say in which bytes of which file it lies"},
        {"path",
         [](RawDist& d) {
             d.path = number(1);
             d.bytes_place = d.place(number(1), number(1));
         },
         kBad, "does not say in which bytes of which file it lies"},
        {"no place for bytes",
         [](RawDist& d) { d.more_entries = text("x") + object(d.module, "BytesStorageMetadata", {}); }, kBad,
         "\"x\": it is listed, but not where it is stored"},
        {"two places", [](RawDist& d) { d.more_storages = d.index("w", d.offset) + d.place(number(1), number(1)); },
         kBad, "\"w\": the chunk at [0, 0] has two storages"},
    });
}

TEST_CASE("torch_dist: objects with many attributes") {
    // Metadata has four of its own.
    for (int more : {60, 61}) {
        CAPTURE(more);
        RawDist dist;
        for (int i = 0; i < more; ++i) dist.more_attributes += text(base::format("a{}", i)) + none();
        if (more == 60) {
            CHECK(read(dist));
        } else {
            test::check_fails(read(dist), kBad, "have no storage_data or no state_dict_metadata");
        }
    }
}

TEST_CASE("torch_dist: tensors and chunks that do not fit together") {
    check_refused({
        {"type", [](RawDist& d) { d.dtype = none(); }, kBad, "\"w\": it has no element type"},
        {"quantised", [](RawDist& d) { d.dtype = global("torch", "qint8"); }, kUnsupported,
         "\"w\": tensors of type \"torch.qint8\" are not read"},
        {"size",
         [](RawDist& d) {
             d.size = size_of({2, -3});
         },
         kBad, "\"w\": its size is not made of integers from 0"},
        {"large",
         [](RawDist& d) {
             d.size = size_of({INT32_MAX, INT32_MAX, 2});
         },
         kBad, "is too large"},
        {"no chunks", [](RawDist& d) { d.chunks = none(); }, kBad, "\"w\": it has no list of chunks"},
        {"no chunk", [](RawDist& d) { d.chunks = "]"; }, kBad,
         "\"w\": the element at [0, 0] is in no chunk (its shape is [2, 3])"},
        {"more chunks than storages",
         [](RawDist& d) {
             d.chunks = list(d.chunk({0, 0}, {1, 3}) + d.chunk({1, 0}, {1, 3}) + d.chunk({2, 0}, {0, 3}));
         },
         kBad, "there are more chunks listed than stored"},
        {"chunk", [](RawDist& d) { d.chunks = list(number(1)); }, kBad,
         "\"w\": a chunk has offsets or sizes that are not made of integers from 0"},
        {"axes", [](RawDist& d) { d.chunks = list(d.chunk({0}, {2})); }, kBad,
         "the chunk at [0] of size [2] does not have the 2 axes of the tensor"},
        {"outside",
         [](RawDist& d) {
             d.chunks = list(d.chunk({0, 0}, {3, 3}));
         },
         kBad, "the chunk at [0, 0] of size [3, 3] does not lie inside the tensor"},
        {"uncovered",
         [](RawDist& d) {
             d.chunks = list(d.chunk({0, 0}, {2, 2}));
         },
         kBad, "the element at [0, 2] is in no chunk"},
        {"overlap",
         [](RawDist& d) {
             d.chunks = list(d.chunk({0, 0}, {2, 3}) + d.chunk({1, 0}, {1, 3}));
         },
         kBad, "the chunks at [0, 0] and [1, 0] overlap"},
        {"not stored",
         [](RawDist& d) {
             d.offset = text("offset") + size_of({0, 1});
         },
         kBad, "\"w\": the chunk at [0, 0] is listed, but not where it is stored"},
        {"no offset", [](RawDist& d) { d.offset = {}; }, kBad, "is listed, but not where it is stored"},
        {"offset", [](RawDist& d) { d.offset = text("offset") + number(0); }, kBad,
         "\"w\": a chunk's offset is not made of integers from 0"},
        {"compressed", [](RawDist& d) { d.transforms = text("transform_descriptors") + list(text("zstd")); },
         kUnsupported, "\"w\" is stored compressed or otherwise transformed"},
        {"transformed", [](RawDist& d) { d.transforms = text("transform_descriptors") + number(1); }, kUnsupported,
         "\"w\" is stored compressed or otherwise transformed"},
    });
}

TEST_CASE("torch_dist: items that are not what .metadata says") {
    check_refused({
        {"behind the end", [](RawDist& d) { d.item_bytes = number(static_cast<std::int64_t>(d.item.size()) + 4); },
         kBad, "do not lie inside the file of"},
        {"far", [](RawDist& d) { d.item_offset = bytes("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f"); }, kBad,
         "do not lie inside the file of"},
        {"bytes", [](RawDist& d) { d.bytes_place = d.place(number(0), number(1 << 30)); }, kBad,
         "\"k/shard_0_1\": its 1073741824 bytes at byte 0 do not lie inside the file of"},
        {"shifted", [](RawDist& d) { d.item_offset = number(6); }, kBad, "(in the chunk at [0, 0] of \"w\")"},
        {"too long", [](RawDist& d) { d.item_bytes = number(static_cast<std::int64_t>(d.item.size()) + 1); }, kBad,
         "no zip end record"},
        {"empty", [](RawDist& d) { d.item_bytes = number(0); }, kBad, "this is not a file of torch.save"},
        {"type", [](RawDist& d) { d.dtype = global("torch", "int32"); }, kBad,
         "byte 5: the chunk at [0, 0] of \"w\" is f32 [2, 3] here, but i32 [2, 3] in .metadata"},
        {"shape",
         [](RawDist& d) {
             d.size = size_of({3, 2});
             d.chunks = list(d.chunk({0, 0}, {3, 2}));
         },
         kBad, "is f32 [2, 3] here, but f32 [3, 2] in .metadata"},
        {"axis more",
         [](RawDist& d) {
             d.size = size_of({1, 2, 3});
             d.chunks = list(d.chunk({0, 0, 0}, {1, 2, 3}));
             d.offset = text("offset") + size_of({0, 0, 0});
         },
         kBad, "is f32 [2, 3] here, but f32 [1, 2, 3] in .metadata"},
        {"no tensor", [](RawDist& d) { d.item = torch_file([](auto& plan) { return plan.none(); }); }, kBad,
         "a tensor was expected, not None (in the chunk at [0, 0] of \"w\")"},
    });
    // Both sides of the end of the file.
    RawDist dist;
    dist.bytes_place = dist.place(number(0), number(static_cast<std::int64_t>(dist.item.size()) + 8));
    CHECK(read(dist));
    dist.bytes_place = dist.place(number(0), number(static_cast<std::int64_t>(dist.item.size()) + 9));
    CHECK_FALSE(read(dist).has_value());
    dist.bytes_place = dist.place(number(static_cast<std::int64_t>(dist.item.size()) + 8), number(0));
    CHECK(read(dist));
}
