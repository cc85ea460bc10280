#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/execute/comparer.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

ckpt::Source open(test::MemoryFileSystem& fs, const std::string& directory) {
    ckpt::SourceOptions options;
    options.directory = directory;
    auto source = ckpt::open_source(fs, test::knowledge(), options);
    REQUIRE_MESSAGE(source, source.error().text());
    return std::move(*source);
}

ckpt::Readable readable(const ckpt::Source& source) { return {&source.index, &source.binding, &source.model}; }

std::string text_of(const base::Result<std::vector<ckpt::TensorDifference>>& found) {
    REQUIRE_MESSAGE(found, found.error().text());
    std::vector<std::string> lines;
    for (const auto& difference : *found) lines.push_back(difference.tensor + ": " + difference.what);
    return base::joined(lines, "\n");
}

std::string compared(test::MemoryFileSystem& fs, const std::string& a, const std::string& b,
                     std::uint64_t tile_bytes = 4 << 20) {
    ckpt::Source first = open(fs, a), second = open(fs, b);
    ckpt::CompareOptions options;
    options.threads = 3;
    options.tile_bytes = tile_bytes;
    return text_of(ckpt::compare(readable(first), readable(second), options));
}

std::string checked(test::MemoryFileSystem& fs, const std::string& directory) {
    ckpt::Source source = open(fs, directory);
    return text_of(ckpt::check_values(readable(source), {}));
}

constexpr const char* kDown = "model.layers.2.mlp.down_proj.weight";  // [16, 24]
const std::string kOne = "\x80\x3F", kTwo = std::string("\x00\x40", 2), kNan = "\xC0\x7F", kInfinity = "\x80\x7F";

// Two equal models with ones everywhere in two tensors.
test::MemoryFileSystem two_models() {
    test::MemoryFileSystem fs;
    for (const char* directory : {"a", "b"}) {
        test::add_tiny_hf(fs, directory, {});
        std::string ones;
        for (int i = 0; i < 16 * 24; ++i) ones += kOne;
        test::set_bytes(fs, directory, kDown, 0, ones);
        test::set_bytes(fs, directory, "model.norm.weight", 0, ones.substr(0, 32));
    }
    return fs;
}

}  // namespace

TEST_CASE("comparer: equal models, and the first position of what differs, whatever the tiles") {
    auto fs = two_models();
    CHECK(compared(fs, "a", "b") == "");
    test::set_bytes(fs, "b", kDown, (3 * 24 + 5) * 2, kTwo);
    test::set_bytes(fs, "b", kDown, (15 * 24 + 23) * 2, kTwo);
    test::set_bytes(fs, "b", "model.norm.weight", 7 * 2, kTwo);
    for (std::uint64_t tile_bytes : {1, 48, 100, 1 << 20}) {
        CHECK(compared(fs, "a", "b", tile_bytes) ==
              "final_norm: 1 of 16 values differ, first at [7]: 1 and 2\n"
              "layers.2.mlp.down: 2 of 384 values differ, first at [3, 5]: 1 and 2");
    }
    CHECK(compared(fs, "b", "a").starts_with("final_norm: 1 of 16 values differ, first at [7]: 2 and 1\n"));
}

TEST_CASE("comparer: shapes that differ, and tensors that only one has") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "a", {});
    test::TinyModel narrow, tied;
    narrow.ffn = 20;
    tied.tied = true;
    test::add_tiny_hf(fs, "narrow", narrow);
    test::add_tiny_hf(fs, "tied", tied);
    std::string differences = compared(fs, "a", "narrow");
    CHECK(differences.starts_with("layers.0.mlp.gate: the shapes differ: [24, 16] and [20, 16]\n"));
    CHECK(differences.ends_with("layers.3.mlp.down: the shapes differ: [16, 24] and [16, 20]"));
    CHECK(compared(fs, "a", "tied") == "head: only the first checkpoint has it");
    CHECK(compared(fs, "tied", "a") == "head: only the second checkpoint has it");
}

TEST_CASE("comparer: element types that differ are compared in the narrower one") {
    auto fs = two_models();
    auto to_f32 = test::options("a", "f32");
    to_f32.params_dtype = "fp32";
    REQUIRE(test::convert(fs, to_f32));
    CHECK(compared(fs, "a", "f32") == "");
    test::set_bytes(fs, "b", kDown, 0, kTwo);
    CHECK(compared(fs, "f32", "b") == "layers.2.mlp.down: 1 of 384 values differ, first at [0, 0]: 1 and 2");
}

TEST_CASE("comparer: element types without a common one are a difference") {
    auto fs = two_models();
    std::string content = fs.content("b/model.safetensors");
    std::size_t at = content.find("\"BF16\"", content.find(kDown));
    REQUIRE(at != std::string::npos);
    fs.add("b/model.safetensors", content.replace(at, 6, "\"I16\" "));
    CHECK(compared(fs, "a", "b") == "layers.2.mlp.down: the element types differ: bf16 and i16");
}

TEST_CASE("comparer: values that are not finite are counted") {
    test::MemoryFileSystem fs;
    test::add_tiny_hf(fs, "hf", {});
    auto clean = [&] {
        // The bits of the tiny model are any; ones everywhere are finite.
        auto index = ckpt::open_hf_weights(fs, "hf");
        for (const auto& tensor : index->tensors) {
            std::string ones;
            while (ones.size() < tensor.bytes()) ones += kOne;
            test::set_bytes(fs, "hf", tensor.name, 0, ones);
        }
    };
    clean();
    CHECK(checked(fs, "hf") == "");
    test::set_bytes(fs, "hf", kDown, 100, kNan + kInfinity);
    CHECK(checked(fs, "hf") == "layers.2.mlp.down: 2 values are not finite (NaN or infinite)");
}

TEST_CASE("comparer: a rank whose copy differs is found, alone and against another checkpoint") {
    auto fs = two_models();
    REQUIRE(test::convert(fs, test::options("a", "mg", 2, 2)));
    CHECK(compared(fs, "a", "mg") == "");
    ckpt::Source source = open(fs, "mg");
    const auto& norm = source.binding.tensors[*source.model.tensor("final_norm", 0)];
    REQUIRE(norm.replicas.size() == 1);
    const auto& copy = source.index.tensors[norm.replicas[0].tensor];
    base::Path path = source.index.files[copy.file]->path();
    std::string content = fs.content(path);
    fs.add(path, content.replace(copy.offset + 4, 2, kTwo));
    const std::string kFound =
        "final_norm: copies on other ranks are not the same: 1 of 16 values differ, first at [2]: 1 and 2";
    CHECK(checked(fs, "mg").find(kFound) != std::string::npos);
    CHECK(compared(fs, "mg", "a") == kFound);
    CHECK(compared(fs, "a", "mg") == kFound);
}
