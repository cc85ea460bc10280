#include <doctest/doctest.h>

#include "ckpt_convert/formats/zip/crc32.h"

using ckpt::crc32;

TEST_CASE("crc32: known values, in one piece and in several") {
    auto text = base::as_bytes("123456789");
    CHECK(crc32(text) == 0xCBF43926);
    CHECK(crc32({}) == 0);
    CHECK(crc32(text.subspan(4), crc32(text.first(4))) == 0xCBF43926);
}

TEST_CASE("crc32_combine: as if the pieces had been one") {
    std::string data;
    for (int i = 0; i < 1000; ++i) data += static_cast<char>(i * 31 + i / 7);
    auto all = base::as_bytes(data);
    for (std::size_t cut : {0, 1, 2, 3, 63, 64, 255, 256, 511, 999, 1000}) {
        CAPTURE(cut);
        CHECK(ckpt::crc32_combine(crc32(all.first(cut)), crc32(all.subspan(cut)), all.size() - cut) == crc32(all));
    }
}

TEST_CASE("crc32_combine: lengths beyond 32 bits") {
    // Appending n zero bytes to an empty message twice is appending 2n.
    std::uint32_t zeros_1k = crc32(base::as_bytes(std::string(1024, '\0')));
    std::uint32_t crc = zeros_1k;
    std::uint64_t bytes = 1024;
    for (; bytes < 1ull << 40; bytes *= 2) crc = ckpt::crc32_combine(crc, crc, bytes);
    std::uint32_t halves = ckpt::crc32_combine(ckpt::crc32_combine(0, crc, bytes), zeros_1k, 1024);
    CHECK(halves == ckpt::crc32_combine(zeros_1k, crc, bytes));
}

TEST_CASE("crc32: of zeros, without reading any") {
    for (std::size_t bytes : {0, 1, 7, 64, 4095, 100000})
        CHECK(ckpt::crc32_of_zeros(bytes) == ckpt::crc32(base::as_bytes(std::string(bytes, '\0'))));
}
