// SourceGuard: notices that somebody wrote to the files of a checkpoint while they were read.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/checkpoint/tensor_index.h"

namespace ckpt {

class SourceGuard {
public:
    // Notes size, time and identity of each file. Fails as check() does when one has changed since it was opened.
    static Result<SourceGuard> of(base::FileSystem& fs, const TensorIndex& index);

    // Digits that are others when a file is another or was written to.
    std::string state() const;
    // Fails with bad_input when a file is not what it was.
    Status check() const;

private:
    explicit SourceGuard(base::FileSystem& fs) : fs_(&fs) {}

    base::FileSystem* fs_;
    std::vector<std::pair<Path, base::FileInfo>> files_;
};

}  // namespace ckpt
