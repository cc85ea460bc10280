#include "migrator/app/missing_code.h"

#include <algorithm>

namespace migrator {
base::Message missing_code(const std::vector<Project>& projects) {
    // Who names a single file means it.
    const bool looks = std::ranges::all_of(projects, [](const Project& project) { return project.is_directory; });
    const bool has_code = std::ranges::any_of(projects, [](const Project& project) {
        return std::ranges::any_of(project.files.files, [](const FoundFile& file) { return is_code(file.type); });
    });
    if (looks && !has_code) return "There is no code here, only settings. Is this the directory of the project?";
    return {};
}

}  // namespace migrator
