// TorchFile: what torch.save wrote, as a value tree with its tensors located in the file; no payload is read.
//
//   zip:     PREFIX/data.pkl | PREFIX/byteorder | PREFIX/version | PREFIX/data/KEY ...
//   < 1.6:   magic | 1001 | system | object | storage keys (five pickles), then for each key: i64 elements | bytes
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/formats/pickle/reader.h"
#include "ckpt_convert/formats/torch_file/storage_table.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

// Largest pickle read; that of a file with 100,000 tensors has about 20 MB.
inline constexpr std::uint64_t kMaxTorchPickleBytes = 256u << 20;

// A tensor inside a torch file: a strided view of a storage record.
struct TorchTensor {
    DType dtype = DType::f32;
    Shape shape;
    std::vector<std::uint64_t> strides;  // elements
    std::uint64_t file_offset = 0;       // absolute, of the element [0, ..., 0]
    std::string storage_key;             // equal keys share memory
    bool contiguous = true;              // the strides are row-major: the bytes are one range of the file
};

class TorchFile {
public:
    // Zip archives (torch >= 1.6) and the older format of five pickles. TorchScript archives, tar files, quantised
    // storages, files of big-endian machines and pickles that name what `accept` does not are `unsupported`; everything
    // inconsistent is `bad_input`.
    static Result<TorchFile> read(base::ReadableFile& file,
                                  const pickle::GlobalFilter& accept = pickle::is_checkpoint_global);
    // The torch file that is `bytes` long and starts at `begin` of a larger file, as the items of torch_dist are.
    // Offsets of tensors are those in the larger file.
    static Result<TorchFile> read(base::ReadableFile& file, std::uint64_t begin, std::uint64_t bytes,
                                  const pickle::GlobalFilter& accept = pickle::is_checkpoint_global);

    pickle::Ref root() const { return root_; }
    // The tensor that `value` describes (torch._utils._rebuild_*, Parameter and subclass wrappers unwrapped);
    // nullopt when it is not a tensor, an error when it is a tensor that does not fit its storage, or has no plain
    // storage (sparse, quantised, meta: `unsupported`).
    Result<std::optional<TorchTensor>> tensor(pickle::Ref value) const;

private:
    TorchFile() = default;

    Path path_;
    std::unique_ptr<pickle::Arena> arena_;
    pickle::Ref root_ = nullptr;
    StorageTable storages_;
};

}  // namespace ckpt
