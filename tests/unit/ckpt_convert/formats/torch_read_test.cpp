#include <doctest/doctest.h>

#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "ckpt_convert/tensor/strided_copy.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"
#include "tests/unit/ckpt_convert/formats/torch_fixtures.h"

using ckpt::DType;
using ckpt::TorchFile;
namespace pickle = ckpt::pickle;

namespace {

std::string from_base64(std::string_view text) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (char c : text.substr(0, text.find('='))) {
        bits = bits << 6 | static_cast<std::uint32_t>(kDigits.find(c));
        count += 6;
        if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 0xFF);
    }
    return out;
}

// The elements of a tensor in row-major order.
std::string content(const std::string& file, const ckpt::TorchTensor& tensor) {
    std::uint64_t element_bytes = ckpt::bits(tensor.dtype) / 8;
    std::vector<std::uint64_t> from = tensor.strides, to = ckpt::row_major_strides(tensor.shape);
    for (auto& stride : from) stride *= element_bytes;
    for (auto& stride : to) stride *= element_bytes;
    std::string out(*ckpt::checked_bytes(tensor.shape, tensor.dtype), '\0');
    ckpt::copy_box(reinterpret_cast<std::byte*>(out.data()), to, base::as_bytes(file).data() + tensor.file_offset, from,
                   tensor.shape, element_bytes);
    return out;
}

struct Expected {
    const char* name;
    DType dtype;
    ckpt::Shape shape;
    std::vector<std::uint64_t> strides;
    bool contiguous;
};
const Expected kExpected[] = {
    {"transposed", DType::bf16, {4, 3}, {1, 4}, false},
    {"slice", DType::bf16, {2, 2}, {2, 1}, true},
    {"scalar", DType::f64, {}, {}, true},
    {"empty", DType::f16, {0, 5}, {5, 1}, true},
    {"param", DType::f32, {2}, {1}, true},
    {"tied", DType::f32, {2}, {1}, true},
    {"f8", DType::f8_e4m3, {2}, {1}, true},
    {"i64", DType::i64, {1}, {1}, true},
    {"flags", DType::boolean, {2}, {1}, true},
    {"expanded", DType::u8, {3}, {0}, false},
};

}  // namespace

TEST_CASE("torch file: what PyTorch itself saved") {
    for (const char* fixture : {test::kZipProtocol2Base64, test::kZipProtocol4Base64, test::kLegacyBase64}) {
        std::string bytes = from_base64(fixture);
        auto file = TorchFile::read(*test::open_bytes(bytes));
        REQUIRE_MESSAGE(file.has_value(), file.error().text());
        std::size_t index = 0;
        std::vector<ckpt::TorchTensor> tensors;
        for (const Expected& expected : kExpected) {
            CAPTURE(expected.name);
            auto tensor = file->tensor(pickle::find(file->root(), expected.name));
            REQUIRE_MESSAGE(tensor.has_value(), tensor.error().text());
            REQUIRE(tensor->has_value());
            CHECK((*tensor)->dtype == expected.dtype);
            CHECK((*tensor)->shape == expected.shape);
            CHECK((*tensor)->strides == expected.strides);
            CHECK((*tensor)->contiguous == expected.contiguous);
            REQUIRE(std::string(test::kTorchFixtureTensors[index].name) == expected.name);
            CHECK(content(bytes, **tensor) == test::from_hex(test::kTorchFixtureTensors[index++].bytes));
            tensors.push_back(**tensor);
        }
        CHECK(tensors[0].storage_key == tensors[1].storage_key);
        CHECK(tensors[1].file_offset == tensors[0].file_offset + 12);
        CHECK(pickle::find(file->root(), "param") == pickle::find(file->root(), "tied"));
        const auto* args = pickle::namespace_items(pickle::find(file->root(), "args"));
        REQUIRE(args != nullptr);
        REQUIRE(args->size() == 3);
        CHECK(*(*args)[0].second->as<std::int64_t>() == 2);
        CHECK(pickle::bytes_of((*args)[2].second) == test::bytes("\xFF\0"));
    }
}

TEST_CASE("torch file: cut off anywhere, it is refused") {
    for (const char* fixture : {test::kZipProtocol2Base64, test::kLegacyBase64}) {
        std::string good = from_base64(fixture);
        for (std::size_t length = 0; length < good.size(); length += 7) {
            CAPTURE(length);
            CHECK_FALSE(TorchFile::read(*test::open_bytes(good.substr(0, length))).has_value());
        }
        CHECK_FALSE(TorchFile::read(*test::open_bytes(good + "x")).has_value());
    }
}

TEST_CASE("torch file: a changed byte is never more than an error or another value") {
    // Nothing to assert but that it ends well: the sanitizers watch.
    for (const char* fixture : {test::kZipProtocol4Base64, test::kLegacyBase64}) {
        std::string good = from_base64(fixture);
        for (std::size_t at = 0; at < good.size(); ++at) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ (1 << at % 8));
            auto file = TorchFile::read(*test::open_bytes(bad));
            if (!file) continue;
            const auto* items = pickle::mapping_items(file->root());
            for (std::size_t i = 0; items != nullptr && i < items->size(); ++i) {
                auto tensor = file->tensor((*items)[i].second);
                if (tensor && tensor->has_value()) content(bad, **tensor);
            }
        }
    }
}
