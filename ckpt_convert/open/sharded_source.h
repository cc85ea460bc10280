// A checkpoint that the ranks of a run wrote together, found and read as one with the names of Hugging Face.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "ckpt_convert/checkpoint/hf_checkpoint.h"
#include "ckpt_convert/checkpoint/sharded_checkpoint.h"
#include "ckpt_convert/mapping/distributed_names.h"
#include "ckpt_convert/open/source_options.h"

namespace ckpt {

// The last save in shards below a directory, whatever else is in it; nullopt: there is none, or not that of the tracker.
std::optional<Path> sharded_below(base::FileSystem& fs, const DistributedNames& names, const Path& directory);

// Where such a checkpoint lies: `directory` itself, or what its tracker names, or the highest number below it. nullopt: there
// is none, or weights that are read as others are.
Result<std::optional<Path>> find_sharded(base::FileSystem& fs, const DistributedNames& names, const Path& directory);

// Where the state of the optimizer lies that belongs to the weights in `directory`, when it is not with them. nullopt: nowhere.
std::optional<Path> find_optimizer(base::FileSystem& fs, const DistributedNames& names, const Path& directory);

struct ShardedSource {
    ShardedCheckpoint checkpoint;
    std::string saved_by;  // empty: not told
    std::string refusal;   // why its weights are not read; empty: they are
    std::string names;     // see SavedBy
    TensorIndex weights;   // under the names that the model has for them, in parts
    std::size_t weight_count = 0;
    bool has_optimizer = false;
    std::set<std::string, std::less<>> trained;  // weights that the optimizer has a state of
    std::optional<double> step;                  // of the optimizer
    std::vector<std::string> beside;             // what else is in it, for people
    Path config;                                 // the directory of config.json; empty: there is none
};

// Fails with bad_input when names are not told apart, with unsupported when the format is not read.
Result<ShardedSource> open_sharded(base::FileSystem& fs, const DistributedNames& names, const Path& directory,
                                   const Path& config_dir);

// Fails where there are no weights, or their names are not read.
Status check_readable(const ShardedSource& source);

// Its weights as a Hugging Face checkpoint. Fails where there is no config.json, or its names are not read.
Result<HfCheckpoint> hf_of_sharded(base::FileSystem& fs, ShardedSource source);

// "torch.distributed.checkpoint, saved by verl"
std::string title_of(const ShardedSource& source);
}  // namespace ckpt
