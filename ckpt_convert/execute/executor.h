// Executor: runs a proven plan: every source byte is read once, every target byte written once, in bounded memory.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/execute/output_plan.h"
#include "ckpt_convert/execute/staged_output.h"

namespace ckpt {

struct ExecuteOptions {
    int threads = 0;                        // 0: one per core
    std::uint64_t tile_bytes = 8ull << 20;  // per thread, up to four times: read, gathered, cast and packed
    std::function<void(std::uint64_t bytes)> progress = [](std::uint64_t) {};  // called from any thread
};

struct Executed {
    std::vector<CastReport> losses;    // of casts, by tensor
    std::vector<std::uint32_t> crc32;  // of each whole file, in the order of OutputPlan::files
};

// Writes all files of `output` into the staging directory, each finished with its last byte; nothing is committed.
Result<Executed> execute(const ConversionPlan& plan, const TensorIndex& source, const OutputPlan& output,
                         StagedOutput& staging, base::FileSystem& fs, const ExecuteOptions& options);

}  // namespace ckpt
