// ProfileTables: how the tables of Ascend's profiler and their columns are called (rules/profiles/tables.json).
#pragma once

#include <string>
#include <vector>

#include "base/rule_file.h"

namespace migrator {

using ColumnNames = std::vector<std::string>;  // of one column, in different releases

struct TableFiles {
    std::string kernels, memory, operator_memory, communication, statistic, steps, metadata, links, device;
};
constexpr auto record_of(const TableFiles*) {
    using T = TableFiles;
    return base::record("table_files", "names of files", base::field("kernels", &T::kernels, "each kernel").needed(),
                        base::field("memory", &T::memory, "the curve of memory").needed(),
                        base::field("operator_memory", &T::operator_memory, "each allocation").needed(),
                        base::field("communication", &T::communication, "each collective").needed(),
                        base::field("statistic", &T::statistic, "kernels by type").needed(),
                        base::field("steps", &T::steps, "the split of each step").needed(),
                        base::field("metadata", &T::metadata, "groups and variables").needed(),
                        base::field("links", &T::links, "each link").needed(),
                        base::field("device", &T::device, "how its name begins: cores and clocks").needed());
}

struct KernelColumns {
    ColumnNames step, name, type, core, begin, duration, stream, shapes, state, dtypes, task, connection;
    ColumnNames vector, cube, cube_also, core_time, core_cube, core_load, vector_core;
    ColumnNames blocks, mixed_blocks, formats, output_shapes, output_dtypes;
};
constexpr auto record_of(const KernelColumns*) {
    using K = KernelColumns;
    return base::record("kernel_columns", "columns of the table of kernels",
                        base::field("step", &K::step, "number of the step").needed(),
                        base::field("name", &K::name, "of the kernel").needed(),
                        base::field("type", &K::type, "of the operator").needed(),
                        base::field("core", &K::core, "where it ran").needed(),
                        base::field("begin", &K::begin, "when it began").needed(),
                        base::field("duration", &K::duration, "how long it took").needed(),
                        base::field("stream", &K::stream, "number of the stream").needed(),
                        base::field("shapes", &K::shapes, "of inputs").needed(),
                        base::field("state", &K::state, "static or dynamic").needed(),
                        base::field("dtypes", &K::dtypes, "of inputs").needed(),
                        base::field("task", &K::task, "number of the task").needed(),
                        base::field("connection", &K::connection, "with its launch, in a database").needed(),
                        base::field("vector", &K::vector, "time of the vector unit").needed(),
                        base::field("cube", &K::cube, "time of the cube unit, as msprof-analyze looks for it").needed(),
                        base::field("cube_also", &K::cube_also, "the same, in all releases").needed(),
                        base::field("core_time", &K::core_time, "time of AI cores").needed(),
                        base::field("core_cube", &K::core_cube, "time of their cube unit").needed(),
                        base::field("core_load", &K::core_load, "time of their loads").needed(),
                        base::field("vector_core", &K::vector_core, "time of vector cores").needed(),
                        base::field("blocks", &K::blocks, "how many blocks it is divided into").needed(),
                        base::field("mixed_blocks", &K::mixed_blocks, "those of the other cores").needed(),
                        base::field("formats", &K::formats, "of inputs").needed(),
                        base::field("output_shapes", &K::output_shapes, "of outputs").needed(),
                        base::field("output_dtypes", &K::output_dtypes, "of outputs").needed());
}

struct MemoryColumns {
    ColumnNames reserved;
};
constexpr auto record_of(const MemoryColumns*) {
    return base::record("memory_columns", "columns of the curve of memory",
                        base::field("reserved", &MemoryColumns::reserved, "all that is reserved, in MB").needed());
}

struct AllocationColumns {
    ColumnNames name, size, allocated, released;
};
constexpr auto record_of(const AllocationColumns*) {
    using A = AllocationColumns;
    return base::record("allocation_columns", "columns of the table of allocations",
                        base::field("name", &A::name, "of the operator").needed(),
                        base::field("size", &A::size, "in KB").needed(),
                        base::field("allocated", &A::allocated, "when").needed(),
                        base::field("released", &A::released, "when, where it was").needed());
}

struct StatisticColumns {
    ColumnNames type, core, count, total, shortest, average, longest;
};
constexpr auto record_of(const StatisticColumns*) {
    using S = StatisticColumns;
    return base::record(
        "statistic_columns", "columns of the table of types of kernels",
        base::field("type", &S::type, "of the operator").needed(),
        base::field("core", &S::core, "where it ran").needed(), base::field("count", &S::count, "how many").needed(),
        base::field("total", &S::total, "time").needed(), base::field("shortest", &S::shortest, "time").needed(),
        base::field("average", &S::average, "time").needed(), base::field("longest", &S::longest, "time").needed());
}

struct StepColumns {
    ColumnNames step, computing, uncovered, free, stage, bubble;
};
constexpr auto record_of(const StepColumns*) {
    using S = StepColumns;
    return base::record("step_columns", "columns of the table of steps",
                        base::field("step", &S::step, "number").needed(),
                        base::field("computing", &S::computing, "time").needed(),
                        base::field("uncovered", &S::uncovered, "communication alone").needed(),
                        base::field("free", &S::free, "nothing runs").needed(),
                        base::field("stage", &S::stage, "the step without what it receives").needed(),
                        base::field("bubble", &S::bubble, "it waits for another stage").needed());
}

struct ProfileTables : base::RuleFileHead {
    TableFiles files;
    KernelColumns kernels;
    MemoryColumns memory;
    AllocationColumns operator_memory;
    StatisticColumns statistic;
    StepColumns steps;
};
constexpr auto record_of(const ProfileTables*) {
    using P = ProfileTables;
    return base::extended(
        base::record_for<base::RuleFileHead>(), "profile_tables", "tables of a profile",
        base::field("files", &P::files, "their files").needed(),
        base::field("kernels", &P::kernels, "columns of the table of kernels").needed(),
        base::field("memory", &P::memory, "columns of the curve of memory").needed(),
        base::field("operator_memory", &P::operator_memory, "columns of the table of allocations").needed(),
        base::field("statistic", &P::statistic, "columns of the table of types of kernels").needed(),
        base::field("steps", &P::steps, "columns of the table of steps").needed());
}

}  // namespace migrator
