// Executor: runs a proven plan: every source byte is read once, every target byte written once, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/execute/staged_output.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {

struct ExecuteOptions {
    int threads = 0;                        // 0: one per core
    std::uint64_t tile_bytes = 8ull << 20;  // per thread, up to four times: read, gathered, cast and packed
    std::function<void(std::uint64_t bytes)> progress = [](std::uint64_t) {};  // called from any thread
};

// A weight that the wanted element type cannot hold.
struct CastReport {
    std::string tensor;
    CastLosses losses;
};

// Writes all files of `output` into the staging directory; nothing is committed. Returns what casts lost, by tensor.
base::Result<std::vector<CastReport>> execute(const ConversionPlan& plan, const TensorIndex& source,
                                              const OutputPlan& output, StagedOutput& staging, base::FileSystem& fs,
                                              const ExecuteOptions& options);

}  // namespace ckpt
