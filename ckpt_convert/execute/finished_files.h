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
constexpr auto record_of(const CastReport*) {
    using base::field;
    return base::record(
        "cast", "what a weight lost", field("tensor", &CastReport::tensor, "its name").always(),
        field(
            "overflowed", [](auto& of) -> auto& { return of.losses.overflowed; }, "values that became infinite")
            .always(),
        field(
            "underflowed", [](auto& of) -> auto& { return of.losses.underflowed; }, "values that became 0")
            .always());
}

struct FinishedFile {
    ManifestFile file;
    std::vector<CastReport> losses;  // of the tensors that have values in it

    Status check(const base::JsonPlace& at) const;
};
constexpr auto record_of(const FinishedFile*) {
    using base::field;
    return base::record("finished", "a file that is complete", field("file", &FinishedFile::file, "the file").always(),
                        field("losses", &FinishedFile::losses, "of its tensors").always());
}

// One line of text and back, for the journal. Fails with bad_input.
std::string to_line(const FinishedFile& finished);
Result<FinishedFile> finished_of_line(const std::string& line, const Path& journal);

// Reads the whole file: a regular one of this size and checksum. `progress` is told of every byte.
Result<bool> is_whole(base::FileSystem& fs, const Path& directory, const ManifestFile& file,
                      const std::function<void(std::uint64_t bytes)>& progress);

// Removes every file below the directory that is none of `kept` (paths relative to it, sorted).
Status remove_others(base::FileSystem& fs, const Path& directory, const std::vector<std::string>& kept);

}  // namespace ckpt
