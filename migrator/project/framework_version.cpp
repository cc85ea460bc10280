#include "migrator/project/framework_version.h"

#include <algorithm>
#include <set>

#include "base/format.h"
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
    if (type == FileType::dockerfile) return 5;
    return std::nullopt;
}

// "torch>=2.1", "torch 2.1"
std::string condition_of(const RequiredPackage& package) {
    const bool joined = !package.versions.empty() && !Version::parse(package.versions);
    return package.name + (joined ? "" : " ") + package.versions;
}

constexpr std::size_t kDirectoriesInNotes = 5;

class Finder {
public:
    Finder(base::FileSystem& fs, const RuleSet& rules) : fs_(fs), rules_(rules) {}

    // By the directory whose files it is for.
    std::map<Path, FrameworkVersion> in_project(const Project& project) const {
        std::vector<Path> files;
        std::set<Path> with_python{""};
        for (const FoundFile& file : project.files.files) {
            if (file.kind == base::FileKind::regular) files.push_back(file.path);
            if (!file.analysed || file.type != FileType::python || base::file_name(file.path) == "setup.py") continue;
            for (Path at = base::directory_below(file.path); with_python.insert(at).second;)
                at = base::directory_below(at);
        }
        std::map<Path, FrameworkVersion> out;
        for (const Path& path : sorted(std::move(files))) {
            Path directory = base::directory_below(path);
            while (!with_python.contains(directory)) directory = base::directory_below(directory);
            if (out.contains(directory) || (is_image(path) && is_named_above(out, directory))) continue;
            if (auto found = in_file(path, project.read(fs_, path))) out.emplace(directory, std::move(*found));
        }
        return out;
    }

    std::optional<FrameworkVersion> above(const Project& project) const {
        for (const Path& directory : base::directories_above(fs_, project.files.root)) {
            auto entries = fs_.list(directory);
            if (!entries) continue;
            std::vector<Path> files;
            for (const base::DirectoryEntry& entry : *entries) {
                if (entry.kind == base::FileKind::regular) files.push_back(entry.name);
            }
            for (const Path& path : sorted(std::move(files))) {
                const Path whole = base::join(directory, path);
                if (auto found = in_file(whole, base::read_file(fs_, whole, kMaxRequirementsBytes))) return found;
            }
        }
        return std::nullopt;
    }

private:
    // What an image has counts where nothing else says what is wanted.
    static bool is_image(const Path& path) { return file_type_of(path) == FileType::dockerfile; }

    static bool is_named_above(const std::map<Path, FrameworkVersion>& named, Path directory) {
        while (!directory.empty() && !named.contains(directory)) directory = base::directory_below(directory);
        return named.contains(directory);
    }

    // Of the files, those that say something of versions; near the root first.
    static std::vector<Path> sorted(std::vector<Path> files) {
        std::erase_if(files, [](const Path& path) { return !rank(path); });
        auto order = [](const Path& path) {
            return std::tuple(is_image(path), std::count(path.begin(), path.end(), '/'), *rank(path),
                              std::string_view(path));
        };
        std::sort(files.begin(), files.end(), [&](const Path& a, const Path& b) { return order(a) < order(b); });
        return files;
    }

    std::optional<FrameworkVersion> in_file(const Path& path, base::Result<std::string> bytes) const {
        if (!bytes) return std::nullopt;
        const SourceFile file = make_source_file(path, file_type_of(path), std::move(*bytes));
        if (file.problem) return std::nullopt;
        for (const RequiredPackage& package : required_packages(file, rules_)) {
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
        for (const Version& known : rules_.framework.versions) {
            if (range->contains(known) && (!best || *best < known)) best = known;
        }
        return best;
    }

    base::FileSystem& fs_;
    const RuleSet& rules_;
};

}  // namespace

const FrameworkVersion& FrameworkVersions::of(std::size_t project, const Path& file) const {
    const auto& directories = nearest[project];
    for (Path at = file; !at.empty() && !directories.empty();) {
        at = base::directory_below(at);
        if (const auto found = directories.find(at); found != directories.end()) return found->second;
    }
    return whole;
}

std::vector<base::Message> FrameworkVersions::notes(const std::string& package) const {
    std::vector<base::Message> out;
    for (const auto& directories : nearest) {
        for (const auto& [directory, version] : directories) {
            if (out.size() == kDirectoriesInNotes) {
                std::size_t all = 0;
                for (const auto& each : nearest) all += each.size();
                out.push_back(
                    {"{count} more directories ask for other versions of {package}; their files are migrated for "
                     "these.",
                     {{"count", std::to_string(all - out.size())}, {"package", package}}});
                return out;
            }
            out.push_back({"The files below {directory}/ for {package} {version}: {reason}.",
                           {{"directory", directory},
                            {"package", package},
                            {"version", version.version.text()},
                            {"reason", version.reason}}});
        }
    }
    return out;
}

FrameworkVersions framework_versions(base::FileSystem& fs, std::optional<Version> chosen, const RuleSet& rules,
                                     const std::vector<Project>& projects) {
    FrameworkVersions out;
    out.nearest.resize(projects.size());
    if (chosen) {
        out.whole = {*chosen, "the command line or the settings name it"};
        return out;
    }
    const Finder finder(fs, rules);
    std::optional<FrameworkVersion> whole;
    for (std::size_t i = 0; i < projects.size(); ++i) {
        out.nearest[i] = finder.in_project(projects[i]);
        const auto root = out.nearest[i].find("");
        const bool speaks_for_all = root != out.nearest[i].end() || out.nearest[i].size() == 1;
        if (speaks_for_all && !whole)
            whole = root != out.nearest[i].end() ? root->second : out.nearest[i].begin()->second;
    }
    for (std::size_t i = 0; i < projects.size() && !whole; ++i) whole = finder.above(projects[i]);
    out.whole = whole.value_or(FrameworkVersion{
        rules.framework.newest(), "nothing in the project asks for a version; this is the newest one known"});
    // Below a directory with another version, the one of all may be asked for again.
    for (auto& directories : out.nearest) {
        const bool all_alike = std::ranges::all_of(
            directories, [&](const auto& entry) { return entry.second.version == out.whole.version; });
        if (all_alike) directories.clear();
        else directories.erase("");
    }
    return out;
}

}  // namespace migrator
