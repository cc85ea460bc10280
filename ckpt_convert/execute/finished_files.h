// FinishedFiles: what a run notes of each file of its output that is complete, so that the next run of the same conversion can
// prove the file and need not write it again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"
#include "ckpt_convert/execute/manifest.h"
#include "ckpt_convert/tensor/cast.h"

namespace ckpt {

// A weight that the wanted element type cannot hold.
struct CastReport {
    std::string tensor;
    CastLosses losses;
};

struct FinishedFile {
    ManifestFile file;
    std::vector<CastReport> losses;  // of the tensors that have values in it
};

// One line of text and back, for the journal. Fails with bad_input.
std::string to_line(const FinishedFile& finished);
Result<FinishedFile> finished_of_line(const std::string& line, const Path& journal);

// Reads the whole file: a regular one of this size and checksum. `progress` is told of every byte.
Result<bool> is_whole(base::FileSystem& fs, const Path& directory, const ManifestFile& file,
                      const std::function<void(std::uint64_t bytes)>& progress);

// Removes every file below the directory that is none of `kept` (paths relative to it, sorted).
Status remove_others(base::FileSystem& fs, const Path& directory, const std::vector<std::string>& kept);

}  // namespace ckpt
