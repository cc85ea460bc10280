// TorchDistIndex: what a checkpoint of torch.distributed.checkpoint holds and where in its files; no payload is read.
//
//   DIRECTORY/metadata.json    which backend wrote it; Megatron's torch_dist alone has it
//             .metadata        pickle: name -> type, shape, chunks; name and offset -> file and range of bytes
//             __R.metadata     the same of rank R alone, when the ranks did not talk to each other
//             __R_N.distcp     item | item | ...   an item is a whole file of torch.save: one chunk of one tensor
//             common.pt        torch.save of everything that is not sharded (since mcore 0.19 an item of that kind too)
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/value.h"
#include "ckpt_convert/formats/torch_file/torch_reader.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/flat_vector.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// A box of a tensor and where its elements lie.
struct TorchDistChunk {
    std::vector<std::uint64_t> offsets;  // elements; one per axis of the tensor
    Shape sizes;
    std::uint32_t file = 0;              // TorchDistIndex::files
    std::uint64_t file_offset = 0;       // absolute, of the element [0, ..., 0] of the chunk
    std::vector<std::uint64_t> strides;  // elements
    bool contiguous = true;              // the strides are row-major: the bytes are one range of the file
};

struct TorchDistTensor {
    std::string fqn;
    DType dtype = DType::f32;
    Shape shape;
    // In the order of .metadata; together the tensor, each element once. Of a tensor that is stored flat these are the
    // boxes that its ranges are made of.
    std::vector<TorchDistChunk> chunks;
    // The keys that lead to it in the nested dict that was saved: {"model", "model.norm.weight"}; empty: not told.
    std::vector<std::string> path = {};
    // Instead of chunks.
    SharedPlace flat = {};
    std::uint32_t saved_at = 0;  // its place in that dict, where `path` is told
};

// Bytes that are not decoded: a torch.save of a list of one object.
struct TorchDistBytes {
    std::string fqn;  // with its place among its likes: "decoder.layers.mlp.linear_fc1._extra_state/shard_0_4"
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::vector<std::string> path = {};  // see TorchDistTensor
};

struct TorchDistIndex {
    std::vector<std::string> files;        // relative to the directory; only those that the entries below lie in
    std::vector<TorchDistTensor> tensors;  // in the order of .metadata, as are the others
    std::vector<TorchDistBytes> bytes;
    std::vector<std::string> skipped;  // names of tensors that were not wanted
    std::string version;               // of the metadata; empty: it is not told
};

struct TorchDistOptions {
    // Tensors that this says no to are neither checked nor looked for in the files. Empty: all are wanted.
    std::function<bool(std::string_view fqn)> wanted;
    int threads = 0;  // 0: one per core
};

// Everything inconsistent or missing is bad_input; other backends, versions, element types and transformed
// (compressed) items are `unsupported`. Opens every wanted item, reading some kilobytes of each.
Result<TorchDistIndex> read_torch_dist(base::FileSystem& fs, const Path& directory,
                                       const TorchDistOptions& options = {});
// The same of a directory without metadata.json. Without .metadata too, what the ranks say each of itself is put together.
Result<TorchDistIndex> read_dcp(base::FileSystem& fs, const Path& directory, const TorchDistOptions& options = {});

// What is not sharded: a mapping with `args`, `checkpoint_version`, `iteration` ...
struct TorchDistCommonState {
    TorchFile file;  // owns the value
    pickle::Ref root = nullptr;
};

// Of common.pt, or when there is none of the item common_state/shard_0_1.
Result<TorchDistCommonState> read_torch_dist_common_state(base::FileSystem& fs, const Path& directory,
                                                          const TorchDistIndex& index);

}  // namespace ckpt
