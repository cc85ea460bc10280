#include <doctest/doctest.h>

#include "ckpt_convert/formats/torch_dist/dist_metadata.h"
#include "tests/unit/ckpt_convert/formats/torch_dist_fixtures.h"
#include "tests/unit/ckpt_convert/formats/torch_dist_test_support.h"

using ckpt::DType;
using ckpt::Shape;
using namespace test::raw;
namespace pickle = ckpt::pickle;

TEST_CASE("torch_dist: a checkpoint piece by piece") {
    auto index = read({});
    REQUIRE_MESSAGE(index.has_value(), index.error().text());
    CHECK(index->files == std::vector<std::string>{"__0_0.distcp"});
    REQUIRE(index->tensors.size() == 1);
    CHECK(index->tensors[0].fqn == "w");
    CHECK(index->tensors[0].dtype == DType::f32);
    CHECK(index->tensors[0].shape == Shape{2, 3});
    REQUIRE(index->tensors[0].chunks.size() == 1);
    CHECK(index->tensors[0].chunks[0].file_offset > 5);
    REQUIRE(index->bytes.size() == 1);
    CHECK(index->bytes[0].fqn == "k/shard_0_1");
    CHECK(index->bytes[0].offset == 1);
    CHECK(index->bytes[0].bytes == 4);
}

TEST_CASE("torch_dist: what other versions of PyTorch, Python and Megatron write") {
    std::vector<DistRow> rows{
        {"torch 1.13",
         [](RawDist& d) {
             d.module = "torch.distributed._shard.checkpoint.metadata";
             d.properties_module = "torch.distributed._shard.sharded_tensor.metadata";
             d.filesystem_module = "torch.distributed._shard.checkpoint.filesystem";
             d.chunks = list(d.chunk({0, 0}, {2, 3}));
             d.bytes_place = d.place(number(1), number(4));
         }},
        {"enumeration by name",
         [](RawDist& d) {
             std::string by_name =
                 global("builtins", "getattr") +
                 tuple(global(d.properties_module, "_MEM_FORMAT_ENCODING") + text("TORCH_CONTIGUOUS_FORMAT")) + "R";
             d.memory_format = "0" + by_name;  // in place of the class
         }},
        {"offset of bytes is None",
         [](RawDist& d) {
             d.more_entries = text("k2") + object(d.module, "BytesStorageMetadata", {});
             d.more_storages = d.index("k2", text("offset") + none()) + d.place(number(0), number(0));
         }},
        {"no transforms", [](RawDist& d) { d.transforms = text("transform_descriptors") + "]"; }},
        {"transforms are None", [](RawDist& d) { d.transforms = text("transform_descriptors") + none(); }},
        {"attributes of Megatron",
         [](RawDist& d) {
             d.more_attributes =
                 text("mcore_data") +
                 dict(text("optimizer.w") + dict(text("nd_reformulated_orig_global_shape") + numbers({2, 3}))) +
                 text("all_local_plans") +
                 list(
                     object("megatron.core.dist_checkpointing.strategies.torch", "MCoreSavePlan", text("items") + "]"));
         }},
        {"a path as the checkpoint's name",
         [](RawDist& d) {
             d.more_attributes =
                 text("storage_meta") +
                 object(d.module, "StorageMeta",
                        text("checkpoint_id") + global("pathlib._local", "PosixPath") + tuple(text("/x")) + "R");
         }},
        {"common_backend",
         [](RawDist& d) {
             d.json = R"({"sharded_backend":"torch_dist","sharded_backend_version":1,)"
                      R"("common_backend":"torch","common_backend_version":1,"more":[]})";
         }},
    };
    for (const DistRow& row : rows) {
        CAPTURE(std::string(row.name));
        RawDist dist;
        row.spoil(dist);
        auto index = read(dist);
        REQUIRE_MESSAGE(index.has_value(), index.error().text());
        CHECK(index->tensors.size() == 1);
    }
}

