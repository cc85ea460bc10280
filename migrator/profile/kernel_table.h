// KernelTable: what the table of kernels of an NPU says, a few numbers for each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "migrator/profile/intervals.h"
#include "migrator/profile/packed_list.h"
#include "migrator/profile/profile_names.h"
#include "migrator/profile/profile_tables.h"
#include "migrator/profile/table_rows.h"
#include "migrator/profile/text_pool.h"
#include "migrator/profile/ticks.h"

namespace migrator {

struct TimedKernel {
    Ticks begin = 0, duration = 0;
    TextNumber name = kNoText, type = kNoText, shapes = kNoText;
    std::int64_t connection = 0;  // with its launch; 0: not told
    bool is_cube = false;
    bool on_ai_cpu = false, is_dynamic = false;  // as its core and its state say
    bool is_counted = false;                     // it has counters of its units, as the split of computing needs
    std::uint32_t fused = 0;  // number of its time in `fused_computing` + 1; 0: it does not communicate
};
using TimedKernels =
    PackedList<TimedKernel, &TimedKernel::begin, &TimedKernel::duration, &TimedKernel::name, &TimedKernel::type,
               &TimedKernel::shapes, &TimedKernel::connection, &TimedKernel::is_cube, &TimedKernel::is_counted,
               &TimedKernel::on_ai_cpu, &TimedKernel::is_dynamic, &TimedKernel::fused>;

// Times of kernels of one type and shape.
struct KernelTotals {
    double total = 0;  // microseconds
    Ticks longest = 0, shortest = 0;
    std::uint64_t calls = 0;

    void add(Ticks duration);
};

struct KernelTable {
    TimedKernels rows;
    TextPool texts;
    std::vector<double> fused_computing;  // microseconds that a kernel which communicates as well computes
    bool has_units = false;               // the file has counters of units at all
    bool is_there = false, has_shapes = false;
    std::vector<std::uint32_t> by_begin;  // numbers of rows, sorted; empty where the rows are
    // By type and shapes of the inputs, in the order in which the types, and the shapes of each, came first.
    std::vector<std::pair<std::string, std::vector<std::pair<std::string, KernelTotals>>>> by_type;
    std::uint64_t without_time = 0;
    KernelTotals on_ai_cpu;
    std::uint64_t with_state = 0, dynamic = 0;  // kernels that tell the state of their shapes
    std::string damage;                         // empty: the file is whole, or not there

    // The row of the kernel that begins then.
    std::optional<TimedKernel> at(Ticks begin) const;
    // After the last row.
    void order();
};

// What of the table is read.
struct KernelRequest {
    ProfileNumbers numbers = ProfileNumbers::ours;
    bool is_database = false;  // for msprof, which keeps what has no type then
    // Only kernels of this one; empty: all. For msprof that holds for the totals, but not for the rows.
    std::string step{};
    std::optional<Interval> step_time{};  // of a table that does not name steps
};

// `rows`: nullptr where there is no table.
base::Result<KernelTable> read_kernels(TableRows* rows, const KernelColumns& columns, const ProfileNames& names,
                                       const TimeOrigin& origin, const KernelRequest& request);

}  // namespace migrator
