// ProfileFiles: where the parts of one profile are.
#pragma once

#include "base/file_system.h"
#include "base/result.h"
#include "migrator/profile/profile_queries.h"

namespace migrator {

struct ProfileFiles {
    base::Path trace;                   // empty: there is only a database
    base::Path output;                  // the folder with the tables of Ascend's profiler; empty: a trace alone
    base::Path folder;                  // *_ascend_pt around it; empty: not given
    base::Path database{}, analysis{};  // of the profile, and sums of its rank; empty: there is none
};

// `path`: a trace, a database, a folder *_ascend_pt or *_ascend_ms, its ASCEND_PROFILER_OUTPUT, or a folder with one of these in it.
// Fails with bad_input where there is none, or several, and says what there is.
base::Result<ProfileFiles> find_profile(base::FileSystem& fs, const base::Path& path, const ProfileQueries& queries,
                                        bool needs_trace = true);

// The folders *_ascend_pt and *_ascend_ms below `path`, itself too.
base::Result<std::vector<base::Path>> find_rank_folders(base::FileSystem& fs, const base::Path& path,
                                                        const ProfileQueries& queries);

}  // namespace migrator
