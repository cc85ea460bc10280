// Rows of the report: how much of what a project uses is supported, by version of the framework and by chip.
#pragma once

#include <cstdint>
#include <string>

#include "base/record.h"

namespace migrator {

// How a version of the framework supports the interfaces that the project uses, each counted once.
struct ApiCoverageRow {
    std::string version;
    std::uint64_t supported = 0;
    std::uint64_t limited = 0;
    std::uint64_t unsupported = 0;
    std::uint64_t not_listed = 0;  // the pages of this version do not have them
    bool chosen = false;           // the version that the findings are for
};

// What a chip does with the operators behind the interfaces that the project uses, each interface counted once.
struct ChipCoverageRow {
    std::string chip;
    std::string product;
    std::uint64_t on_npu = 0;
    std::uint64_t recompiled = 0;  // on it too, but with a kernel that is compiled again for each new shape
    std::uint64_t on_cpu = 0;
    std::uint64_t refused = 0;
    std::uint64_t unknown = 0;
};

constexpr auto record_of(const ApiCoverageRow*) {
    using A = ApiCoverageRow;
    return base::record(
        "coverage", "how a version of PyTorch supports the interfaces that the project uses",
        base::field("version", &A::version, "of PyTorch").always(),
        base::field("supported", &A::supported, "how many the NPU supports wholly").always(),
        base::field("limited", &A::limited, "within limits").always(),
        base::field("unsupported", &A::unsupported, "not").always(),
        base::field("not_listed", &A::not_listed, "how many the support tables do not have for this version").always(),
        base::field("chosen", &A::chosen, "whether the findings are for this version").always());
}

constexpr auto record_of(const ChipCoverageRow*) {
    using C = ChipCoverageRow;
    return base::record(
        "chip_coverage",
        "where a chip runs the operators of the interfaces that the project uses, forward and backward",
        base::field("chip", &C::chip, "as `migrator ops --chip` takes it").always(),
        base::field("product", &C::product, "as people call it").always(),
        base::field("on_npu", &C::on_npu, "how many run in compiled kernels, or need none").always(),
        base::field("recompiled", &C::recompiled, "in a kernel that is compiled again for each new shape").always(),
        base::field("on_cpu", &C::on_cpu, "on the CPU, with copies there and back").always(),
        base::field("refused", &C::refused, "nowhere: they raise an error").always(),
        base::field("unknown", &C::unknown, "of how many no source says").always());
}

}  // namespace migrator
