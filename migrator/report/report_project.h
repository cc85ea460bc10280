// ReportProject: how far a project supports the NPU, what says so, and how its first program is started there.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "base/message.h"
#include "base/record.h"

namespace migrator {

enum class ProjectState {
    unaware,   // A: it does not know the NPU
    supports,  // B: its programs take an NPU by themselves
    in_part,   // C: some do
    obsolete,  // D: they are made for an NPU stack that is out of use
    library,   // E: a library does it for all of them
};
std::string_view name(ProjectState state);  // "A"

enum class ProjectKind {
    none,         // it has to be migrated
    native,       // its first program runs as it is
    native_with,  // the same, told so
    partly,       // others have work left
    obsolete,     // it is made for an NPU stack that is out of use
    library,      // what a library does is enough
};
std::string_view name(ProjectKind kind);

// A place that says that the project takes an NPU by itself.
struct ProjectSign {
    base::Path path;  // as the report shows it
    std::uint64_t line = 0;
    std::uint64_t percent = 0;  // how sure it is by itself
    std::string place() const;  // "device.py:46"
};

// Of the first program.
struct ProjectStart {
    std::vector<std::string> install;      // as the project says: "pip install .[npu]", "docker/npu/Dockerfile"
    std::vector<std::string> environment;  // "BACKEND=hccl"
    std::vector<std::string> arguments;    // "--device npu", "scripts/train_npu.sh"
    std::vector<std::string> not_with;     // see ProgramOutcome
    std::vector<std::string> needs;        // see ProgramOutcome
};

struct ReportProject {
    ProjectState state = ProjectState::unaware;
    ProjectKind kind = ProjectKind::none;
    base::Message sentence;
    std::vector<ProjectSign> evidence;
    ProjectStart start;
};

constexpr auto record_of(const ProjectSign*) {
    using S = ProjectSign;
    return base::record("project_sign", "a place that says that the project takes an NPU by itself",
                        base::field("path", &S::path, "of the file").always(),
                        base::field("line", &S::line, "in it").always(),
                        base::field("certainty", &S::percent, "in per cent, by itself").always());
}

constexpr auto record_of(const ProjectStart*) {
    using S = ProjectStart;
    return base::record(
        "project_start", "how the first program is started on an NPU",
        base::field("install", &S::install, "how the project says that it is installed there: commands, and images")
            .always(),
        base::field("environment", &S::environment, "variables that ask it for the NPU").always(),
        base::field("arguments", &S::arguments, "arguments that ask it for the NPU, or the script that starts it there")
            .always(),
        base::field("not_with", &S::not_with, "see `not_with` of a program").always(),
        base::field("needs", &S::needs, "packages whose Ascend build it needs").always());
}

constexpr auto record_of(const ReportProject*) {
    using P = ReportProject;
    return base::record(
        "project", "how far the project supports the NPU",
        base::field("state", &P::state,
                    "`A`: it does not know the NPU; `B`: its programs take one by themselves; `C`: some do; `D`: they "
                    "are made for an NPU stack that is out of use; `E`: a library does it for all of them")
            .always(),
        base::field(
            "kind", &P::kind,
            "`native`: its first program runs as it is; `native_with`: the same, told so; `partly`: others have "
            "work left; `obsolete`: it is made for an NPU stack that is out of use; `library`: what a library does is "
            "enough; `none`: it has to be migrated")
            .always(),
        base::field("sentence", &P::sentence, "the same in words").always(),
        base::field("evidence", &P::evidence, "the surest sign of each file that has one").always(),
        base::field("start", &P::start, "how the first program is started there").always());
}

}  // namespace migrator

template <>
inline constexpr auto base::kAll<migrator::ProjectState> = [] {
    using enum migrator::ProjectState;
    return std::to_array({unaware, supports, in_part, obsolete, library});
}();
template <>
inline constexpr auto base::kAll<migrator::ProjectKind> = [] {
    using enum migrator::ProjectKind;
    return std::to_array({none, native, native_with, partly, obsolete, library});
}();
