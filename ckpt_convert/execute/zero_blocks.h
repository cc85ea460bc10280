// ZeroBlocks: finds in the bytes of a tensor the zeros that a file has where it was never written.
//
// A hole in a file is made of whole pages and begins and ends anywhere in a row. Zeros that a model has by design fill whole
// rows (padding of a vocabulary), whole tensors (a factor of LoRA, a bias), or come back in row after row.
#pragma once

#include <cstdint>

#include "base/byte_reader.h"

namespace ckpt {

class ZeroBlocks {
public:
    static constexpr std::uint64_t kPageBytes = 4096;

    // `offset`: of the tensor in its file. A row is the last axis, of a tensor with one axis all of it.
    ZeroBlocks(std::uint64_t offset, std::uint64_t bytes, std::uint64_t row_bytes);

    // The bytes in order, in parts that end at a page of the file or with the tensor.
    void add(base::ByteSpan bytes);

    // Of the bytes that were added, which must be all.
    bool all_zero() const { return all_zero_; }
    bool has_zero_rows() const { return zero_rows_ > 0; }
    // Blocks of zeros with a whole page of the file in them that are none of the zeros by design.
    std::uint64_t holes() const { return is_regular() ? 0 : holes_; }
    bool is_regular() const { return holes_ * 2 >= rows_; }   // zeros that come back in at least every second row
    std::uint64_t first_hole() const { return first_hole_; }  // where, in the file
    std::uint64_t first_hole_bytes() const { return first_hole_bytes_; }

private:
    void add_page(base::ByteSpan page);
    void end_run();

    std::uint64_t begin_, end_, row_bytes_, rows_;
    std::uint64_t at_;       // in the file
    std::uint64_t run_ = 0;  // zero bytes before `at_`
    bool run_has_page_ = false;
    bool all_zero_ = true;
    std::uint64_t zero_rows_ = 0;
    std::uint64_t holes_ = 0;
    std::uint64_t first_hole_ = 0;
    std::uint64_t first_hole_bytes_ = 0;
};

}  // namespace ckpt
