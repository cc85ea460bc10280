#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/formats/safetensors/safetensors.h"
#include "tests/unit/ckpt_convert/formats/format_test_support.h"

using base::ErrorKind;
using ckpt::DType;
using ckpt::read_safetensors_header;

namespace {

std::string framed(std::string_view json, std::string_view payload = {}) {
    return test::little_endian(json.size(), 8) + std::string(json) + std::string(payload);
}

auto read_header(const std::string& bytes) { return read_safetensors_header(*test::open_bytes(bytes)); }

std::string payload(std::size_t bytes) { return std::string(bytes, 'x'); }

}  // namespace

TEST_CASE("safetensors: what is planned reads back") {
    std::vector<ckpt::SafetensorsTensor> tensors;
    for (int i = 0; i <= static_cast<int>(DType::f4); ++i) {
        auto dtype = static_cast<DType>(i);
        if (dtype != DType::c128) tensors.push_back({base::format("layer.{}", i), dtype, {4, 2, 3}});
    }
    tensors.push_back({"scalar", DType::f32, {}});
    tensors.push_back({"empty", DType::f32, {2, 0}});
    tensors.push_back({"quote\" \xE2\x82\xAC \x01", DType::u8, {1}});
    auto layout = ckpt::plan_safetensors(tensors, {{"format", "pt"}, {"a", "b"}});
    REQUIRE(layout);
    CHECK(layout->header.size() % 8 == 0);
    CHECK(layout->header.substr(8, 34) == "{\"__metadata__\":{\"format\":\"pt\",\"a\"");
    CHECK(layout->offsets[0] == layout->header.size());

    auto header = read_header(layout->header + payload(layout->file_bytes - layout->header.size()));
    REQUIRE(header);
    CHECK(header->metadata == std::vector<std::pair<std::string, std::string>>{{"format", "pt"}, {"a", "b"}});
    REQUIRE(header->entries.size() == tensors.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const auto& entry = header->entries[i];
        CHECK(entry.name == tensors[i].name);
        CHECK(entry.dtype == tensors[i].dtype);
        CHECK(entry.shape == tensors[i].shape);
        CHECK(entry.offset == layout->offsets[i]);
        CHECK(entry.bytes == *ckpt::checked_bytes(tensors[i].shape, tensors[i].dtype));
    }
}

TEST_CASE("safetensors: an exact file") {
    auto layout = ckpt::plan_safetensors({{"a", DType::bf16, {3}}}, {});
    REQUIRE(layout);
    std::string json = R"({"a":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]}})";
    CHECK(layout->header == framed(json + std::string(64 - 8 - json.size(), ' ')));
    CHECK(layout->file_bytes == 70);
    auto empty = ckpt::plan_safetensors({}, {});
    REQUIRE(empty);
    CHECK(empty->header == framed("{}      "));
    CHECK(read_header(empty->header)->entries.empty());
}

TEST_CASE("safetensors: forms that the reference reader accepts") {
    CHECK(read_header(framed("{}\r \t\n")));
    CHECK(read_header(framed("\t\n{}\r ")));
    CHECK(read_header(framed(R"({"__metadata__":null})")));
    CHECK(read_header(framed(R"({"test":{"dtype":"I32","shape":[2,0],"data_offsets":[0,0]}})")));
    CHECK(
        read_header(framed(R"({"x":{"dtype":"U8","shape":[],"data_offsets":[0,1],"extra":1,"more":{"a":[]}}})", "1")));
    auto surrogates = read_header(framed(R"({"\ud83d\ude00":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", "1"));
    REQUIRE(surrogates);
    CHECK(surrogates->entries[0].name == "\xF0\x9F\x98\x80");
    // Entries are returned by offset, whatever their order in the header; empty ones before those they tie with.
    auto mixed = read_header(framed(
        R"({"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
        R"("e":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})",
        "123"));
    REQUIRE(mixed);
    CHECK(mixed->entries[0].name == "a");
    CHECK(mixed->entries[1].name == "e");
    CHECK(mixed->entries[2].name == "b");
}

