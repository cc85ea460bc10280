// Known sums: the checksums of a checkpoint's files that somebody has left with it.
//
//   conversion_manifest.json                            our own, of every file of an output
//   .cache/huggingface/download/FILE.metadata           of huggingface_hub: revision, etag, time, one per line
//   FILE -> ../../blobs/ETAG                            of huggingface_hub's cache
//   .git/index                                          of a clone
//
// An etag of 64 digits is the SHA-256 of a Git LFS file, one of 40 the SHA-1 that git gives any other file
// (https://github.com/huggingface/huggingface_hub/blob/main/src/huggingface_hub/_local_folder.py). ModelScope leaves .msc and
// .mv, which hold paths and revisions but no checksums
// (https://github.com/modelscope/modelscope/blob/master/modelscope/hub/utils/caching.py).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ckpt_convert/base_names.h"

namespace ckpt {

enum class SumKind { crc32, sha256, git_blob, git_blob_or_lfs };

struct KnownSum {
    SumKind kind = SumKind::crc32;
    std::string digits;        // lower-case hexadecimal
    std::string record;        // who says so, for messages
    std::int64_t written = 0;  // when, in nanoseconds since 1970: a file that is younger was changed since
    std::optional<std::uint64_t> bytes;
};

struct KnownSums {
    std::map<Path, std::vector<KnownSum>> files;  // by FileSystem::real_path; the surest record first
    std::vector<std::string> missing;             // files that the manifest lists and that are not there
};

// `directory`: a checkpoint, or the directory of an iteration in one. `weights`: where its weights are; other folders of the
// manifest are other iterations. Fails with bad_input when the manifest is damaged.
Result<KnownSums> find_known_sums(base::FileSystem& fs, const Path& directory, const Path& weights);

}  // namespace ckpt
