// Writes the pickle `.metadata` of a torch_dist checkpoint; see dist_metadata.h for what is in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/packed_text.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_writer.h"
#include "ckpt_convert/tensor/grouped.h"

namespace ckpt {

// A range of bytes of __0_{file}.distcp.
struct DistPlace {
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

struct DistBytesEntry {
    DistName name;
    DistPlace place;
};

std::string dist_file_name(std::uint32_t file);

// `tensors`: the numbers of the items that each tensor is made of. `places`: of the items. `keys`: says which keys lead to each
// name. Memory is that of the packed text, a few bytes per item.
base::PackedText dist_metadata_pickle(const std::vector<TorchDistItem>& items, const Grouped<std::uint32_t>& tensors,
                                      const std::vector<DistPlace>& places, const std::vector<DistBytesEntry>& bytes,
                                      bool keys);

}  // namespace ckpt
