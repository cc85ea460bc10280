// TensorIndex: every tensor of a checkpoint by name: where its bytes are, and what they are. No payload is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/tensor/dequantise.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/flat_vector.h"
#include "ckpt_convert/tensor/shape.h"
#include "ckpt_convert/tensor/shared.h"

namespace ckpt {

// Dense numbers in a file of the index.
struct StoredNumbers {
    DType dtype = DType::f32;
    std::uint32_t file = 0;
    std::uint64_t offset = 0;
};

// How the values of a quantised tensor are read: (value - offset) * scale, one scale and offset for each block of
// rows x columns of a matrix. The last block of a row or column may be smaller.
struct Quantised {
    ValueCode code = ValueCode::i8;
    std::uint64_t rows = 0;  // of each matrix
    std::uint64_t columns = 0;
    std::uint64_t block_rows = 0;
    std::uint64_t block_columns = 0;
    StoredNumbers scales;  // row-major, of one matrix after the other
    std::optional<StoredNumbers> offsets;

    std::uint64_t scale_rows() const { return (rows - 1) / block_rows + 1; }
    std::uint64_t scale_columns() const { return (columns - 1) / block_columns + 1; }
};

struct IndexedTensor {
    Shared<std::string> name;
    DType dtype = DType::f32;
    SharedShape shape;
    std::uint32_t file = 0;    // index into TensorIndex::files
    std::uint64_t offset = 0;  // absolute byte offset of the element [0, ..., 0]
    SharedShape strides;       // elements; row-major unless a torch file holds a view
    bool contiguous = true;    // row-major, and its bytes are one range of the file
    // Of a part of a tensor, as torch_dist stores them: where it begins, and the shape of the whole. Else empty.
    SharedShape part_offset = {};
    SharedShape whole_shape = {};
    // What the file holds instead of a dense row-major tensor of `dtype`, which is what the values become.
    std::shared_ptr<const Quantised> quantised = {};
    // Where the elements lie when ranks share them; `file` and `offset` are then those of the first.
    SharedPlace flat = {};

    std::uint64_t elements() const;
    std::uint64_t bytes() const;  // of the dense tensor; checked when the index was made
};

struct TensorIndex {
    std::vector<std::shared_ptr<base::ReadableFile>> files;
    std::vector<IndexedTensor> tensors;

    std::uint64_t total_bytes() const;
    std::uint64_t total_elements() const;

    void give_axes();  // tensors without axes get one of 1, as plans move nothing without rows
    void take_out(const std::vector<bool>& gone);  // by number of the tensor
};

// Adds the files and tensors of another index behind those of `index`.
void add_index(TensorIndex& index, const TensorIndex& other);

// Adds all tensors of one weight file, by its content: safetensors, or what torch.save wrote (a flat dict of tensors,
// other entries are skipped). Files that are no weights at all - Git LFS pointers, HTML pages, empty files - are named
// as such, because an incomplete download is the usual cause.
Status add_weight_file(TensorIndex& index, base::FileSystem& fs, const Path& path);

// The same of a torch file of any shape: all tensors in it, with the keys that lead to them as names ("model/decoder...").
Status add_every_tensor(TensorIndex& index, base::FileSystem& fs, const Path& path);

// Fails with bad_input when the keys that lead to a tensor have more `bytes` together than any checkpoint needs: names would be
// as long as the way is deep. `path`: of the file.
Status check_way(std::size_t bytes, const Path& path);

// Fails with bad_input when the file cannot be weights: empty, a Git LFS pointer, or a web page.
Status reject_placeholder(base::ReadableFile& file);

}  // namespace ckpt
