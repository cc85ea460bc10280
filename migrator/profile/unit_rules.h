// UnitRules: when a unit of a core is what limits a kernel, and which columns say so (rules/profiles/units.json).
#pragma once

#include <string>
#include <vector>

#include "base/rule_file.h"
#include "migrator/profile/profile_tables.h"

namespace migrator {

// A unit of a core. Where several columns are there, the largest holds.
struct UnitRatio {
    std::string unit;
    ColumnNames columns;
};
constexpr auto record_of(const UnitRatio*) {
    return base::record("unit_ratio", "a unit of a core",
                        base::field("unit", &UnitRatio::unit, "its name here").needed(),
                        base::field("columns", &UnitRatio::columns, "its share of a kernel's time").needed());
}

// Some of the units are as busy as that: one of them, or all together.
struct UnitBound {
    std::vector<std::string> units;
    double at_least = 0;
    bool together = false;
};
constexpr auto record_of(const UnitBound*) {
    using B = UnitBound;
    return base::record("unit_bound", "what limits a kernel",
                        base::field("units", &B::units, "names of units").needed(),
                        base::field("at_least", &B::at_least, "share of the kernel's time").needed(),
                        base::field("together", &B::together, "the sum of all, not the largest"));
}

// Kernels that are judged alike. Their figures are ID_kernels, ID_unbound, ID_unbound_share and ID_uneven.
struct UnitKind {
    std::string id;
    std::vector<std::string> types, but, cores;  // small letters; parts of types, whole names of cores; none: any
    bool is_static = false;
    double least_us = 0, least_mb = 0, least_share = 0, least_type_us = 0;
    std::vector<UnitBound> bound;
    std::int64_t multiple = 0;
    bool is_attention = false;
};
constexpr auto record_of(const UnitKind*) {
    using K = UnitKind;
    return base::record(
        "unit_kind", "kernels that are judged alike", base::field("id", &K::id, "how its figures begin").needed(),
        base::field("types", &K::types, "parts of the types of its kernels"),
        base::field("but", &K::but, "parts of types that it does not have"),
        base::field("cores", &K::cores, "the cores that they run on"),
        base::field("static", &K::is_static, "only of static shapes"),
        base::field("least_us", &K::least_us, "only from this length on"),
        base::field("least_mb", &K::least_mb, "only from this size of inputs and outputs on"),
        base::field("least_share", &K::least_share, "only types that take this share of the time of kernels"),
        base::field("least_type_us", &K::least_type_us, "or as long as this"),
        base::field("bound", &K::bound, "one of them: the kernel does what its units can").needed(),
        base::field("multiple", &K::multiple, "of what the inner axes should be multiples"),
        base::field("attention", &K::is_attention, "these axes are the head's size and the length of the sequence"));
}

struct DtypeBytes {
    std::string dtype;
    double bytes = 0;
};
constexpr auto record_of(const DtypeBytes*) {
    return base::record("dtype_bytes", "size of an element", base::field("dtype", &DtypeBytes::dtype, "name").needed(),
                        base::field("bytes", &DtypeBytes::bytes, "size").needed());
}

struct UnitRules : base::RuleFileHead {
    std::vector<UnitRatio> units;
    std::vector<UnitKind> kinds;
    std::vector<DtypeBytes> dtypes;
    std::vector<std::string> wide_dtypes, blocked_formats, whole_core_kinds, vector_core_kinds;
};
constexpr auto record_of(const UnitRules*) {
    using U = UnitRules;
    return base::extended(
        base::record_for<base::RuleFileHead>(), "unit_rules", "units of cores",
        base::field("units", &U::units, "their columns").needed(),
        base::field("kinds", &U::kinds, "kinds of kernels").needed(),
        base::field("dtypes", &U::dtypes, "sizes of elements").needed(),
        base::field("wide_dtypes", &U::wide_dtypes, "dtypes that AI cores do not compute with").needed(),
        base::field("blocked_formats", &U::blocked_formats, "formats whose inner axes are padded").needed(),
        base::field("whole_core_kinds", &U::whole_core_kinds, "cores whose blocks are counted by AI cores").needed(),
        base::field("vector_core_kinds", &U::vector_core_kinds, "cores whose blocks are counted by vector cores")
            .needed());
}

}  // namespace migrator
