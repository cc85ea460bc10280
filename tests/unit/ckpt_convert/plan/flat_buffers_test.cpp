#include <doctest/doctest.h>

#include "base/format.h"
#include "ckpt_convert/plan/flat_buffers.h"
#include "ckpt_convert/plan/parameter_order.h"

using ckpt::DType;

namespace {

// "bf16 202: 2@0 1@64", the last parameter first.
std::string text(const std::vector<ckpt::FlatBufferLayout>& buffers) {
    std::vector<std::string> out;
    for (const auto& buffer : buffers) {
        std::string line = base::format("{} {}:", ckpt::name(buffer.parameters), buffer.elements);
        for (const auto& place : buffer.places) line += base::format(" {}@{}", place.tensor, place.first);
        out.push_back(line);
    }
    return base::joined(out, "; ");
}

const std::vector<ckpt::FlatParameter> kParameters{{0, DType::bf16, 10}, {1, DType::bf16, 100}, {2, DType::bf16, 64}};

}  // namespace

TEST_CASE("flat buffers: from the last parameter to the first, each at a multiple of 64") {
    CHECK(text(ckpt::flat_buffers(kParameters, std::nullopt)) == "bf16 202: 2@0 1@64 0@192");
}

TEST_CASE("flat buffers: behind a bucket places are counted anew, without what fills it up") {
    CHECK(text(ckpt::flat_buffers(kParameters, 100)) == "bf16 174: 2@0 1@64 0@164");
    CHECK(text(ckpt::flat_buffers(kParameters, 64)) == "bf16 174: 2@0 1@64 0@164");
    CHECK(text(ckpt::flat_buffers(kParameters, 1000)) == "bf16 202: 2@0 1@64 0@192");
}

TEST_CASE("flat buffers: one for each element type, in the order of their first parameters") {
    CHECK(text(ckpt::flat_buffers({{7, DType::f32, 3}, {8, DType::bf16, 5}, {9, DType::f32, 2}}, std::nullopt)) ==
          "f32 67: 9@0 7@64; bf16 5: 8@0");
    CHECK(text(ckpt::flat_buffers({}, std::nullopt)).empty());
}

TEST_CASE("flat buffers: of each chunk; the saved arguments say whether the first one has buckets") {
    auto parameter = [](std::uint32_t tensor, const char* name, std::uint64_t elements, bool expert) {
        return ckpt::StoredParameter{tensor, name, DType::bf16, {elements}, expert};
    };
    auto split =
        ckpt::split_parameters({parameter(0, "model0/a.weight", 10, false), parameter(1, "model0/b.weight", 100, false),
                                parameter(2, "model1/c.weight", 100, false), parameter(3, "model1/d.bias", 10, true)},
                               2, true, true);
    auto args = [](const char* text) { return std::move(base::parse_json(text, "args")->root); };
    auto buckets = args(R"({"overlap_grad_reduce": true, "ddp_bucket_size": 90})");
    CHECK(text(ckpt::rank_buffers(split.dense, 0, args("{}"))) == "bf16 138: 1@0 0@128; bf16 100: 2@0");
    CHECK(text(ckpt::rank_buffers(split.dense, 0, buckets)) == "bf16 110: 1@0 0@100; bf16 100: 2@0");
    CHECK(text(ckpt::rank_buffers(split.dense, 1, buckets)) == "bf16 138: 1@0 0@128; bf16 100: 2@0");
    CHECK(text(ckpt::rank_buffers(split.experts, 0, buckets)) == "bf16 10: 3@0");
    auto together = ckpt::split_parameters({parameter(3, "model/d.bias", 10, true)}, 1, false, false);
    CHECK(text(ckpt::rank_buffers(together.dense, 0, args("{}"))) == "bf16 10: 3@0");
    CHECK_FALSE(parameter(0, "model/a.norm", 10, false).decays());
    CHECK_FALSE(ckpt::StoredParameter{0, "model/a.bias", DType::bf16, {2, 5}, false}.decays());
    CHECK(ckpt::StoredParameter{0, "model/a.weight", DType::bf16, {2, 5}, false}.decays());
}
