#include "ckpt_convert/checkpoint/flat_runs.h"

#include <doctest/doctest.h>

#include <random>

#include "tests/unit/ckpt_convert/formats/format_test_support.h"

namespace {

using ckpt::FlatShare;
using ckpt::NamedShapes;

constexpr std::uint64_t kFileBytes = 1'000'000;  // a rank's vector begins at this, times its number

std::uint64_t elements_of(const ckpt::Shape& shape) { return *ckpt::checked_elements(shape); }

// For each element of the tensor, in its order, its place among the bytes of all files.
std::vector<std::uint64_t> places_of(const ckpt::TorchDistTensor& tensor) {
    std::vector<std::uint64_t> out;
    const std::uint64_t elements = elements_of(tensor.shape);
    const auto read = ckpt::each_run(tensor.flat, elements, 0, elements,
                                     [&](const ckpt::FlatRun& run, std::uint64_t number) -> ckpt::Status {
                                         CHECK(number == out.size());
                                         CHECK(run.file == run.offset / kFileBytes - 1);
                                         for (std::uint64_t i = 0; i < run.elements; ++i)
                                             out.push_back(run.offset + i * 4);
                                         return {};
                                     });
    CHECK(read);
    CHECK(tensor.chunks.empty());
    return out;
}

// A range begins anywhere, and a run may be cut short.
void check_parts(const ckpt::TorchDistTensor& tensor, const std::vector<std::uint64_t>& places, std::mt19937& random) {
    const std::uint64_t elements = elements_of(tensor.shape);
    for (int round = 0; round < 3 && elements > 0; ++round) {
        const std::uint64_t begin = random() % elements, count = 1 + random() % (elements - begin);
        const ckpt::FlatRun run = tensor.flat.vector->run(tensor.flat.first, elements, begin, count);
        CHECK(run.offset == places[begin]);
        CHECK(run.elements >= 1);
        CHECK(run.elements <= count);
    }
}

NamedShapes random_parameters(std::mt19937& random) {
    NamedShapes out;
    for (std::size_t count = 1 + random() % 6; out.size() < count;) {
        ckpt::Shape shape;
        for (std::size_t axes = random() % 4; axes > 0; --axes) shape.push_back(1 + random() % 5);
        out.emplace_back("p" + std::to_string(out.size()), shape);
    }
    return out;
}

std::uint64_t all_elements(const NamedShapes& parameters) {
    std::uint64_t out = 0;
    for (const auto& [name, shape] : parameters) out += elements_of(shape);
    return out;
}

FlatShare share_of(std::uint64_t rank, std::uint64_t elements) {
    return {static_cast<std::uint32_t>(rank), (rank + 1) * kFileBytes, elements};
}

}  // namespace

TEST_CASE("flat runs: parameters in a row are found wherever the vector is cut, and whatever fills it up") {
    std::mt19937 random(1);
    for (int round = 0; round < 300; ++round) {
        const NamedShapes parameters = random_parameters(random);
        const std::uint64_t ranks = 1 + random() % 5, total = all_elements(parameters);
        const std::uint64_t part = (total + 2 * ranks - 1) / (2 * ranks) * 2;
        const bool keeps_filling = random() % 2 == 0;
        std::vector<FlatShare> shares;
        for (std::uint64_t rank = 0; rank < ranks; ++rank) {
            const std::uint64_t end = keeps_filling ? part * ranks : total;
            shares.push_back(share_of(rank, std::min(part, end - std::min(rank * part, end))));
        }
        const auto found = ckpt::parameters_in(ckpt::FlatVector::Rule::row, parameters, shares);
        REQUIRE_MESSAGE(found, found.error().text());
        std::uint64_t at = 0;
        for (const auto& tensor : *found) {
            const auto places = places_of(tensor);
            check_parts(tensor, places, random);
            for (const std::uint64_t place : places) {
                REQUIRE(place == (at / part + 1) * kFileBytes + at % part * 4);
                ++at;
            }
        }
        CHECK(at == total);
        shares.back().elements += 2 * ranks;
        CHECK_FALSE(ckpt::parameters_in(ckpt::FlatVector::Rule::row, parameters, shares));
        shares.back().elements = 0;
        if (ranks == 1) CHECK_FALSE(ckpt::parameters_in(ckpt::FlatVector::Rule::row, parameters, shares));
    }
}

TEST_CASE("flat runs: of each parameter a share") {
    std::mt19937 random(2);
    for (int round = 0; round < 300; ++round) {
        const NamedShapes parameters = random_parameters(random);
        const std::uint64_t ranks = 1 + random() % 5;
        std::uint64_t length = 0;
        for (const auto& [name, shape] : parameters) length += (elements_of(shape) + ranks - 1) / ranks;
        std::vector<FlatShare> shares;
        for (std::uint64_t rank = 0; rank < ranks; ++rank) shares.push_back(share_of(rank, length));
        const auto found = ckpt::parameters_in(ckpt::FlatVector::Rule::shares, parameters, shares);
        REQUIRE_MESSAGE(found, found.error().text());
        std::uint64_t before = 0;
        for (const auto& tensor : *found) {
            const std::uint64_t part = (elements_of(tensor.shape) + ranks - 1) / ranks;
            const auto places = places_of(tensor);
            check_parts(tensor, places, random);
            REQUIRE(places.size() == elements_of(tensor.shape));
            for (std::uint64_t i = 0; i < places.size(); ++i)
                REQUIRE(places[i] == (i / part + 1) * kFileBytes + (before + i % part) * 4);
            before += part;
        }
        for (const std::uint64_t wrong : {length + 1, length - 1}) {
            shares.back().elements = wrong;
            CHECK_FALSE(ckpt::parameters_in(ckpt::FlatVector::Rule::shares, parameters, shares));
        }
    }
}
