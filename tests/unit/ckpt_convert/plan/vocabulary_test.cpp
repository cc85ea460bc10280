// What the rows of a padded vocabulary hold, byte by byte.
#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/plan/conversion_plan.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace {

// The bf16 numbers 1, 2, 6 (mean 3) and 0.
const std::string kOne = "\x80\x3F", kTwo = std::string("\x00\x40", 2), kSix = "\xC0\x40", kThree = "\x40\x40",
                  kZero = std::string(2, '\0');

constexpr int kHidden = 4;

std::string row(const std::string& value) {
    std::string out;
    for (int i = 0; i < kHidden; ++i) out += value;
    return out;
}

// A model with 3 rows of vocabulary: 1, 2 and 6 in every column of the embedding, 6, 1, 2 in the head.
test::MemoryFileSystem three_rows() {
    test::MemoryFileSystem fs;
    test::TinyModel model;
    model.hidden = kHidden;
    model.vocab = 3;
    test::add_tiny_hf(fs, "hf", model);
    test::set_bytes(fs, "hf", "model.embed_tokens.weight", 0, row(kOne) + row(kTwo) + row(kSix));
    test::set_bytes(fs, "hf", "lm_head.weight", 0, row(kSix) + row(kOne) + row(kTwo));
    return fs;
}

// To TP 2 with 8 rows: 4 on each rank, of which the second holds padding only.
std::map<std::string, std::string> padded_to_eight(const std::string& fill, const std::string& dtype = "") {
    test::MemoryFileSystem fs = three_rows();
    auto options = test::options("hf", "mg", 2);
    options.vocab.rows = 8;
    options.vocab.fill = fill;
    options.params_dtype = dtype;
    REQUIRE(test::convert(fs, options));
    return test::megatron_tensors(fs, "mg");
}

const std::string kEmbedding0 = "mp_rank_00 model/embedding.word_embeddings.weight",
                  kEmbedding1 = "mp_rank_01 model/embedding.word_embeddings.weight",
                  kHead0 = "mp_rank_00 model/output_layer.weight", kHead1 = "mp_rank_01 model/output_layer.weight";

}  // namespace

TEST_CASE("vocabulary: padding with zeros, the last row, the mean; also on a rank that holds nothing else") {
    const std::pair<std::string, std::pair<std::string, std::string>> cases[] = {
        {"zero", {kZero, kZero}}, {"last-row", {kSix, kTwo}}, {"mean", {kThree, kThree}}, {"", {kZero, kZero}}};
    for (const auto& entry : cases) {
        const auto& fill = entry.first;
        const auto& rows = entry.second;
        CAPTURE(fill);
        std::string embedding = row(rows.first), head = row(rows.second);
        auto tensors = padded_to_eight(fill);
        CHECK(tensors[kEmbedding0] == row(kOne) + row(kTwo) + row(kSix) + embedding);
        CHECK(tensors[kEmbedding1] == embedding + embedding + embedding + embedding);
        CHECK(tensors[kHead0] == row(kSix) + row(kOne) + row(kTwo) + head);
        CHECK(tensors[kHead1] == head + head + head + head);
    }
}

TEST_CASE("vocabulary: padding has the element type that the output asks for") {
    std::string one("\x00\x3C", 2), two("\x00\x40", 2), three("\x00\x42", 2), six("\x00\x46", 2);
    auto tensors = padded_to_eight("mean", "fp16");
    CHECK(tensors[kEmbedding0] == row(one) + row(two) + row(six) + row(three));
    CHECK(tensors[kHead0] == row(six) + row(one) + row(two) + row(three));
}

TEST_CASE("vocabulary: a cast mean is that of the weights as they were, rounded once") {
    test::MemoryFileSystem fs = three_rows();
    auto options = test::options("hf", "f32");
    options.params_dtype = "fp32";
    options.vocab.rows = 4;
    options.vocab.fill = "mean";
    REQUIRE(test::convert(fs, options));
    auto tensors = test::megatron_tensors(fs, "f32");
    CHECK(tensors[kEmbedding0].substr(12 * kHidden) == row(std::string("\x00\x00\x40\x40", 4)));
}

TEST_CASE("vocabulary: the padding of a Megatron checkpoint is left out, and another may be put in its place") {
    test::MemoryFileSystem fs = three_rows();
    auto first = test::options("hf", "a", 2);
    first.vocab.rule = "mindspeed";
    REQUIRE(test::convert(fs, first));
    auto a = test::megatron_tensors(fs, "a");
    CHECK(a[kEmbedding1] == row(kSix) + row(kSix));
    auto second = test::reshard("a", "b", 1);
    second.vocab.divisor = 5;
    second.vocab.fill = "zero";
    auto done = test::convert(fs, second);
    REQUIRE(done);
    CHECK(done->notes == std::vector<std::string>{"1 rows of the vocabulary are padding and left out"});
    CHECK(test::megatron_tensors(fs, "b")[kEmbedding0] == row(kOne) + row(kTwo) + row(kSix) + row(kZero) + row(kZero));
}

TEST_CASE("vocabulary: sizes that cannot be are refused") {
    test::MemoryFileSystem fs = three_rows();
    auto error = [&](auto change) {
        auto options = test::options("hf", "mg", 2);
        change(options);
        return test::failure(fs, options);
    };
    auto small = error([](auto& options) { options.vocab.rows = 2; });
    CHECK(small.kind == base::ErrorKind::usage);
    CHECK(small.message ==
          "--padded-vocab-size 2 is less than the 3 rows of the vocabulary; --true-vocab-size leaves rows out");
    CHECK(error([](auto& options) { options.vocab.rows = 5; }).message ==
          "TP 2 does not divide the vocabulary of 5 rows; pad it with --make-vocab-size-divisible-by 1 (to 6 rows), "
          "--padded-vocab-size N or --vocab-padding");
    CHECK(error([](auto& options) { options.vocab.divisor = UINT64_MAX; }).message ==
          "a vocabulary of 3 rows cannot be padded to multiples of 18446744073709551615");
    CHECK(error([](auto& options) { options.vocab.rows = 1ull << 33; }).kind == base::ErrorKind::usage);
}
