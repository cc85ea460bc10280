#include <doctest/doctest.h>

#include "base/format.h"
#include "base/zip_reader.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "ckpt_convert/formats/torch_file/torch_writer.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

using base::ErrorKind;
using ckpt::DType;
using ckpt::TorchFile;
using ckpt::TorchFilePlan;
namespace pickle = ckpt::pickle;

namespace {

bool torch_has(DType dtype) { return dtype != DType::f4 && dtype != DType::f6_e2m3 && dtype != DType::f6_e3m2; }

}  // namespace

TEST_CASE("torch file: what is planned reads back, for every type") {
    TorchFilePlan plan;
    auto* root = plan.dict();
    std::vector<std::string> payloads;
    std::vector<DType> dtypes;
    for (int i = 0; i <= static_cast<int>(DType::f4); ++i) {
        auto dtype = static_cast<DType>(i);
        if (!torch_has(dtype)) continue;
        auto tensor = plan.tensor(dtype, {2, 3});
        REQUIRE(tensor);
        plan.set(root, plan.string(std::string(ckpt::name(dtype))), *tensor);
        payloads.emplace_back(plan.tensor_bytes(dtypes.size()), static_cast<char>('a' + i));
        dtypes.push_back(dtype);
    }
    REQUIRE(plan.finish(root));
    CHECK(plan.tensor_count() == dtypes.size());
    std::string bytes = test::assemble(plan, payloads);
    auto file = TorchFile::read(*test::open_bytes(bytes));
    REQUIRE_MESSAGE(file.has_value(), file.error().text());
    const auto& items = *pickle::mapping_items(file->root());
    REQUIRE(items.size() == dtypes.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        auto tensor = file->tensor(items[i].second);
        REQUIRE(tensor);
        REQUIRE(tensor->has_value());
        CHECK((*tensor)->dtype == dtypes[i]);
        CHECK((*tensor)->shape == ckpt::Shape{2, 3});
        CHECK((*tensor)->strides == std::vector<std::uint64_t>{3, 1});
        CHECK((*tensor)->contiguous);
        CHECK((*tensor)->storage_key == std::to_string(i));
        CHECK((*tensor)->file_offset == plan.tensor_offset(i));
        CHECK((*tensor)->file_offset % 64 == 0);
        CHECK(bytes.substr((*tensor)->file_offset, payloads[i].size()) == payloads[i]);
    }
}

TEST_CASE("torch file: a Megatron-like tree reads back") {
    TorchFilePlan plan;
    auto* attributes = plan.dict();
    plan.set(attributes, plan.string("num_layers"), plan.integer(2));
    plan.set(attributes, plan.string("params_dtype"), plan.dtype(DType::bf16));
    plan.set(attributes, plan.string("load"), plan.none());
    plan.set(attributes, plan.string("bf16"), plan.boolean(true));
    auto* paths = plan.list();
    paths->as<pickle::List>()->items.push_back(plan.string("a/b"));
    plan.set(attributes, plan.string("data_path"), paths);
    auto* root = plan.dict();
    plan.set(root, plan.string("args"), plan.namespace_of(attributes));
    plan.set(root, plan.string("checkpoint_version"), plan.real(3.0));
    auto* model = plan.dict();
    auto weight = plan.tensor(DType::bf16, {4, 3});
    REQUIRE(weight);
    plan.set(model, plan.string("embedding"), *weight);
    plan.set(model, plan.string("output_layer"), *weight);
    plan.set(model, plan.string("scalar"), *plan.tensor(DType::f32, {}));
    plan.set(model, plan.string("empty"), *plan.tensor(DType::u8, {0}));
    plan.set(root, plan.string("model"), model);
    REQUIRE(plan.finish(root));

    std::string bytes = test::assemble(plan, {std::string(24, 'w'), "abcd", ""});
    auto members = base::read_zip_directory(*test::open_bytes(bytes));
    REQUIRE(members);
    std::string names;
    for (const auto& member : *members) names += member.name + " ";
    CHECK(names == "archive/data.pkl archive/byteorder archive/version archive/data/0 archive/data/1 archive/data/2 ");
    CHECK(bytes.substr((*members)[1].offset, 6) == "little");
    CHECK(bytes.substr((*members)[2].offset, 2) == "3\n");

    auto file = TorchFile::read(*test::open_bytes(bytes));
    REQUIRE_MESSAGE(file.has_value(), file.error().text());
    const auto* read_args = pickle::namespace_items(pickle::find(file->root(), "args"));
    REQUIRE(read_args != nullptr);
    CHECK(read_args->size() == 5);
    CHECK((*read_args)[1].second->as<pickle::Global>()->is("torch", "bfloat16"));
    CHECK(*pickle::find(file->root(), "checkpoint_version")->as<double>() == 3.0);
    pickle::Ref read_model = pickle::find(file->root(), "model");
    CHECK(pickle::find(read_model, "embedding") == pickle::find(read_model, "output_layer"));
    auto scalar = file->tensor(pickle::find(read_model, "scalar"));
    REQUIRE(scalar);
    CHECK((*scalar)->shape.empty());
    auto empty = file->tensor(pickle::find(read_model, "empty"));
    REQUIRE(empty);
    CHECK((*empty)->shape == ckpt::Shape{0});
    CHECK((*empty)->contiguous);
    // What is no tensor is none.
    for (pickle::Ref other : {file->root(), pickle::find(file->root(), "args"), read_model, pickle::Ref{nullptr}}) {
        auto tensor = file->tensor(other);
        REQUIRE(tensor);
        CHECK_FALSE(tensor->has_value());
    }
}

