#include "migrator/project/program_names.h"

#include <algorithm>

namespace migrator {
namespace {

using base::Path;

// Where more files than this have the name, the end of the path does not say which of them the command means.
constexpr std::size_t kMaxSameName = 64;

}  // namespace

ProgramNames::ProgramNames(const FileList& files) {
    for (const FoundFile& file : files.files) {
        if (file.analysed && file.type == FileType::python)
            by_name_[std::string(base::file_name(file.path))].push_back(file.path);
    }
}

std::optional<Path> ProgramNames::find(StartedProgram& started, const Path& text) const {
    std::optional<Path> program = find(started.program, text);
    if (program || !started.is_module) return program;
    started.program.replace(started.program.rfind('.'), std::string::npos, "/__main__.py");
    return find(started.program, text);
}

bool ProgramNames::contains(const Path& file) const {
    const auto files = by_name_.find(std::string(base::file_name(file)));
    return files != by_name_.end() && std::ranges::binary_search(files->second, file);
}

std::optional<Path> ProgramNames::find(const Path& named, const Path& text) const {
    const auto files = by_name_.find(std::string(base::file_name(named)));
    if (files == by_name_.end()) return std::nullopt;
    for (const Path& wanted : {base::normal_path(base::join(base::directory_below(text), named)), named}) {
        if (std::ranges::binary_search(files->second, wanted)) return wanted;
    }
    if (files->second.size() > kMaxSameName) return std::nullopt;
    for (const Path& file : files->second) {
        if (file.ends_with("/" + named)) return file;
    }
    return std::nullopt;
}

}  // namespace migrator
