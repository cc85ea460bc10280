// Content: are the bytes of a checkpoint those that were written? Every file is read once and compared with the checksums that
// are known of it, and its tensors are searched for blocks that were never written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/execute/comparer.h"
#include "ckpt_convert/execute/known_sums.h"

namespace ckpt {

struct ContentFindings {
    std::uint64_t files = 0;                                    // with weights, or with a known checksum
    std::vector<std::pair<std::string, std::uint64_t>> proven;  // how many files by which record, the surest first
    std::vector<std::string> unproven;                          // files of which no checksum is known
    std::vector<TensorDifference> problems;                     // by tensor, or by file
    std::vector<std::string> notes;

    std::uint64_t proven_files() const;
};

struct ContentOptions {
    int threads = 0;
    std::function<void(std::uint64_t bytes)> progress = [](std::uint64_t) {};
};

// `root`: what paths are shown relative to. `directory`: of the weights, where a torch_dist checkpoint has its .metadata. Besides
// `known`, the CRC-32 of every record of a torch file is known, unless PyTorch was told not to write it. Fails with bad_input
// when a file cannot be read.
Result<ContentFindings> check_content(base::FileSystem& fs, const Path& root, const Path& directory,
                                      const TensorIndex& index, const KnownSums& known, const ContentOptions& options);

// The bytes that check_content() reads.
Result<std::uint64_t> content_bytes(base::FileSystem& fs, const TensorIndex& index, const KnownSums& known);

}  // namespace ckpt
