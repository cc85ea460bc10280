// Executor: runs a proven plan: every source byte is read once, every target byte written once, in bounded memory.
#pragma once

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/execute/staged_output.h"

namespace ckpt {

struct ExecuteOptions {
    int threads = 0;                        // 0: one per core
    std::uint64_t tile_bytes = 8ull << 20;  // per thread, twice (a tile and its packed form)
    bool progress = true;
};

// Writes all files of `output` into the staging directory; nothing is committed.
base::Status execute(const ConversionPlan& plan, const TensorIndex& source, const OutputPlan& output,
                     StagedOutput& staging, base::FileSystem& fs, const ExecuteOptions& options);

}  // namespace ckpt