TEST_CASE("safetensors: bad files by name") {
    struct Row {
        const char* name;
        std::string file;
        const char* message;
    };
    auto one = [](std::string_view entry, std::size_t bytes) {
        return framed(base::format(R"({{"t":{}}})", entry), payload(bytes));
    };
    std::string good = R"({"dtype":"I32","shape":[2,2],"data_offsets":[0,16]})";
    std::string attack = "{";
    for (int i = 0; i < 10; ++i)
        attack +=
            base::format(R"({}"weight_{}":{{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})", i ? "," : "", i);
    const Row rows[] = {
        {"header_too_small", "", "0 bytes; a safetensors file begins with an 8-byte header length"},
        {"seven_bytes", std::string(7, '\0'), "7 bytes; a safetensors file begins"},
        {"header_too_large", test::bytes("\x3c\x00\x00\x00\x00\xff\xff\xff"), "the largest allowed is 100000000"},
        {"invalid_header_length", test::little_endian(60, 8), "the header claims 60 bytes, but the file has 8"},
        {"abuse_attempt_1", test::little_endian(1000, 8) + framed("{}"), "the header claims 1000 bytes"},
        {"header_length_zero", test::little_endian(0, 8), "not valid JSON"},
        {"invalid_header_non_utf8", framed("\xff"), "f: byte 8: the header is not valid UTF-8"},
        {"broken_utf8_in_a_name", framed("{\"\xC3\":1}"), "f: byte 10: the header is not valid UTF-8"},
        {"invalid_header_not_json", framed("{"), "not valid JSON"},
        {"trailing_garbage", framed("{}x"), "not valid JSON"},
        {"not_an_object", framed("[]"), "the header must be an object, not an array"},
        {"number_as_header", framed("1"), "the header must be an object, not an integer"},
        {"byte_order_mark", framed("\xEF\xBB\xBF{}"), "byte order mark"},
        {"lone_surrogate", framed(R"({"\ud800":1})"), "not valid JSON"},
        {"nul_in_a_name", framed(R"({"a\u0000b":1})"), "has a NUL character"},
        {"duplicate_names", framed(base::format(R"({{"t":{0},"t":{0}}})", good), payload(32)),
         "the key \"t\" appears twice in one object"},
        {"duplicate_fields", one(R"({"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]})", 1),
         "the key \"dtype\" appears twice"},
        {"metadata_with_a_number", framed(R"({"__metadata__":{"a":1}})"),
         "__metadata__ \"a\" must be a string, not an integer"},
        {"metadata_with_a_null", framed(R"({"__metadata__":{"a":null}})"),
         "__metadata__ \"a\" must be a string, not null"},
        {"metadata_with_an_object", framed(R"({"__metadata__":{"a":{}}})"),
         "__metadata__ \"a\" must be a string, not an object"},
        {"metadata_is_a_string", framed(R"({"__metadata__":"a"})"), "\"__metadata__\" must be an object, not a string"},
        {"entry_is_a_string", framed(R"({"t":"a"})"), "\"t\" must be an object, not a string"},
        {"entry_is_null", framed(R"({"t":null})"), "\"t\" must be an object, not null"},
        {"unknown_dtype", one(R"({"dtype":"F33","shape":[1],"data_offsets":[0,1]})", 1),
         "tensor \"t\": the dtype \"F33\" is not known"},
        {"dtype_is_a_number", one(R"({"dtype":1,"shape":[1],"data_offsets":[0,1]})", 1),
         "\"dtype\" must be a string, not an integer"},
        {"shape_is_a_number", one(R"({"dtype":"U8","shape":1,"data_offsets":[0,1]})", 1),
         "\"shape\" must be an array, not an integer"},
        {"shape_is_nested", one(R"({"dtype":"U8","shape":[[1]],"data_offsets":[0,1]})", 1),
         "\"shape\" must hold integers from 0"},
        {"shape_negative", one(R"({"dtype":"U8","shape":[-1],"data_offsets":[0,1]})", 1), "not a negative integer"},
        {"shape_fraction", one(R"({"dtype":"U8","shape":[1.0],"data_offsets":[0,1]})", 1),
         "not a number with a fraction or exponent"},
        {"shape_exponent", one(R"({"dtype":"U8","shape":[1e3],"data_offsets":[0,1000]})", 1000),
         "not a number with a fraction or exponent"},
        {"shape_above_2_63", one(R"({"dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,1]})", 1),
         "not an integer above 2^63"},
        {"offsets_2_64_minus_1", one(R"({"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615]})", 1),
         "not an integer above 2^63"},
        {"offsets_2_64", one(R"({"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551616]})", 1),
         "needs more than 64 bits"},
        {"offsets_fraction", one(R"({"dtype":"U8","shape":[1],"data_offsets":[0.0,1]})", 1),
         "\"data_offsets\" must hold integers from 0"},
        {"offsets_true", one(R"({"dtype":"U8","shape":[1],"data_offsets":[0,true]})", 1), "not true or false"},
        {"offsets_one", one(R"({"dtype":"U8","shape":[1],"data_offsets":[0]})", 1),
         "must hold two integers, not fewer"},
        {"offsets_three", one(R"({"dtype":"U8","shape":[1],"data_offsets":[0,1,2]})", 1),
         "must hold two integers, not more"},
        {"offsets_end_before_begin", one(R"({"dtype":"U8","shape":[1],"data_offsets":[1,0]})", 1),
         "\"data_offsets\" end before they begin: 1 to 0"},
        {"first_offset_not_0", one(R"({"dtype":"U8","shape":[1],"data_offsets":[1,2]})", 2),
         "tensor \"t\": its data begin 1 bytes after those before it"},
        {"hole",
         framed(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                R"("b":{"dtype":"U8","shape":[1],"data_offsets":[2,3]}})",
                "123"),
         "tensor \"b\": its data begin 1 bytes after"},
        {"overlap",
         framed(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
                "123"),
         "tensor \"b\": its data overlap those of tensor \"a\""},
        {"json_attack", framed(attack + "}", payload(16)), "overlap those of tensor \"weight_0\""},
        {"metadata_incomplete_buffer_long", one(good, 16) + "extra_bogus_data_for_polyglot_file",
         "34 bytes follow the last tensor"},
        {"metadata_incomplete_buffer_short", one(good, 14), "its data end 2 bytes past the end of the file"},
        {"empty_header_with_payload", framed("{}", "x"), "1 bytes follow the last tensor"},
        {"invalid_info", one(R"({"dtype":"I32","shape":[2,2],"data_offsets":[0,4]})", 4),
         "i32 of shape [2, 2] needs 16 bytes, but \"data_offsets\" span 4"},
        {"validation_overflow_big",
         one(R"({"dtype":"F32","shape":[2,18446744073709551614],"data_offsets":[0,16]})", 16), "an integer above 2^63"},
        {"validation_overflow", one(R"({"dtype":"F32","shape":[2,9223372036854775807],"data_offsets":[0,16]})", 16),
         "is too large"},
        {"fp4_misaligned", one(R"({"dtype":"F4","shape":[1,3],"data_offsets":[0,2]})", 2), "does not fill whole bytes"},
        {"fp4_invalid", one(R"({"dtype":"F4","shape":[4],"data_offsets":[0,1]})", 1), "f4 of shape [4] needs 2 bytes"},
        {"missing_dtype", one(R"({"shape":[1],"data_offsets":[0,1]})", 1), "tensor \"t\": \"dtype\" is missing"},
        {"missing_shape", one(R"({"dtype":"U8","data_offsets":[0,1]})", 1), "tensor \"t\": \"shape\" is missing"},
        {"missing_offsets", one(R"({"dtype":"U8","shape":[1]})", 1), "tensor \"t\": \"data_offsets\" is missing"},
        {"missing_offsets_in_the_second",
         framed(base::format(R"({{"t":{},"u":{{"dtype":"U8","shape":[1]}}}})", good), payload(16)),
         "tensor \"u\": \"data_offsets\" is missing"},
        {"too_deep", one(R"({"x":[[[]]],"dtype":"U8","shape":[1],"data_offsets":[0,1]})", 1),
         "nested deeper than 4 levels"},
        {"very_deep", framed(R"({"t":{"x":)" + std::string(100'000, '[')), "nested deeper than 4 levels"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.name);
        test::check_fails(read_header(row.file), ErrorKind::bad_input, row.message);
    }
}

TEST_CASE("safetensors: limits on both sides") {
    auto with_dimensions = [](std::size_t count) {
        std::string shape = "1";
        for (std::size_t i = 1; i < count; ++i) shape += ",1";
        return framed(base::format(R"({{"t":{{"dtype":"U8","shape":[{}],"data_offsets":[0,1]}}}})", shape), "x");
    };
    CHECK(read_header(with_dimensions(ckpt::kMaxSafetensorsDimensions)));
    test::check_fails(read_header(with_dimensions(ckpt::kMaxSafetensorsDimensions + 1)), ErrorKind::bad_input,
                      "tensor \"t\": more than 64 dimensions");

    // A header of the largest size is read, and then found not to be JSON; a larger one is not read.
    test::SparseFile file(8 + ckpt::kMaxSafetensorsHeaderBytes + 1);
    file.put(0, test::little_endian(ckpt::kMaxSafetensorsHeaderBytes, 8));
    test::check_fails(read_safetensors_header(file), ErrorKind::bad_input, "not valid JSON");
    file.put(0, test::little_endian(ckpt::kMaxSafetensorsHeaderBytes + 1, 8));
    test::check_fails(read_safetensors_header(file), ErrorKind::bad_input, "the header claims 100000001 bytes");
}

TEST_CASE("safetensors: what cannot be planned") {
    auto fails = [](const std::vector<ckpt::SafetensorsTensor>& tensors, ErrorKind kind, std::string_view part) {
        auto layout = ckpt::plan_safetensors(tensors, {});
        REQUIRE_FALSE(layout.has_value());
        CHECK(base::exit_code(layout.error().kind) == base::exit_code(kind));
        CHECK(layout.error().message.find(part) != std::string::npos);
    };
    fails({{"a", DType::f32, {1}}, {"a", DType::f32, {1}}}, ErrorKind::internal,
          "two tensors of one safetensors file are named \"a\"");
    fails({{"__metadata__", DType::f32, {1}}}, ErrorKind::unsupported, "cannot hold a tensor named \"__metadata__\"");
    fails({{"\xFF", DType::f32, {1}}}, ErrorKind::unsupported, "cannot hold a tensor named");
    fails({{"c", DType::c128, {1}}}, ErrorKind::unsupported, "safetensors has no type for c128");
    fails({{"big", DType::f32, {1ull << 62}}}, ErrorKind::bad_input, "is too large");
    fails({{"a", DType::u8, {1ull << 62}}, {"b", DType::u8, {1ull << 62}}}, ErrorKind::unsupported,
          "exceed 2^63 bytes");
    fails({{"deep", DType::u8, ckpt::Shape(65, 1)}}, ErrorKind::unsupported, "more than 64 dimensions");
    CHECK(ckpt::plan_safetensors({{"deep", DType::u8, ckpt::Shape(64, 1)}}, {}));
}

TEST_CASE("safetensors: a header's length that reads like text is not taken for a web page") {
    for (std::size_t length : {0x3C20, 0x3C0A, 0x213C, 0x3C200A}) {  // " <", "\n<", "<!", "\n <"
        CAPTURE(length);
        std::string json = R"({"w":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})";
        json.resize(length, ' ');
        CHECK(ckpt::reject_placeholder(*test::open_bytes(framed(json, payload(1)))));
        CHECK(read_header(framed(json, payload(1))));
    }
    test::check_fails(ckpt::reject_placeholder(*test::open_bytes("\n<!DOCTYPE html><html>")), ErrorKind::bad_input,
                      "this is a web page");
    test::check_fails(ckpt::reject_placeholder(*test::open_bytes("<p>")), ErrorKind::bad_input, "this is a web page");
}
