// MasterCopies: whether tensors that a DeepSpeed checkpoint holds several times are the same.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {

class MasterCopies {
public:
    static constexpr std::uint64_t kEnds = 1
                                           << 16;  // elements at each end of a tensor that tell whether it is the same
    static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

    MasterCopies(base::FileSystem& fs, const ZeroFiles& files) : fs_(fs), files_(files) {}

    // The module's tensor is the optimizer's copy in float32, rounded. That some elements at both ends are so shows that the
    // order of the parameters is this one. Fails with bad_input when they are not.
    Status check(const TorchDistTensor& master, const OpenedFile& file, const TorchTensor& rounded) const;

    // Whether tensors of one shape and type have the same bytes, as far as the first and the last `elements` tell.
    Result<bool> same(const TorchDistTensor& a, const TorchDistTensor& b, std::uint64_t elements) const;

private:
    // The elements from `begin` to `end`, of a tensor whose elements are whole bytes.
    Result<std::vector<std::byte>> read(const TorchDistTensor& tensor, std::uint64_t begin, std::uint64_t end) const;
    Result<bool> same_run(const TorchDistTensor& a, const TorchDistTensor& b, std::uint64_t begin,
                          std::uint64_t end) const;
    Status compare(const TorchDistTensor& master, const OpenedFile& file, const TorchTensor& rounded,
                   std::uint64_t begin, std::uint64_t end) const;

    base::FileSystem& fs_;
    const ZeroFiles& files_;
};

}  // namespace ckpt
