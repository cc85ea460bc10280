#include "migrator/project/helper_module.h"

#include "base/format.h"

namespace migrator {

using base::ErrorKind;
using base::Path;

base::Result<HelperModule> HelperModule::load(const base::DataStore& store, const Style& style) {
    HelperModule out;
    if (style.kind != StyleKind::portable) return out;
    const std::string_view* source = store.find(style.helper_file);
    if (source == nullptr)
        return base::fail(ErrorKind::rule_data, "the source of the helper module is missing", style.helper_file);
    out.name_ = style.helper;
    out.source_ = *source;
    return out;
}

base::Status HelperModule::check(base::FileSystem& fs, const std::vector<Project>& projects) const {
    if (name_.empty()) return {};
    // The first line tells the module from another one, also when a later version wrote it.
    const std::string_view first_line = source_.substr(0, source_.find('\n'));
    for (const Project& project : projects) {
        for (const FoundFile& file : project.files.files) {
            if (base::file_name(file.path) != name_ + ".py") continue;
            auto bytes = base::read_file(fs, project.on_disk(file.path));
            if (bytes && bytes->starts_with(first_line)) continue;
            return base::fail(ErrorKind::usage,
                              base::format("the style portable adds a module \"{}\", but the project has one of that "
                                           "name; rename it, or use another --style",
                                           name_),
                              project.shown(file.path));
        }
    }
    return {};
}

std::string HelperModule::package_for(const Project& project, const Path& file) const {
    return name_.empty() ? std::string{} : project.imports.place_of_module(file).package;
}

bool HelperModule::is_needed(std::string_view original, std::string_view rewritten) const {
    return !name_.empty() && rewritten.find(name_) != rewritten.npos && original.find(name_) == original.npos;
}

Path HelperModule::path_for(const Project& project, const Path& file) const {
    return base::join(project.imports.place_of_module(file).directory, name_ + ".py");
}

}  // namespace migrator
