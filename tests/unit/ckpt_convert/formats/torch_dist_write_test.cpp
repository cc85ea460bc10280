#include <memory>

#include <doctest/doctest.h>

#include "base/format.h"
#include "tests/unit/ckpt_convert/formats/torch_dist_test_support.h"

using base::ErrorKind;
using ckpt::DType;
using ckpt::Shape;
using ckpt::TorchDistContent;
namespace pickle = ckpt::pickle;

namespace {

TorchDistContent small_content() {
    TorchDistContent content;
    content.items = {{"a", DType::bf16, {4, 6}, {0, 0}, {4, 6}},
                     {"layers.b", DType::f32, {2, 3, 2}, {0, 0, 0}, {1, 3, 2}},
                     {"layers.b", DType::f32, {2, 3, 2}, {1, 0, 0}, {1, 3, 2}},
                     {"scalar", DType::i64, {}, {}, {}},
                     {"empty", DType::f16, {0, 2}, {0, 0}, {0, 2}},
                     {"f8", DType::f8_e4m3, {3}, {0}, {3}}};
    content.extra_states = {"layers.b._extra_state/shard_0_2", "layers.b._extra_state/shard_1_2"};
    content.common_state = test::small_common_state;
    content.max_file_bytes = 1u << 20;
    return content;
}

void check_wrong(const TorchDistContent& content, std::string_view part) {
    auto files = ckpt::plan_torch_dist(content);
    REQUIRE_FALSE(files.has_value());
    INFO(files.error().text());
    CHECK(files.error().kind == ErrorKind::internal);
    CHECK(files.error().message.find(part) != std::string::npos);
}

std::vector<std::string> paths(const std::vector<ckpt::TorchDistFile>& files) {
    std::vector<std::string> out;
    for (const auto& file : files) out.push_back(file.path);
    return out;
}

// Has the first .distcp file of a plan as zeros between its headers.
class LargeFileSystem : public test::MemoryFileSystem {
public:
    explicit LargeFileSystem(const ckpt::TorchDistFile& file)
        : path_(base::join(test::kDist, file.path)), sparse_(file.bytes) {
        for (auto& chunk : file.chunks(std::vector<std::uint32_t>(file.items.size())))
            sparse_.put(chunk.offset, chunk.data);
    }
    base::Result<std::unique_ptr<base::ReadableFile>> open(const base::Path& path) override {
        if (path != path_) return MemoryFileSystem::open(path);
        return std::unique_ptr<base::ReadableFile>(std::make_unique<test::SparseFile>(sparse_));
    }
    base::Result<base::FileInfo> info(const base::Path& path) override {
        if (path != path_) return MemoryFileSystem::info(path);
        base::FileInfo info;
        info.bytes = sparse_.size();
        return info;
    }
    base::Result<std::optional<base::FileInfo>> look(const base::Path& path) override {
        if (path != path_) return MemoryFileSystem::look(path);
        return info(path);
    }

private:
    base::Path path_;
    test::SparseFile sparse_;
};

}  // namespace

TEST_CASE("torch_dist: what is planned reads back") {
    for (std::uint64_t max_file_bytes : {1ull << 20, 3000ull, 1ull}) {
        CAPTURE(max_file_bytes);
        TorchDistContent content = small_content();
        content.max_file_bytes = max_file_bytes;
        test::MemoryFileSystem fs;
        test::store(fs, content);
        auto index = ckpt::read_torch_dist(fs, test::kDist);
        REQUIRE_MESSAGE(index.has_value(), index.error().text());
        REQUIRE(index->tensors.size() == 5);
        CHECK(index->skipped.empty());
        std::size_t number = 0;
        for (const auto& tensor : index->tensors) {
            for (const auto& chunk : tensor.chunks) {
                const auto& item = content.items[number];
                CHECK(tensor.fqn == item.name.joined());
                CHECK(tensor.dtype == item.dtype);
                CHECK(tensor.shape == item.global_shape);
                CHECK(chunk.offsets == item.chunk_offsets);
                CHECK(chunk.sizes == item.chunk_sizes);
                CHECK(chunk.contiguous);
                CHECK(chunk.strides == ckpt::row_major_strides(chunk.sizes));
                std::string payload = test::item_payload(item, number++);
                std::string file = fs.content(base::join(test::kDist, index->files[chunk.file]));
                CHECK(file.substr(chunk.file_offset, payload.size()) == payload);
            }
        }
        CHECK(number == content.items.size());
    }
}

