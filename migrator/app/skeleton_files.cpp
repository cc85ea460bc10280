#include "migrator/app/skeleton_files.h"

#include "base/format.h"
#include "migrator/project/skeletons.h"

namespace migrator {

base::Result<std::optional<base::FileSet>> staged_skeletons(base::FileSystem& fs, const Options& options,
                                                            const Knowledge& knowledge,
                                                            const std::vector<ProjectOperator>& operators,
                                                            std::vector<base::Message>& notes) {
    if (options.skeleton.empty()) return std::optional<base::FileSet>();
    if (operators.empty()) {
        notes.emplace_back("No skeletons were written: the C++ sources offer no operators to Python.");
        return std::optional<base::FileSet>();
    }
    const base::Path directory = base::normal_path(options.skeleton);
    TRY_ASSIGN(auto files, base::FileSet::begin(fs, directory, base::FileSet::Place::empty));
    for (const SkeletonFile& file : skeleton_package(operators, knowledge.rules, knowledge.store,
                                                     base::file_name(directory), base::joined(options.paths, ", ")))
        TRY(files.add(file.name, file.text));
    notes.push_back({"Skeletons of {count} custom operators were written to {directory}: start with its README.md.",
                     {{"count", std::to_string(operators.size())}, {"directory", directory}}});
    return std::optional(std::move(files));
}

}  // namespace migrator
