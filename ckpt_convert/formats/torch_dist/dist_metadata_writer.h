// Writes the pickle `.metadata` of a torch_dist checkpoint; see dist_metadata.h for what is in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"

namespace ckpt {

// A range of bytes of __0_{file}.distcp.
struct DistPlace {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

struct DistBytesEntry {
    std::string fqn;
    DistPlace place;
    DistPath path;  // see TorchDistItem
};

std::string dist_file_name(std::uint32_t file);

// `tensors`: the numbers of the items that each tensor is made of. `places`: of the items. Memory is that of the text,
// some hundred bytes per item, which the values of it as a tree would be a multiple of.
std::string dist_metadata_pickle(const std::vector<TorchDistItem>& items,
                                 const std::vector<std::vector<std::uint32_t>>& tensors,
                                 const std::vector<DistPlace>& places, const std::vector<DistBytesEntry>& bytes);

}  // namespace ckpt
