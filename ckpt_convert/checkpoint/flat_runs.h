// Parameters in flat vectors that ranks share, as boxes of the parameters.
//
//   in a row      | a a a a b b|b b b c c c|  of all parameters one vector, cut in equal parts, wherever that is
//   in shares     |a a b b b c c|a a b b c 0|  of each parameter equal shares, rounded up
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {

// What a rank has of a group of parameters.
struct FlatShare {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;  // in the file, of the first element
    std::uint64_t elements = 0;
    std::uint64_t stride = 1;  // elements
};

using NamedShapes = std::vector<std::pair<std::string, Shape>>;  // in the order of the vectors

// `shares`: by rank. Fail with bad_input when they are not as long as the parameters ask for. Types are float32.
Result<std::vector<TorchDistTensor>> parameters_in_row(const NamedShapes& parameters,
                                                       const std::vector<FlatShare>& shares);
Result<std::vector<TorchDistTensor>> parameters_in_shares(const NamedShapes& parameters,
                                                          const std::vector<FlatShare>& shares);

// Adds the share of a rank, which begins at element `at` of the vector.
void add_share(TorchDistTensor& tensor, std::uint64_t rank, std::uint64_t ranks, const FlatShare& share,
               std::uint64_t at);
// Whether the chunks have as many elements as the tensor.
bool is_complete(const TorchDistTensor& tensor);

}  // namespace ckpt
