// Verification: one checkpoint by itself, or two against each other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/app/source.h"
#include "ckpt_convert/execute/comparer.h"

namespace ckpt {

struct VerifySummary {
    std::vector<std::string> titles;  // of the checkpoints: one or two
    std::string family;
    std::uint64_t tensors = 0;  // logical ones
    std::uint64_t bytes = 0;    // of the first
    std::vector<TensorDifference> differences;
    std::vector<std::string> notes;
};

// Makes what is told how much was read, given how much there is to read.
using ProgressMaker = std::function<std::function<void(std::uint64_t bytes)>(std::uint64_t total)>;

// Fails with bad_input when a checkpoint is incomplete or damaged; what differs is in the summary.
base::Result<VerifySummary> verify(base::FileSystem& fs, const Knowledge& knowledge, const VerifyOptions& options,
                                   const ProgressMaker& progress);

}  // namespace ckpt
