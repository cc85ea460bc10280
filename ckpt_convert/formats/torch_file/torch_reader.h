// TorchFile: what torch.save wrote, as a value tree with its tensors located in the file; no payload is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "ckpt_convert/formats/pickle/reader.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

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
    // Zip archives (torch >= 1.6) and the older format of five pickles. TorchScript archives, tar files and storages
    // on a big-endian writer are `unsupported`; everything inconsistent is `bad_input`.
    static base::Result<TorchFile> read(base::ReadableFile& file,
                                        const pickle::GlobalFilter& accept = pickle::is_checkpoint_global);

    pickle::Ref root() const { return root_; }
    // The tensor that `value` describes (torch._utils._rebuild_*, Parameter and subclass wrappers unwrapped);
    // nullopt when it is not a tensor, an error when it is a tensor that does not fit its storage.
    base::Result<std::optional<TorchTensor>> tensor(pickle::Ref value) const;

private:
    struct Storage {
        std::string key;
        std::uint64_t offset = 0;
        std::uint64_t bytes = 0;
    };
    base::Path path_;
    std::unique_ptr<pickle::Arena> arena_;
    pickle::Ref root_ = nullptr;
    std::vector<Storage> storages_;  // by key
};

}  // namespace ckpt
