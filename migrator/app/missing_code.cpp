#include "migrator/app/missing_code.h"

#include <algorithm>
#include <array>

namespace migrator {
namespace {

// Everything else is written by a person who moves it to the NPU.
bool is_code(FileType type) {
    using enum FileType;
    constexpr std::array kNoCode{requirements, yaml, json, toml, setup_cfg, ini, protobuf, compiled, other};
    return std::ranges::find(kNoCode, type) == kNoCode.end();
}

template <class IsWanted>
bool has_file(const std::vector<Project>& projects, const IsWanted& is_wanted) {
    return std::ranges::any_of(projects, [&](const Project& project) {
        return std::ranges::any_of(project.files.files, [&](const FoundFile& file) { return is_wanted(file.type); });
    });
}

}  // namespace

base::Message missing_code(const std::vector<Project>& projects) {
    if (!has_file(projects, [](FileType type) { return type != FileType::other; }))
        return "No file of a kind that can be analysed was found: Python, notebooks, shell, CUDA, requirements, "
               "settings.";
    // Who names a single file means it.
    const bool looks = std::ranges::all_of(projects, [](const Project& project) { return project.is_directory; });
    if (looks && !has_file(projects, is_code))
        return "There is no code here, only settings. Is this the directory of the project?";
    return {};
}

}  // namespace migrator