TEST_CASE("torch_dist: metadata that Megatron wrote") {
    auto metadata = ckpt::parse_dist_metadata(test::from_hex(test::kMegatronMetadata), "f", {});
    REQUIRE_MESSAGE(metadata.has_value(), metadata.error().text());
    CHECK(metadata->index.files == std::vector<std::string>{"__0_0.distcp", "__0_1.distcp"});
    const auto& tensors = metadata->index.tensors;
    REQUIRE(tensors.size() == 2);
    CHECK(tensors[0].fqn == "decoder.layers.w");
    CHECK(tensors[0].shape == Shape{2, 3, 4});
    REQUIRE(tensors[0].chunks.size() == 2);
    CHECK(tensors[0].chunks[1].offsets == Shape{1, 0, 0});
    CHECK(tensors[0].chunks[1].sizes == Shape{1, 3, 4});
    CHECK(tensors[1].fqn == "optimizer.state.exp_avg.w");
    CHECK(tensors[1].shape == Shape{1, 1, 12});
    CHECK(metadata->wholes == std::vector<Shape>{{}, {3, 4}});
    REQUIRE(metadata->index.bytes.size() == 1);
    CHECK(metadata->index.bytes[0].fqn == "k._extra_state/shard_0_1");
    REQUIRE(metadata->items.size() == 3);
    for (const auto& item : metadata->items) CHECK(item.bytes > 1000);
}

TEST_CASE("torch_dist: tensors that are not wanted") {
    RawDist dist;
    dist.dtype = global("torch", "quint4x2");
    dist.chunks = "]";
    dist.path = text("no_such_file");
    dist.bytes_place = dist.place(number(0), number(0));
    ckpt::TorchDistOptions options;
    options.wanted = [](std::string_view fqn) { return fqn != "w"; };
    dist.bytes_place =
        object(dist.filesystem_module, "_StorageInfo",
               text("relative_path") + text("__0_0.distcp") + text("offset") + number(0) + text("length") + number(0));
    auto index = read(dist, options);
    REQUIRE_MESSAGE(index.has_value(), index.error().text());
    CHECK(index->tensors.empty());
    CHECK(index->skipped == std::vector<std::string>{"w"});
    CHECK(index->files == std::vector<std::string>{"__0_0.distcp"});
    CHECK_FALSE(read(dist).has_value());
}

TEST_CASE("torch_dist: a chunk that is a strided view of a larger storage") {
    RawTensor tensor;
    tensor.elements = number(8);
    tensor.offset = number(1);
    tensor.stride = numbers({1, 2});
    RawDist dist;
    dist.item = test::zip_of({{"archive/data.pkl", pickled(tensor.body())},
                              {"archive/version", "3\n"},
                              {"archive/data/0", std::string(32, 'x')}});
    auto index = read(dist);
    REQUIRE_MESSAGE(index.has_value(), index.error().text());
    CHECK_FALSE(index->tensors[0].chunks[0].contiguous);
    CHECK(index->tensors[0].chunks[0].strides == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("torch_dist: the common state") {
    auto common = [](const RawDist& dist) {
        test::MemoryFileSystem fs = dist.files();
        auto index = ckpt::read_torch_dist(fs, test::kDist);
        REQUIRE_MESSAGE(index.has_value(), index.error().text());
        return ckpt::read_torch_dist_common_state(fs, test::kDist, *index);
    };
    RawDist dist;
    test::check_fails(common(dist), kBad, "neither a file common.pt nor an entry \"common_state/shard_0_1\"");
    dist.common = torch_file([](auto& plan) { return plan.dict(); });
    CHECK(common(dist));
    dist.common = torch_file([](auto& plan) { return plan.list(); });
    test::check_fails(common(dist), kBad, "f/common.pt: the common state is a list, not a dict");
    dist.common = "version https://git-lfs.github.com/spec/v1\n";
    test::check_fails(common(dist), kBad, "Git LFS pointer");

    // As an item, in place of the tensor's item: a list of one dict.
    auto as_item = [&](std::string item, std::string_view message) {
        test::MemoryFileSystem fs;
        fs.add("f/items", "12345" + item);
        ckpt::TorchDistIndex index;
        index.files = {"items"};
        index.bytes = {{"common_state/shard_0_1", 0, 5, item.size()}};
        auto state = ckpt::read_torch_dist_common_state(fs, test::kDist, index);
        if (!message.empty()) return test::check_fails(state, kBad, message);
        REQUIRE_MESSAGE(state.has_value(), state.error().text());
    };
    auto list_of = [](auto& plan, std::vector<pickle::Ref> items) { return plan.arena().make(pickle::List{items}); };
    as_item(torch_file([&](auto& plan) { return list_of(plan, {plan.dict()}); }), "");
    as_item(torch_file([&](auto& plan) { return plan.dict(); }), "it is a dict, not a list of one dict");
    as_item(torch_file([&](auto& plan) { return list_of(plan, {}); }), "it is a list, not a list of one dict");
    as_item(torch_file([&](auto& plan) {
                return list_of(plan, {plan.dict(), plan.dict()});
            }),
            "not a list of one dict");
    as_item(torch_file([&](auto& plan) { return list_of(plan, {plan.none()}); }), "not a list of one dict");
    as_item("x", "this is not a file of torch.save");
}
