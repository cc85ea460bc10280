// The random cases of one property: some models of every family, each with layouts to convert to.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "tests/property/ckpt_convert/checkpoint_view.h"
#include "tests/property/ckpt_convert/random_model.h"
#include "tests/property/ckpt_convert/random_target.h"
#include "tests/unit/ckpt_convert/app/convert_support.h"

namespace test {

struct Case {
    MemoryFileSystem& fs;  // with a model in "hf"
    const ckpt::Model& model;
    Random& random;
};

// PROPERTY_SHARE=N: one N-th of the random cases, for builds in which they take long.
inline std::uint32_t parts_of_cases() {
    const char* share = std::getenv("PROPERTY_SHARE");
    return static_cast<std::uint32_t>(std::max(1, share != nullptr ? std::atoi(share) : 1));
}
inline std::uint32_t share_of(std::uint32_t rounds) { return std::max(1u, rounds / parts_of_cases()); }

// Calls `property` for `rounds` models of each family of rules/models that has random ones, or for a share of all these. A
// failure names seed and family.
template <class Property>
void for_random_models(std::uint32_t first_seed, std::uint32_t rounds, Property property) {
    std::uint32_t seed = first_seed;
    for (const ckpt::ModelMapping& mapping : knowledge().families.families()) {
        if (!has_random_models(mapping)) continue;
        for (std::uint32_t round = 0; round < rounds; ++round, ++seed) {
            if (seed % parts_of_cases() != 0) continue;
            CAPTURE(seed);
            CAPTURE(mapping.family);
            Random random(seed);
            MemoryFileSystem fs;
            ckpt::Model model = add_random_hf(fs, "hf", mapping, random);
            std::string config = fs.content("hf/config.json");
            CAPTURE(config);
            property(Case{fs, model, random});
        }
    }
}

// Options that convert `from` into a random Megatron layout in `to`.
inline ckpt::ConvertOptions random_options(const Case& at, const std::string& from, const std::string& to) {
    ckpt::ConvertOptions out = options(from, to);
    choose_target(out, at.model, at.random);
    return out;
}

// A conversion that must succeed.
inline void must_convert(MemoryFileSystem& fs, const ckpt::ConvertOptions& options) {
    auto result = convert(fs, options);
    REQUIRE_MESSAGE(result, result.error().text());
}

}  // namespace test
