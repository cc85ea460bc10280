#include "ckpt_convert/formats/torch_file/dtensor.h"

#include <doctest/doctest.h>

#include "ckpt_convert/tensor/tiling.h"

namespace {

using Kind = ckpt::MeshPlacement::Kind;

// The boxes of all ranks of the mesh, without those that repeat others.
std::vector<ckpt::RankBox> boxes(const ckpt::DTensor& tensor) {
    std::vector<ckpt::RankBox> out;
    const std::uint64_t ranks = *ckpt::checked_elements(tensor.mesh);
    for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        std::vector<std::uint64_t> coordinate(tensor.mesh.size());
        std::uint64_t rest = rank;
        for (std::size_t i = tensor.mesh.size(); i-- > 0; rest /= tensor.mesh[i]) coordinate[i] = rest % tensor.mesh[i];
        if (ckpt::is_first_replica(tensor, coordinate)) out.push_back(ckpt::box_of_rank(tensor, coordinate));
    }
    return out;
}

ckpt::DTensor placed(ckpt::Shape shape, std::vector<ckpt::MeshPlacement> placements, ckpt::Shape mesh) {
    return {std::move(shape), nullptr, std::move(placements), std::move(mesh), std::nullopt};
}

std::vector<std::uint64_t> first_rows(const ckpt::DTensor& tensor) {
    std::vector<std::uint64_t> out;
    for (const auto& box : boxes(tensor)) out.push_back(box.offsets[0]);
    return out;
}

}  // namespace

TEST_CASE("DTensor: boxes as PyTorch cuts them, uneven and empty ones too") {
    CHECK(first_rows(placed({10, 3}, {{Kind::shard, 0}}, {4})) == std::vector<std::uint64_t>{0, 3, 6, 9});
    CHECK(boxes(placed({10}, {{Kind::shard, 0}}, {4})).back().sizes == ckpt::Shape{1});
    CHECK(boxes(placed({3}, {{Kind::shard, 0}}, {4})).back().sizes == ckpt::Shape{0});
    // TP cuts first, FSDP each of its parts: rows of torch 2.13 on 2 x 2 ranks.
    CHECK(first_rows(placed({14, 10}, {{Kind::strided_shard, 0}, {Kind::shard, 0}}, {2, 2})) ==
          std::vector<std::uint64_t>{0, 7, 4, 11});
    CHECK(boxes(placed({4, 4}, {{Kind::replicate, 0}, {Kind::shard, 1}}, {2, 2})).size() == 2);
}

TEST_CASE("DTensor: the ranks' boxes make up the tensor, whatever the mesh") {
    const ckpt::MeshPlacement choices[] = {
        {Kind::replicate, 0}, {Kind::shard, 0}, {Kind::shard, 1}, {Kind::strided_shard, 0}, {Kind::strided_shard, 1}};
    for (const auto& first : choices) {
        for (const auto& second : choices) {
            for (const ckpt::Shape& shape : {ckpt::Shape{7, 5}, ckpt::Shape{2, 9}, ckpt::Shape{1, 1}}) {
                const auto tensor = placed(shape, {first, second}, {3, 2});
                const auto found = boxes(tensor);
                std::vector<ckpt::Box> all;
                for (const auto& box : found) all.push_back({box.offsets, box.sizes});
                CHECK_FALSE(ckpt::tiling_problem(shape, all));
            }
        }
    }
}
