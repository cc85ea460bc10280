#include <doctest/doctest.h>

#include "base/data_store.h"
#include "ckpt_convert/execute/quantised_reader.h"
#include "ckpt_convert/plan/quantised_source.h"
#include "tests/support/memory_file_system.h"

namespace {

using ckpt::DType;

class Fixture {
public:
    Fixture() { index_.files.resize(1); }

    // Tensors lie one behind the other.
    Fixture& add(std::string name, DType dtype, ckpt::Shape shape, std::string bytes) {
        auto strides = ckpt::row_major_strides(shape);
        index_.tensors.push_back({std::move(name), dtype, std::move(shape), 0, content_.size(), strides});
        content_ += bytes;
        return *this;
    }
    base::Result<std::optional<std::string>> join(std::optional<DType> wanted, const char* config = "{}") {
        fs_.add("w", content_);
        index_.files[0] = std::move(*fs_.open("w"));
        auto formats = ckpt::load_quantisation_formats(base::DataStore());
        REQUIRE_MESSAGE(formats, formats.error().text());
        return ckpt::join_quantised(index_, *formats, base::parse_json(config, "config.json")->root, wanted);
    }
    std::vector<float> values(std::uint64_t first, std::size_t count) {
        std::vector<float> out(count);
        REQUIRE(ckpt::QuantisedReader(index_).read(index_.tensors[0], first, std::as_writable_bytes(std::span(out))));
        return out;
    }
    const ckpt::TensorIndex& index() const { return index_; }

private:
    test::MemoryFileSystem fs_;
    std::string content_;
    ckpt::TensorIndex index_;
};

std::string floats(std::vector<float> values) {
    return std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
}

TEST_CASE("blocks of a shape that config.json says") {
    Fixture fixture;
    std::string ones(15, '\x38');
    fixture.add("a.weight", DType::f8_e4m3, {3, 5}, ones)
        .add("a.weight_scale_inv", DType::f32, {2, 3}, floats({1, 2, 3, 4, 5, 6}));
    auto note = fixture.join(DType::f32, R"({"quantization_config": {"weight_block_size": [2, 2]}})");
    REQUIRE_MESSAGE(note, note.error().text());
    CHECK(**note == "1 quantised tensors became f32, for example a.weight (FP8 with a scale per block)");
    REQUIRE(fixture.index().tensors.size() == 1);
    CHECK(fixture.values(0, 15) == std::vector<float>{1, 1, 2, 2, 3, 1, 1, 2, 2, 3, 4, 4, 5, 5, 6});
    CHECK(fixture.values(8, 4) == std::vector<float>{2, 3, 4, 4});
}

TEST_CASE("the last two axes of MXFP4 blocks are one, and matrices may be stacked") {
    Fixture fixture;
    fixture.add("experts_blocks", DType::u8, {2, 1, 2, 1}, "\x21\x43\x65\x07");
    fixture.add("experts_scales", DType::u8, {2, 1, 2}, "\x7F\x80\x7E\x81");
    REQUIRE(fixture.join(DType::f32));
    CHECK(fixture.index().tensors[0].name == "experts_blocks");
    CHECK(fixture.index().tensors[0].shape == ckpt::Shape{2, 1, 4});
    CHECK(fixture.values(0, 8) == std::vector<float>{0.5, 1, 3, 4, 1.5, 2, 24, 0});
}

TEST_CASE("what cannot be made a tensor is refused by name") {
    Fixture shapes;
    shapes.add("a.weight", DType::i8, {2, 3}, "abcdef").add("a.weight_scale", DType::f32, {3, 1}, floats({1, 2, 3}));
    auto wrong = shapes.join(DType::bf16);
    REQUIRE_FALSE(wrong);
    CHECK(wrong.error().kind == base::ErrorKind::bad_input);
    CHECK(wrong.error().message == "a.weight [2, 3] does not go with its scales a.weight_scale [3, 1]");

    Fixture types;
    types.add("a.weight_packed", DType::u8, {1, 8}, "abcdefgh").add("a.weight_scale", DType::f8_e4m3, {1, 1}, "8");
    auto unknown = types.join(DType::bf16);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().kind == base::ErrorKind::unsupported);

    Fixture plain;
    plain.add("a.weight", DType::bf16, {1, 1}, "ab").add("a.weight_scale", DType::f32, {1}, floats({1}));
    auto none = plain.join(std::nullopt);
    REQUIRE(none);
    CHECK_FALSE(none->has_value());
}

}  // namespace
