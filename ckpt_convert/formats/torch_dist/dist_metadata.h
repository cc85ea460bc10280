// DistMetadata: what the pickle `.metadata` of a torch_dist checkpoint says, checked by itself.
//
//   Metadata
//     state_dict_metadata: fqn -> TensorStorageMetadata {properties (dtype, ...), size, chunks [{offsets, sizes}]}
//                                 or BytesStorageMetadata
//     storage_data: MetadataIndex {fqn, offset} -> _StorageInfo {relative_path, offset, length}
//     planner_data: fqn -> the keys that lead to it in the nested dict that was saved; may be missing
//     mcore_data: fqn -> {nd_reformulated_orig_global_shape}   of flattened tensors; written up to megatron-core 0.15
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {

// Where the file of torch.save lies that holds a chunk.
struct DistItem {
    std::uint32_t tensor = 0;  // TorchDistIndex::tensors
    std::uint32_t chunk = 0;   // TorchDistTensor::chunks
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
};

struct DistMetadata {
    TorchDistIndex index;         // without the places of the chunks' elements
    std::vector<DistItem> items;  // one for each chunk, in the order of the index
    std::vector<Shape> wholes;    // by tensor: the shape that a flattened one stands for; else empty
};

// `text`: the content of the file `path`. Classes are known by the ends of their names, as their modules have moved. A rank
// whose share of a tensor is empty need not have stored it.
Result<DistMetadata> parse_dist_metadata(std::string_view text, const Path& path, const TorchDistOptions& options);

// The same of several files, each of which says what one rank wrote. A chunk that several have is read from the first.
struct DistMetadataText {
    Path path;
    std::string text;
};
Result<DistMetadata> parse_rank_metadata(const std::vector<DistMetadataText>& files, const TorchDistOptions& options);

}  // namespace ckpt
