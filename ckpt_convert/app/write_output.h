// Writes a proven plan: the whole output by one run, or the part of one worker.
#pragma once

#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/checkpoint/source_guard.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/execute/shard_set.h"
#include "ckpt_convert/target/planned_output.h"

namespace ckpt {

// What a run needs to write its part of the output, and what it tells.
struct Writing {
    base::FileSystem& fs;
    PlannedOutput& target;  // what is left to write of it: of one worker its files
    const Source& source;
    const SourceGuard& guard;
    const ConvertOptions& options;
    const ExecuteOptions& execution;
    Manifest manifest;
    ConvertSummary& summary;
};

// The output appears whole or not at all. With ConvertOptions::resume it goes on from what an interrupted run has finished.
Status write_whole(Writing run);

// The part of one worker; the last of them publishes the output.
Status write_shard(Writing run, const Shard& shard, const ShardSet& shards);

}  // namespace ckpt
