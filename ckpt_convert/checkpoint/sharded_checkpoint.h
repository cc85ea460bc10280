// ShardedCheckpoint: a checkpoint that the ranks of a run wrote together, whatever its format: every tensor as a list of boxes
// with the place of each in a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"
#include "ckpt_convert/formats/torch_dist/torch_dist_reader.h"

namespace ckpt {

// Parameters of an optimizer with the same settings.
struct ShardedGroup {
    std::vector<std::pair<std::string, pickle::Ref>> values;  // lr, betas, ...
    std::vector<std::string> names;                           // of its weights, as they are stored
};

// Settings of an optimizer, with what owns their values.
struct ShardedGroups {
    std::vector<ShardedGroup> groups;
    bool by_name = false;      // saved for each weight rather than by number
    bool ordered = true;       // the names are in the order in which the run has its parameters
    bool of_megatron = false;  // the values are those of Megatron's groups
    std::vector<std::shared_ptr<const TorchFile>> owners;
    std::shared_ptr<const pickle::Arena> made;  // of values that no file has
};

// In outputs of ours whose names of parameters are in no such order, as their input did not tell it.
inline constexpr const char* kParameterOrder = "parameter_order";
inline constexpr const char* kUnknownOrder = "unknown";

struct ShardedCheckpoint {
    std::string format;  // "torch.distributed.checkpoint"
    Path directory;
    TorchDistIndex content;      // names as they are stored
    std::uint64_t ranks = 0;     // that wrote files; 0: not told
    bool has_optimizer = false;  // in files of its own
    std::string
        states_refused;  // why the states of that optimizer are not in the content; empty: they are, if they are known
    // Of formats whose groups are in the files that hold the states. "optimizer.state.NAME.exp_avg" are in the content.
    ShardedGroups groups;
    // Numbers of steps that parameters have gone, each with one that has.
    std::map<double, std::string> steps = {};
};

// Whether the directory itself has files of such a format, by their names.
bool is_sharded_checkpoint(base::FileSystem& fs, const Path& directory);

// Reads what the files say of themselves, no payload. Fails with bad_input when something is missing or does not fit, and
// with unsupported where a format is known and not read.
Result<ShardedCheckpoint> open_sharded_checkpoint(base::FileSystem& fs, const Path& directory);

// The files of the content, in its order.
Result<std::vector<std::shared_ptr<base::ReadableFile>>> open_files(base::FileSystem& fs, const Path& directory,
                                                                    const TorchDistIndex& content);

// Adds the parts of a tensor under another name. A tensor in one part, or in a flat vector, is added as an ordinary one.
void add_parts(TensorIndex& index, const TorchDistTensor& tensor, const Shared<std::string>& name,
               SharedPool<Shape>& shapes);

}  // namespace ckpt
