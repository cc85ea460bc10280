#include "migrator/app/framework_version.h"

#include <algorithm>
#include <functional>

#include "base/format.h"
#include "migrator/app/path_checks.h"
#include "migrator/match/required_packages.h"

namespace migrator {
namespace {

using base::Path;

constexpr std::uint64_t kMaxRequirementsBytes = 4 << 20;  // of a file that lists requirements

// Which of the files of one directory is asked first; nullopt for files that say nothing of versions.
std::optional<std::size_t> rank(std::string_view path) {
    const FileType type = file_type_of(path);
    const std::string_view name = base::file_name(path);
    if (type == FileType::requirements) return 0;
    if (name == "pyproject.toml") return 1;
    if (type == FileType::setup_cfg) return 2;
    if (name == "setup.py") return 3;
    if (type == FileType::yaml && name.starts_with("environment")) return 4;
    return std::nullopt;
}

// "torch>=2.1", "torch 2.1"
std::string condition_of(const RequiredPackage& package) {
    const bool joined = !package.versions.empty() && !Version::parse(package.versions);
    return package.name + (joined ? "" : " ") + package.versions;
}

class Finder {
public:
    Finder(base::FileSystem& fs, const RuleSet& rules) : fs_(fs), rules_(rules) {}

    std::optional<FrameworkVersion> in_project(const Project& project) const {
        std::vector<Path> files;
        for (const FoundFile& file : project.files.files) {
            if (file.kind == base::FileKind::regular) files.push_back(file.path);
        }
        return in_files(std::move(files), [&](const Path& path) { return project.read(fs_, path); });
    }

    std::optional<FrameworkVersion> above(const Project& project) const {
        for (const Path& directory : base::directories_above(fs_, project.files.root)) {
            auto entries = fs_.list(directory);
            if (!entries) continue;
            std::vector<Path> files;
            for (const base::DirectoryEntry& entry : *entries) {
                if (entry.kind == base::FileKind::regular) files.push_back(entry.name);
            }
            auto read = [&](const Path& path) {
                return base::read_file(fs_, base::join(directory, path), kMaxRequirementsBytes);
            };
            if (auto found = in_files(std::move(files), read)) return found;
        }
        return std::nullopt;
    }

private:
    using Reader = std::function<base::Result<std::string>(const Path&)>;

    std::optional<FrameworkVersion> in_files(std::vector<Path> files, const Reader& read) const {
        std::erase_if(files, [](const Path& path) { return !rank(path); });
        auto order = [](const Path& path) {
            return std::tuple(std::count(path.begin(), path.end(), '/'), *rank(path), std::string_view(path));
        };
        std::sort(files.begin(), files.end(), [&](const Path& a, const Path& b) { return order(a) < order(b); });
        for (const Path& path : files) {
            if (auto found = in_file(path, read(path))) return found;
        }
        return std::nullopt;
    }

    std::optional<FrameworkVersion> in_file(const Path& path, base::Result<std::string> bytes) const {
        if (!bytes) return std::nullopt;
        const SourceFile file = make_source_file(path, file_type_of(path), std::move(*bytes));
        if (file.problem) return std::nullopt;
        for (const RequiredPackage& package : required_packages(file)) {
            if (!rules_.is_framework(package.name)) continue;
            const auto version = allowed_by(package.versions);
            if (!version) continue;
            const auto line = base::LineIndex(file.text).position(package.place.begin).line;
            return FrameworkVersion{
                *version, base::Message("{place} asks for {packages}", {{"place", base::format("{}:{}", path, line)},
                                                                        {"packages", condition_of(package)}})};
        }
        return std::nullopt;
    }

    // The newest known version in the range; the one that is named, when none of the known ones is.
    std::optional<Version> allowed_by(const std::string& versions) const {
        const auto range = VersionRange::parse(versions);
        if (!range) return Version::parse(versions);
        if (range->empty()) return std::nullopt;
        std::optional<Version> best = range->exact();
        if (best) return best;
        for (const Version& known : rules_.framework().versions) {
            if (range->contains(known) && (!best || *best < known)) best = known;
        }
        return best;
    }

    base::FileSystem& fs_;
    const RuleSet& rules_;
};

}  // namespace

FrameworkVersion framework_version(base::FileSystem& fs, const Options& options, const RuleSet& rules,
                                   const std::vector<Project>& projects) {
    if (options.torch_version) return {*options.torch_version, "the command line or the settings name it"};
    const Finder finder(fs, rules);
    for (const Project& project : projects) {
        if (auto found = finder.in_project(project)) return std::move(*found);
    }
    for (const Project& project : projects) {
        if (auto found = finder.above(project)) return std::move(*found);
    }
    return {rules.framework().newest(), "nothing in the project asks for a version; this is the newest one known"};
}

}  // namespace migrator