TEST_CASE("torch file: inside a larger file, offsets are those of the larger file") {
    TorchFilePlan plan;
    auto tensor = plan.tensor(DType::u8, {3});
    REQUIRE(plan.finish(*tensor));
    std::string item = test::assemble(plan, {"xyz"});
    auto file = test::open_bytes("12345" + item + "6789");
    auto read = TorchFile::read(*file, 5, item.size());
    REQUIRE_MESSAGE(read.has_value(), read.error().text());
    auto located = read->tensor(read->root());
    REQUIRE(located);
    CHECK((*located)->file_offset == 5 + plan.tensor_offset(0));
    test::check_fails(TorchFile::read(*file, 5, item.size() + 5), ErrorKind::bad_input, "does not lie inside the file");
}

TEST_CASE("torch file: what cannot be planned") {
    TorchFilePlan plan;
    auto f4 = plan.tensor(DType::f4, {2});
    REQUIRE_FALSE(f4.has_value());
    CHECK(f4.error().message == "PyTorch files have no tensors of type f4");
    CHECK_FALSE(plan.tensor(DType::f32, {1ull << 61}).has_value());
    auto* list = plan.list();
    auto* tuple = plan.arena().make(pickle::Tuple{{list}});
    list->as<pickle::List>()->items.push_back(tuple);
    auto status = plan.finish(tuple);
    REQUIRE_FALSE(status.has_value());
    CHECK(status.error().message == "a value that is passed through contains itself");
}

TEST_CASE("torch file: tensors beyond 4 GiB") {
    TorchFilePlan plan;
    auto* root = plan.list();
    for (std::uint64_t elements : {5ull << 30, 3ull, 1ull << 33})
        root->as<pickle::List>()->items.push_back(*plan.tensor(DType::bf16, {elements}));
    REQUIRE(plan.finish(root));
    test::SparseFile sparse(plan.file_bytes());
    for (auto& chunk : plan.chunks({0, 0, 0})) sparse.put(chunk.offset, chunk.data);
    auto file = TorchFile::read(sparse);
    REQUIRE_MESSAGE(file.has_value(), file.error().text());
    for (std::size_t i = 0; i < 3; ++i) {
        auto tensor = file->tensor(file->root()->as<pickle::List>()->items[i]);
        REQUIRE(tensor);
        CHECK((*tensor)->file_offset == plan.tensor_offset(i));
    }
}
