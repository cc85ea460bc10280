#include "migrator/report/report_project.h"

#include "base/check.h"
#include "base/format.h"

namespace migrator {

std::string_view name(ProjectState state) {
    switch (state) {
        case ProjectState::unaware: return "A";
        case ProjectState::supports: return "B";
        case ProjectState::in_part: return "C";
        case ProjectState::obsolete: return "D";
        case ProjectState::library: return "E";
    }
    CHECK(false);
    return {};
}

std::string_view name(ProjectKind kind) {
    switch (kind) {
        case ProjectKind::none: return "none";
        case ProjectKind::native: return "native";
        case ProjectKind::native_with: return "native_with";
        case ProjectKind::partly: return "partly";
        case ProjectKind::obsolete: return "obsolete";
        case ProjectKind::library: return "library";
    }
    CHECK(false);
    return {};
}

std::string ProjectSign::place() const { return base::format("{}:{}", path, line); }

}  // namespace migrator