TEST_CASE("torch_dist: extra states are one None, the common state is there twice") {
    test::MemoryFileSystem fs;
    test::store(fs, small_content());
    auto index = ckpt::read_torch_dist(fs, test::kDist);
    REQUIRE(index);
    REQUIRE(index->bytes.size() == 3);
    CHECK(index->bytes[0].fqn == "layers.b._extra_state/shard_0_2");
    CHECK(index->bytes[1].fqn == "layers.b._extra_state/shard_1_2");
    CHECK(index->bytes[0].offset == index->bytes[1].offset);
    CHECK(index->bytes[2].fqn == "common_state/shard_0_1");
    std::string file = fs.content("f/__0_0.distcp");
    auto none = ckpt::TorchFile::read(*test::open_bytes(file), index->bytes[0].offset, index->bytes[0].bytes);
    REQUIRE(none);
    REQUIRE(none->root()->as<pickle::List>() != nullptr);
    CHECK(none->root()->as<pickle::List>()->items.at(0)->as<pickle::None>() != nullptr);

    for (bool from_file : {true, false}) {
        CAPTURE(from_file);
        if (!from_file) REQUIRE(fs.remove("f/common.pt"));
        auto common = ckpt::read_torch_dist_common_state(fs, test::kDist, *index);
        REQUIRE_MESSAGE(common.has_value(), common.error().text());
        const auto* args = pickle::namespace_items(pickle::find(common->root, "args"));
        REQUIRE(args != nullptr);
        CHECK(*args->at(0).first->as<std::string>() == "num_layers");
    }
}

TEST_CASE("torch_dist: the files, and where they are cut") {
    TorchDistContent content = small_content();
    auto one = ckpt::plan_torch_dist(content);
    REQUIRE(one);
    CHECK(paths(*one) == std::vector<std::string>{"__0_0.distcp", "common.pt", ".metadata", "metadata.json"});
    CHECK(one->back().chunks({})[0].data == R"({"sharded_backend": "torch_dist", "sharded_backend_version": 1})");

    // Exactly full, and one byte less.
    content.max_file_bytes = one->front().bytes;
    CHECK(ckpt::plan_torch_dist(content)->size() == 4);
    --content.max_file_bytes;
    auto two = ckpt::plan_torch_dist(content);
    REQUIRE(two);
    CHECK(paths(*two) ==
          std::vector<std::string>{"__0_0.distcp", "__0_1.distcp", "common.pt", ".metadata", "metadata.json"});
    CHECK(two->at(0).items == std::vector<std::uint32_t>{0, 1, 2, 3, 4});
    CHECK(two->at(1).items == std::vector<std::uint32_t>{5});
    CHECK(two->at(0).bytes <= content.max_file_bytes);

    // Larger than a file may be: alone in one.
    content.max_file_bytes = 1;
    auto single = ckpt::plan_torch_dist(content);
    REQUIRE(single->size() == 10);
    for (std::size_t i = 1; i < 7; ++i) CHECK(single->at(i).items == std::vector<std::uint32_t>{std::uint32_t(i - 1)});
}

TEST_CASE("torch_dist: a checkpoint without tensors") {
    TorchDistContent content;
    content.common_state = test::small_common_state;
    test::MemoryFileSystem fs;
    test::store(fs, content);
    auto index = ckpt::read_torch_dist(fs, test::kDist);
    REQUIRE_MESSAGE(index.has_value(), index.error().text());
    CHECK(index->tensors.empty());
    CHECK(index->bytes.size() == 1);
}

