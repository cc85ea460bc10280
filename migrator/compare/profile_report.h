// ProfileReport: one profile, or the ranks of a cluster: where the time goes, and what to do about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/language.h"
#include "migrator/compare/profile_side.h"
#include "migrator/compare/sheet.h"
#include "migrator/profile/advice.h"
#include "migrator/profile/cluster.h"

namespace migrator {

// One rank of a cluster with all that its trace tells.
struct CloseLook {
    std::string rank;
    ProfileFigures figures;
    std::vector<Advice> advice;
};

struct ProfileReport {
    base::Path path;
    std::optional<ProfileSide> side;  // of one profile
    std::optional<Cluster> cluster;   // of several ranks
    ProfileFigures figures;
    std::vector<Advice> advice;
    std::optional<CloseLook> close;  // of a cluster, where a trace is there

    // Of files that were read as far as they are whole.
    std::vector<std::string> damage() const;
    std::string text(const base::Language& say) const;
    std::string json() const;
    std::vector<Sheet> sheets() const;
};

// `path`: as find_profile takes it, or a folder with those of several ranks below it. Fails as read_side and read_cluster do.
base::Result<ProfileReport> report_profile(base::FileSystem& fs, const base::DataStore& store, const base::Path& path,
                                           std::optional<std::uint64_t> step);

}  // namespace migrator
