// safetensors: strict reader and writer of the header; the payload is read and written by whoever streams it.
//
//   u64 N | N bytes of JSON: {"__metadata__": {...}, "name": {"dtype", "shape", "data_offsets": [begin, end]}, ...} |
//   byte buffer, which the ranges [begin, end) tile exactly
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/tensor/dtype.h"
#include "ckpt_convert/tensor/shape.h"

namespace ckpt {

struct SafetensorsEntry {
    std::string name;
    DType dtype = DType::f32;
    Shape shape;
    std::uint64_t offset = 0;  // absolute, in the file
    std::uint64_t bytes = 0;
};

struct SafetensorsHeader {
    std::vector<SafetensorsEntry> entries;                      // by offset
    std::vector<std::pair<std::string, std::string>> metadata;  // "__metadata__", in file order
};

// The length of the header, at the beginning of the file.
inline constexpr std::size_t kSafetensorsLengthBytes = 8;
// Largest header read, as in the reference implementation.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;
// More axes than any model has; bounds what one entry can make the reader allocate.
inline constexpr std::size_t kMaxSafetensorsDimensions = 64;

// Checks everything that can be checked without reading the payload: header length, JSON, names, dtypes, shapes, and
// that the ranges tile the buffer exactly to the end of the file. Errors are bad_input and name file and tensor.
Result<SafetensorsHeader> read_safetensors_header(base::ReadableFile& file);

// A tensor to be written, in the order of `plan_safetensors`.
struct SafetensorsTensor {
    std::string name;
    DType dtype = DType::f32;
    Shape shape;
};

struct SafetensorsLayout {
    std::string header;                  // the first bytes of the file, padded so that the payload is 8-byte aligned
    std::vector<std::uint64_t> offsets;  // absolute, one per tensor, in the order given
    std::uint64_t file_bytes = 0;
};

// Lays the tensors out in the given order behind one header.
Result<SafetensorsLayout> plan_safetensors(const std::vector<SafetensorsTensor>& tensors,
                                           const std::vector<std::pair<std::string, std::string>>& metadata);

}  // namespace ckpt
