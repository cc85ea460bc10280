#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>

#include "ckpt_convert/execute/run_sums.h"
#include "ckpt_convert/formats/zip/crc32.h"

TEST_CASE("run sums: the checksum of a payload, whatever the order of its runs") {
    std::string payload = "the bytes of a payload, of which runs are written in any order";
    std::vector<ckpt::WrittenRun> runs;
    for (std::size_t at = 0; at < payload.size(); at += 5) {
        std::string part = payload.substr(at, 5);
        runs.push_back({1, at, part.size(), ckpt::crc32(base::as_bytes(part))});
    }
    std::mt19937 random(7);
    for (int i = 0; i < 20; ++i) {
        std::shuffle(runs.begin(), runs.end(), random);
        ckpt::RunSums sums(3);
        for (const auto& run : runs) sums.add(run);
        CHECK(sums.sum(1, payload.size()) == ckpt::crc32(base::as_bytes(payload)));
        CHECK(sums.sum(0, 0) == 0);
    }
}

TEST_CASE("run sums: what lies between runs is zeros") {
    std::string payload = std::string(5, '\0') + "some" + std::string(100, '\0') + "bytes" + std::string(7, '\0');
    ckpt::RunSums sums(1);
    sums.add({0, 109, 5, ckpt::crc32(base::as_bytes("bytes"))});
    sums.add({0, 5, 4, ckpt::crc32(base::as_bytes("some"))});
    CHECK(sums.sum(0, payload.size()) == ckpt::crc32(base::as_bytes(payload)));
    CHECK(ckpt::RunSums(1).sum(0, 0) == 0);
}
