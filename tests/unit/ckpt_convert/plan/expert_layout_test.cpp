#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/plan/expert_layout.h"

using ckpt::ExpertParallel;

namespace {

// "00_001.0": TP rank, EP rank, and which part of its experts, of every file of a stage.
std::string files_of(int tp, const ExpertParallel& experts) {
    auto ranks = ckpt::stage_ranks(tp, experts);
    REQUIRE_MESSAGE(ranks, ranks.error().text());
    std::vector<std::string> out;
    for (const auto& rank : *ranks) out.push_back(base::format("{}_{}.{}", rank.tp, rank.ep, rank.etp));
    return base::joined(out, " ");
}

// "4+2 1/2": the first expert, their number, and part 1 of 2.
std::string share_of(std::uint32_t experts, int tp, const ExpertParallel& parallel, const ckpt::StageRank& rank) {
    auto share = ckpt::expert_share(experts, tp, parallel, rank);
    REQUIRE_MESSAGE(share, share.error().text());
    return base::format("{}+{} {}/{}", share->first, share->count, share->index, share->parts);
}

}  // namespace

TEST_CASE("experts: the files of a stage are those that the ranks of a run ask for") {
    CHECK(files_of(2, {}) == "0_0.0 1_0.1");
    CHECK(files_of(2, {2, 0, false}) == "0_0.0 1_0.1 0_1.0 1_1.1");
    CHECK(files_of(2, {2, 2, false}) == "0_0.0 1_0.1 0_1.0 1_1.1");
    // Whole experts: Megatron numbers the ranks of a stage once for the dense part and once for the experts.
    CHECK(files_of(4, {2, 1, false}) == "0_0.0 2_0.0 1_1.0 3_1.0");
    CHECK(files_of(2, {4, 1, false}) == "0_0.0 1_1.0 0_2.0 1_3.0");
    CHECK(files_of(2, {2, 1, false}) == "0_0.0 1_1.0");
    CHECK(files_of(4, {1, 2, false}) == "0_0.0 1_0.1 2_0.0 3_0.1");
    CHECK(files_of(2, {2, 0, true}) == "0_0.0 1_0.0 0_1.0 1_1.0");
}

TEST_CASE("experts: a stage has as many ranks as both ways to number them need") {
    CHECK(ckpt::stage_size(2, {}) == 2);
    CHECK(ckpt::stage_size(2, {2, 0, false}) == 4);
    CHECK(ckpt::stage_size(2, {2, 1, false}) == 2);
    CHECK(ckpt::stage_size(4, {2, 1, false}) == 4);
    CHECK(ckpt::stage_size(2, {4, 1, false}) == 4);
    CHECK(ckpt::stage_size(2, {2, 0, true}) == 4);
}

TEST_CASE("experts: the first of the ranks with the same parameters has their optimizer state") {
    // "de" for dense weights and experts, in the order of the files.
    auto owners = [](int tp, const ExpertParallel& experts) {
        std::vector<std::string> out;
        for (const auto& owner : ckpt::state_owners(tp, experts))
            out.push_back(base::format("{}{}", owner.dense ? "d" : "-", owner.experts ? "e" : "-"));
        return base::joined(out, " ");
    };
    CHECK(owners(2, {}) == "de de");
    CHECK(owners(1, {2, 0, false}) == "de -e");
    CHECK(owners(2, {2, 0, false}) == "de de -e -e");
    CHECK(owners(2, {2, 1, false}) == "de de");
    // 0_0 and 2_0 have the same experts, 1_1 and 3_1 too.
    CHECK(owners(4, {2, 1, false}) == "de d- de d-");
}

TEST_CASE("experts: two ranks cannot share a file with different parts") {
    auto ranks = ckpt::stage_ranks(1, {2, 2, false});
    REQUIRE_FALSE(ranks);
    CHECK(ranks.error().kind == base::ErrorKind::unsupported);
    CHECK(ranks.error().message ==
          "with TP 1, EP 2 and expert TP 2 two ranks have one file name in the torch format and different parts of the "
          "experts; expert TP must divide TP, or use --ckpt-format torch_dist");
}

TEST_CASE("experts: each rank has a share of them") {
    CHECK(share_of(8, 2, {}, {1, 0, 1}) == "0+8 1/2");
    CHECK(share_of(8, 2, {4, 0, false}, {1, 3, 1}) == "6+2 1/2");
    CHECK(share_of(8, 2, {4, 1, false}, {1, 3, 0}) == "6+2 0/1");
    CHECK(share_of(8, 2, {2, 0, true}, {1, 0, 0}) == "2+2 0/1");
    CHECK(share_of(0, 2, {}, {1, 0, 1}) == "0+0 1/2");
}

TEST_CASE("experts: a size that does not divide them is refused") {
    auto message = [](std::uint32_t experts, int tp, const ExpertParallel& parallel) {
        auto share = ckpt::expert_share(experts, tp, parallel, {});
        REQUIRE_FALSE(share);
        CHECK(share.error().kind == base::ErrorKind::usage);
        return share.error().message;
    };
    CHECK(message(4, 1, {3, 0, false}) == "EP 3 does not divide the 4 experts of the model");
    CHECK(message(4, 4, {2, 0, true}) == "EP times TP 8 does not divide the 4 experts of the model");
    CHECK(message(0, 1, {2, 0, false}) == "--ep requires a mixture-of-experts model, and this one is dense");
}
