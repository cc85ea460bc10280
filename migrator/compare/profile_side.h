// ProfileSide: one of the profiles that are compared, read and measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "migrator/profile/side_metrics.h"

namespace migrator {

struct SideRequest {
    base::Path path;
    ProfileNumbers numbers = ProfileNumbers::ours;
    KeptParts kept{};
    std::optional<std::uint64_t> step{};  // only what is of this step
    std::string flow_category{};          // of a GPU: the only arrows to kernels; empty: those that are known
};

struct ProfileSide {
    base::Path path;
    ProfileSource source;
    ProfileNames names;
    ProfileTables tables;
    TraceRecords trace;
    KernelTable kernels;  // of an NPU
    SideMetrics metrics;
    std::optional<std::uint64_t> step;
    std::optional<Interval> step_time;

    // Of its files, which a run must not end without.
    std::vector<std::string> damage() const;
    // Of the trace only what is said of it as a whole stays.
    void drop_records();
};

// Fails with bad_input where the profile is missing or none, with usage where there is no such step.
base::Result<ProfileSide> read_side(base::FileSystem& fs, const base::DataStore& store, const SideRequest& request);

}  // namespace migrator
