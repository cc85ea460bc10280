// What tensor parallel ranks of a DeepSpeed run have, as one checkpoint.
#pragma once

#include <vector>

#include "ckpt_convert/checkpoint/zero_files.h"

namespace ckpt {

// `slices`: by tensor parallel rank; a single one is returned as it is. `model`: a file of the first rank's model, which says how the
// slices make up the parameters. Fails with bad_input when the slices do not fit together, with unsupported where nothing says how they do.
Result<ShardedCheckpoint> joined_slices(base::FileSystem& fs, ZeroFiles& files, std::vector<ShardedCheckpoint> slices,
                                        const OpenedFile& model);

}  // namespace ckpt
