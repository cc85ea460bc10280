// What is said of the programs of a project, in memory.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/memory_file_system.h"
#include "tests/unit/migrator/app/pipeline_support.h"

namespace test {

inline const migrator::ProgramOutcome& program(const migrator::Report& report, std::string_view name) {
    const auto found = std::ranges::find(report.programs, name, &migrator::ProgramOutcome::name);
    REQUIRE(found != report.programs.end());
    return *found;
}

inline migrator::Report analysed(MemoryFileSystem& fs, const std::vector<std::string>& programs = {},
                                 bool is_whole = false) {
    migrator::Options options = options_for(migrator::Command::analyze, "in");
    options.programs = programs;
    options.is_whole = is_whole;
    auto result = migrator::run(options, fs);
    REQUIRE(result);
    return std::move(result->report);
}

// Of the findings of a file, in their order.
inline std::vector<migrator::Reach> reach_of(const migrator::Report& report, std::string_view path) {
    std::vector<migrator::Reach> out;
    for (const migrator::ReportFile& file : report.files) {
        if (file.path != path) continue;
        for (const migrator::ReportFinding& item : file.findings) out.push_back(item.reach);
    }
    return out;
}

}  // namespace test
