// Verification: one checkpoint by itself, or two against each other.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/app/options.h"
#include "ckpt_convert/execute/comparer.h"
#include "ckpt_convert/execute/content_check.h"
#include "ckpt_convert/open/source.h"

namespace ckpt {

struct VerifySummary {
    std::vector<std::string> titles;  // of the checkpoints: one or two
    std::string family;
    std::uint64_t tensors = 0;  // logical ones
    std::uint64_t bytes = 0;    // of the first
    std::vector<TensorDifference> differences;
    std::optional<ContentFindings> content;  // of one checkpoint by itself; its problems are among the differences
    std::vector<std::string> notes;
};

// Makes what is told how much was read, given how much there is to read.
using ProgressMaker = std::function<std::function<void(std::uint64_t bytes)>(std::uint64_t total)>;

// Fails with bad_input when a checkpoint is incomplete or cannot be read; what differs, between two checkpoints or from the
// checksums that are known of one, is in the summary.
Result<VerifySummary> verify(base::FileSystem& fs, const Knowledge& knowledge, const VerifyOptions& options,
                             const ProgressMaker& progress);

// For people, and as JSON.
std::string verify_text(const VerifySummary& summary);
std::string verify_json(const VerifySummary& summary);

}  // namespace ckpt
