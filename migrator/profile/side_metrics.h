// SideMetrics: where the time of one profile went, as a whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/message.h"
#include "migrator/profile/computing_split.h"
#include "migrator/profile/intervals.h"
#include "migrator/profile/kernel_table.h"
#include "migrator/profile/profile_source.h"

namespace migrator {

// Communication of one group of ranks that nothing else runs beside.
struct GroupTime {
    std::string thread;         // "Group 10.0.0.1%eth0_60000_0 Communication"
    std::string process_group;  // "dp"; empty: not known
    std::optional<Ticks> wait;  // for other ranks; nothing: no task says it
    Ticks all = 0;

    Ticks transmit() const { return all - wait.value_or(0); }
};

struct GroupOverlap {
    std::string one, other;  // threads
    Ticks time = 0;
};

struct SideMetrics {
    TraceKind kind = TraceKind::gpu;
    ProfileNumbers numbers = ProfileNumbers::ours;
    bool hides_kernels = false;  // there are no kernels with counters of units: computing has no split
    Ticks computing = 0, uncovered = 0, whole = 0;
    ComputingSplit split;
    double memory_gib = 0;
    double rdma_bandwidth = 0, sdma_bandwidth = 0;  // GB/s
    std::optional<Ticks> wait;                      // of all groups
    std::vector<GroupTime> groups;
    std::vector<GroupOverlap> overlaps;
    std::vector<base::Message> notes;  // what bears on the figures
    std::vector<std::string> damage;   // tables that cannot be read, or not to their end

    Ticks free() const { return whole - computing - split[ComputingPart::lccl].time - uncovered; }
    // Of computing, what no part has.
    Ticks other() const;
    // As msprof tells it in the terminal: without the time of copies, and nothing for a GPU.
    Ticks told_other() const;
    // Where pairs_in_touch finds too much.
    void note_many_groups();
};

// Fails with bad_input where nothing ran on the device.
base::Result<SideMetrics> measure_gpu(const TraceRecords& trace, const ProfileNames& names, ProfileNumbers numbers);

// As msprof-analyze counts a database, by rules that are not those for text.
SideMetrics measure_database(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names);

// `kernels`: of the same profile. What other tables say comes from add_tables.
SideMetrics measure_npu(const TraceRecords& trace, const KernelTable& kernels, const ProfileNames& names,
                        ProfileNumbers numbers);

// The peak of memory, the bandwidth of links and the names of groups. A table that is missing or broken is a note.
base::Status add_tables(const ProfileSource& source, const ProfileTables& tables, ProfileNumbers numbers,
                        SideMetrics& out);

}  // namespace migrator
