// verify finds nothing between two layouts of one model, and finds exactly what was changed.
#include "ckpt_convert/app/verify.h"
#include "base/format.h"
#include "tests/property/ckpt_convert/cases.h"

using ckpt::Shape;
using ckpt::StoredPiece;
using test::Case;

namespace {

ckpt::VerifySummary verify(test::MemoryFileSystem& fs, const std::string& a, const std::string& b = "") {
    ckpt::VerifyOptions options;
    options.checkpoint.directory = a;
    options.against = b;
    options.threads = 2;
    auto nobody = [](std::uint64_t) { return [](std::uint64_t) {}; };
    auto summary = ckpt::verify(fs, test::knowledge(), options, nobody);
    REQUIRE_MESSAGE(summary, summary.error().text());
    return std::move(*summary);
}

std::string text_of(const ckpt::VerifySummary& summary) {
    std::vector<std::string> lines;
    for (const auto& found : summary.differences) lines.push_back(found.tensor + ": " + found.what);
    return base::joined(lines, "; ");
}

// An element of a logical tensor, and the place of its lowest byte in a file.
struct Element {
    std::string tensor;
    Shape position;
    base::Path file;
    std::uint64_t offset = 0;
    std::uint64_t elements = 0;  // of the tensor
};

Element element_of(const ckpt::Source& source, std::uint32_t logical, const StoredPiece& piece, test::Random& random) {
    const auto& tensor = source.model.tensors()[logical];
    const auto& stored = source.index.tensors[piece.tensor];
    Element out{
        tensor.name, {}, source.index.files[stored.file]->path(), stored.offset, *ckpt::checked_elements(tensor.shape)};
    const ckpt::Shape& strides = piece.strides.empty() ? stored.strides : piece.strides;
    std::size_t in_front = piece.in_stored.size() - piece.extent.size();
    for (std::size_t axis = 0; axis < piece.in_stored.size(); ++axis) {
        std::uint64_t at = random.below(static_cast<std::uint32_t>(piece.stored_extent(axis)));
        if (axis >= in_front) out.position.push_back(piece.in_logical[axis - in_front] + at);
        out.offset += (piece.in_stored[axis] + at) * strides[axis] * (ckpt::bits(stored.dtype) / 8);
    }
    return out;
}

void flip_lowest_bit(test::MemoryFileSystem& fs, const Element& element) {
    std::string content = fs.content(element.file);
    content[element.offset] = static_cast<char>(content[element.offset] ^ 1);
    fs.add(element.file, content);
}

std::string first_difference(const Element& element) {
    return base::format("1 of {} values differ, first at {}: ", element.elements, ckpt::to_string(element.position));
}

}  // namespace

TEST_CASE("property: verify finds no difference between layouts, and every changed byte where it is") {
    test::for_random_models(7000, 4, [](const Case& at) {
        auto to_a = test::random_options(at, "hf", "a");
        auto to_b = test::random_options(at, "hf", "b");
        std::string first = test::text_of(to_a), second = test::text_of(to_b);
        CAPTURE(first);
        CAPTURE(second);
        test::must_convert(at.fs, to_a);
        test::must_convert(at.fs, to_b);
        CHECK(text_of(verify(at.fs, "a")) == "");
        CHECK(text_of(verify(at.fs, "a", "b")) == "");
        CHECK(text_of(verify(at.fs, "b", "hf")) == "");

        auto opened = ckpt::open_source(at.fs, test::knowledge(), test::options("b", "").source);
        REQUIRE(opened);
        auto logical = at.random.below(static_cast<std::uint32_t>(opened->model.tensors().size()));
        Element changed =
            element_of(*opened, logical, at.random.pick(opened->binding.tensors[logical].pieces), at.random);
        flip_lowest_bit(at.fs, changed);
        for (const char* other : {"a", "hf"}) {
            auto summary = verify(at.fs, other, "b");
            REQUIRE(summary.differences.size() == 1);
            CHECK(summary.differences[0].tensor == changed.tensor);
            CHECK(summary.differences[0].what.starts_with(first_difference(changed)));
        }
    });
}

TEST_CASE("property: verify also reads the copies that other ranks hold") {
    test::for_random_models(8000, 4, [](const Case& at) {
        auto to_b = test::random_options(at, "hf", "b");
        std::string layout = test::text_of(to_b);
        CAPTURE(layout);
        test::must_convert(at.fs, to_b);
        auto opened = ckpt::open_source(at.fs, test::knowledge(), test::options("b", "").source);
        REQUIRE(opened);
        std::vector<std::uint32_t> copied;
        for (std::uint32_t i = 0; i < opened->binding.tensors.size(); ++i) {
            if (!opened->binding.tensors[i].replicas.empty()) copied.push_back(i);
        }
        if (copied.empty()) return;
        auto logical = at.random.pick(copied);
        Element changed =
            element_of(*opened, logical, at.random.pick(opened->binding.tensors[logical].replicas), at.random);
        flip_lowest_bit(at.fs, changed);
        auto summary = verify(at.fs, "hf", "b");
        REQUIRE(summary.differences.size() == 1);
        CHECK(summary.differences[0].tensor == changed.tensor);
        CHECK(summary.differences[0].what.find(first_difference(changed)) != std::string::npos);
    });
}
