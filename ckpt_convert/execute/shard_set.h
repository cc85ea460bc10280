// ShardSet: what the workers of a conversion have done so far, in a directory that all of them see.
//
//   DIR/.shards/part-3.5f2a.../...   the files of one worker's attempt at shard 3, which nobody else writes
//   DIR/.shards/done/3-of-16.json    appears when all of them are complete, and says which they are
//   DIR/.shards/claim                the worker that has it locked publishes the output
//   DIR/.shards/published            the output is complete, and the rest is to be removed
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/execute/shard.h"
#include "ckpt_convert/execute/staged_output.h"

namespace ckpt {

class ShardSet {
public:
    // `conversion`: what all workers must agree on, whatever it is. Fails with usage when the directory holds anything but
    // shards of the same conversion.
    static Result<ShardSet> open(base::FileSystem& fs, const Path& directory, const Shard& shard,
                                 std::uint64_t conversion);

    // This shard was completed before.
    Result<bool> is_done() const;
    // A place for the files of this shard, which vanishes unless finish() is reached.
    Result<StagedOutput> begin() const;
    // Says that the files of this shard, which are those of the manifest, are complete. `last`: as StagedOutput::commit has it.
    Status finish(StagedOutput& staging, const Manifest& manifest, const std::vector<std::string>& last) const;
    // How many shards are still missing.
    Result<std::uint32_t> missing() const;
    // Publishes when all shards are there and no other worker does it; whether it did.
    Result<bool> publish_if_complete() const;

private:
    ShardSet(base::FileSystem& fs, Path directory, const Shard& shard, std::uint64_t conversion)
        : fs_(&fs), directory_(std::move(directory)), shard_(shard), conversion_(conversion) {}

    base::FileSystem* fs_;
    Path directory_;
    Shard shard_;
    std::uint64_t conversion_;
};

// Publishes the output of workers that are all done, also when another worker was killed while doing so; the number of files.
// Fails with usage when shards are missing, and names them, and when another worker is at it; with bad_input when files are
// not as they were left.
Result<std::size_t> publish_shards(base::FileSystem& fs, const Path& directory);

}  // namespace ckpt
