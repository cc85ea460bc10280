#include "migrator/app/skeleton_files.h"

#include "base/format.h"
#include "base/new_directories.h"
#include "base/write_file.h"
#include "migrator/project/skeletons.h"

namespace migrator {

base::Status write_skeletons(base::FileSystem& fs, const Options& options, const Knowledge& knowledge,
                             const std::vector<ProjectOperator>& operators, std::vector<base::Message>& notes) {
    if (options.skeleton.empty()) return {};
    if (operators.empty()) {
        notes.emplace_back("No skeletons were written: the C++ sources offer no operators to Python.");
        return {};
    }
    const base::Path directory = base::normal_path(options.skeleton);
    TRY_ASSIGN(auto made, base::NewDirectories::make(fs, directory));
    for (const SkeletonFile& file : skeleton_package(operators, knowledge.rules, knowledge.store,
                                                     base::file_name(directory), base::joined(options.paths, ", "))) {
        TRY(base::write_file(fs, base::join(directory, file.name), file.text));
        made.keep();
    }
    notes.push_back({"Skeletons of {count} custom operators were written to {directory}: start with its README.md.",
                     {{"count", std::to_string(operators.size())}, {"directory", directory}}});
    return {};
}

}  // namespace migrator