TEST_CASE("torch_dist: many items") {
    TorchDistContent content = small_content();
    content.items.clear();
    content.max_file_bytes = 1u << 30;
    for (std::uint64_t i = 0; i < ckpt::kMaxTorchDistFileItems; ++i)
        content.items.push_back({"layers.w", DType::u8, {ckpt::kMaxTorchDistFileItems, 1}, {i, 0}, {1, 1}});
    CHECK(ckpt::plan_torch_dist(content)->size() == 4);
    for (int i = 0; i < 1500; ++i) content.items.push_back({base::format("w.{}", i), DType::u8, {1}, {0}, {1}});
    test::MemoryFileSystem fs;
    auto files = test::store(fs, content);
    REQUIRE(files.size() == 5);
    CHECK(files[0].items.size() == ckpt::kMaxTorchDistFileItems);
    CHECK(files[1].items.size() == 1500);
    // One piece between each two payloads.
    CHECK(files[1].chunks(std::vector<std::uint32_t>(1500)).size() == 1501);
    auto index = ckpt::read_torch_dist(fs, test::kDist);
    REQUIRE_MESSAGE(index.has_value(), index.error().text());
    CHECK(index->tensors.size() == 1501);
    CHECK(index->tensors[0].chunks.size() == ckpt::kMaxTorchDistFileItems);
}

TEST_CASE("torch_dist: an item beyond 4 GiB") {
    TorchDistContent content = small_content();
    content.items = {{"a", DType::u8, {3}, {0}, {3}},
                     {"big", DType::bf16, {3ull << 30}, {0}, {3ull << 30}},
                     {"b", DType::u8, {5}, {0}, {5}}};
    content.max_file_bytes = 1ull << 40;
    auto files = ckpt::plan_torch_dist(content);
    REQUIRE(files);
    const auto& file = files->front();
    REQUIRE(file.items.size() == 3);
    CHECK(file.bytes > 6ull << 30);
    LargeFileSystem fs(file);
    for (std::size_t i = 1; i < files->size(); ++i)
        fs.add(base::join(test::kDist, files->at(i).path), files->at(i).chunks({})[0].data);
    auto index = ckpt::read_torch_dist(fs, test::kDist);
    REQUIRE_MESSAGE(index.has_value(), index.error().text());
    REQUIRE(index->tensors.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(index->tensors[i].shape == content.items[i].global_shape);
        CHECK(index->tensors[i].chunks.at(0).file_offset == file.offsets[i]);
    }
}

TEST_CASE("torch_dist: plans that are wrong") {
    TorchDistContent content = small_content();
    content.items.pop_back();
    content.items.erase(content.items.begin() + 2);
    check_wrong(content, "\"layers.b\": the element at [1, 0, 0] is in no chunk");

    content = small_content();
    content.items.push_back(content.items[0]);
    check_wrong(content, "\"a\": the chunks at [0, 0] and [0, 0] overlap");

    content = small_content();
    content.items[2].dtype = DType::f64;
    check_wrong(content, "\"layers.b\": its chunks disagree on its type or shape");
    content = small_content();
    content.items[2].global_shape = {2, 3, 3};
    check_wrong(content, "\"layers.b\": its chunks disagree on its type or shape");
    content = small_content();
    content.items[0].global_shape = {1ull << 40, 1ull << 40};
    check_wrong(content, "\"a\": the shape is too large");

    content = small_content();
    content.extra_states.push_back("a");
    check_wrong(content, "\"a\": the name is given twice");
    content.extra_states.back() = "common_state/shard_0_1";
    check_wrong(content, "\"common_state/shard_0_1\": the name is given twice");
    content = small_content();
    content.items[0].name = "common_state/shard_0_1";
    check_wrong(content, "the name is taken");
}

TEST_CASE("torch_dist: what cannot be written") {
    TorchDistContent content = small_content();
    content.items[0].dtype = DType::f4;
    auto files = ckpt::plan_torch_dist(content);
    REQUIRE_FALSE(files.has_value());
    CHECK(files.error().kind == ErrorKind::unsupported);
    CHECK(files.error().text() == "PyTorch files have no tensors of type f4 (for \"a\")");

    content = small_content();
    content.common_state = [](ckpt::TorchFilePlan&) -> base::Result<pickle::Value*> {
        return base::fail(ErrorKind::bad_input, "no arguments");
    };
    files = ckpt::plan_torch_dist(content);
    REQUIRE_FALSE(files.has_value());
    CHECK(files.error().message == "no arguments");
}
