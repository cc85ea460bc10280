#include "migrator/source/discovery.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "migrator/source/glob.h"

namespace migrator {
namespace {

using base::DirectoryEntry;
using base::FileKind;
using base::Path;

constexpr std::uint64_t kMaxIgnoreFileBytes = 4 << 20;
constexpr std::size_t kFirstLineBytes = 128;  // of a file whose name does not say what it is

// Never part of a project's sources, wherever they are: version control, caches, installed packages.
constexpr auto kSkippedNames = std::to_array<std::string_view>(
    {".eggs", ".git", ".hg", ".ipynb_checkpoints", ".migrator", ".mypy_cache", ".nox", ".pytest_cache", ".ruff_cache",
     ".svn", ".tox", ".venv", "__pycache__", "dist-packages", "node_modules", "site-packages"});

// Other people's code inside the project: mended where it comes from.
constexpr auto kVendorNames = std::to_array<std::string_view>({"_vendor", "_vendored", "vendor", "vendored"});
// What protocol compilers write; the next run of theirs would undo an edit.
constexpr auto kGeneratedEnds = std::to_array<std::string_view>({"_pb2.py", "_pb2_grpc.py", "_pb2.pyi"});

bool is_vendored(std::string_view path) {
    for (std::size_t slash = path.find('/'); slash != path.npos; slash = path.find('/')) {
        if (std::ranges::binary_search(kVendorNames, path.substr(0, slash))) return true;
        path.remove_prefix(slash + 1);
    }
    return false;
}

bool is_generated(std::string_view path) {
    return std::ranges::any_of(kGeneratedEnds, [&](std::string_view end) { return path.ends_with(end); });
}

bool has_entry(const std::vector<DirectoryEntry>& entries, std::string_view name) {
    return std::ranges::any_of(entries, [&](const DirectoryEntry& entry) { return entry.name == name; });
}

bool is_virtual_environment(const std::vector<DirectoryEntry>& entries) {
    return has_entry(entries, "pyvenv.cfg") || has_entry(entries, "conda-meta");
}

std::vector<PathPattern> parse_patterns(const std::vector<std::string>& patterns) {
    std::vector<PathPattern> out;
    for (const std::string& text : patterns) {
        if (auto pattern = PathPattern::parse(text)) out.push_back(std::move(*pattern));
    }
    return out;
}

bool any_matches(const std::vector<PathPattern>& patterns, std::string_view path) {
    return std::ranges::any_of(patterns,
                               [&](const PathPattern& pattern) { return pattern.matches_file_or_parent(path); });
}

// A directory that is still to be read, with the .gitignore files that rule it.
struct IgnoreScope {
    std::string directory;  // relative to the root; empty: the root, or above it
    std::string above;      // of a file above the root: the way from there to the root, "src/"
    IgnoreFile rules;
    std::shared_ptr<const IgnoreScope> outer;
};
using IgnoreScopePtr = std::shared_ptr<const IgnoreScope>;

// The innermost .gitignore that speaks of the path decides.
bool is_ignored(const IgnoreScopePtr& innermost, std::string_view path, bool is_directory) {
    for (const IgnoreScope* scope = innermost.get(); scope != nullptr; scope = scope->outer.get()) {
        const std::size_t prefix = scope->directory.empty() ? 0 : scope->directory.size() + 1;
        const std::string from_there = scope->above + std::string(path.substr(prefix));
        if (const auto decision = scope->rules.decide(from_there, is_directory)) return *decision;
    }
    return false;
}

class Walk {
public:
    Walk(base::FileSystem& fs, Path root, const DiscoveryOptions& options)
        : fs_(fs),
          options_(options),
          include_(parse_patterns(options.include)),
          exclude_(parse_patterns(options.exclude)) {
        list_.root = std::move(root);
    }

    FileList run() {
        pending_.push_back({"", ignore_files_above()});
        while (!pending_.empty()) {
            const Directory directory = std::move(pending_.back());
            pending_.pop_back();
            read(directory);
        }
        std::ranges::sort(list_.files, {}, &FoundFile::path);
        std::ranges::sort(list_.directories_skipped);
        std::ranges::sort(list_.unreadable, {}, &base::Error::where);
        return std::move(list_);
    }

    void add_file(const Path& relative, bool follow_link, const IgnoreScopePtr& ignore) {
        FoundFile file;
        file.path = relative;
        file.type = file_type_of(relative);
        const Path path = absolute(relative);
        auto info = follow_link ? fs_.info(path) : fs_.link_info(path);
        if (info) {
            file.kind = info->kind;
            file.bytes = info->bytes;
            file.mode = info->mode;
            file.modified = info->modified;
        } else {
            file.kind = FileKind::other;
            list_.unreadable.push_back(info.error());
        }
        const std::string reason = reason_to_skip(file, ignore);
        if (file.type == FileType::other && reason.empty() && base::file_name(relative).find('.') == relative.npos)
            file.type = type_by_first_line(path, file.bytes);
        if (file.type != FileType::other && reason.empty() && file.bytes > limit_of(file.type))
            file.limit = limit_of(file.type);
        file.analysed = file.type != FileType::other && reason.empty() && file.limit == 0;
        if (file.type != FileType::other) file.skipped_because = reason;
        list_.files.push_back(std::move(file));
    }

    FileList take() { return std::move(list_); }

private:
    struct Directory {
        Path relative;
        IgnoreScopePtr ignore;
    };

    Path absolute(const Path& relative) const {
        return relative.empty() ? list_.root : base::join(list_.root, relative);
    }

    FileType type_by_first_line(const Path& path, std::uint64_t bytes) {
        std::array<std::byte, kFirstLineBytes> first{};
        const std::size_t size = std::min<std::uint64_t>(bytes, first.size());
        auto opened = fs_.open(path);
        // What cannot be read is nobody's script.
        if (!opened || !(*opened)->read_at(0, {first.data(), size})) return FileType::other;
        const std::string_view text(reinterpret_cast<const char*>(first.data()), size);
        return file_type_of_script(text.substr(0, text.find_first_of("\r\n")));
    }

    // Those of the directories around the root, up to the one that is the repository; none outside of a repository.
    IgnoreScopePtr ignore_files_above() {
        const auto root = fs_.real_path(list_.root);
        if (!root) return nullptr;
        std::vector<Path> around{*root};
        while (!fs_.exists(base::join(around.back(), ".git"))) {
            Path parent = base::parent(around.back());
            if (parent == around.back() || parent == ".") return nullptr;
            around.push_back(std::move(parent));
        }
        IgnoreScopePtr out;
        for (std::size_t i = around.size() - 1; i > 0; --i) {
            const auto content = base::read_file(fs_, base::join(around[i], ".gitignore"), kMaxIgnoreFileBytes);
            if (!content) continue;
            const std::size_t shared = around[i].ends_with('/') ? around[i].size() : around[i].size() + 1;
            const std::string way = root->substr(shared) + "/";
            IgnoreFile rules = IgnoreFile::parse(*content);
            // What the user names is looked at, ignored or not.
            for (std::size_t end = way.find('/'); end != way.npos; end = way.find('/', end + 1)) {
                if (rules.decide(std::string_view(way).substr(0, end), true) == true) return nullptr;
            }
            out = std::make_shared<IgnoreScope>(IgnoreScope{"", way, std::move(rules), out});
        }
        return out;
    }

    void read(const Directory& directory) {
        const Path path = absolute(directory.relative);
        // Links are not followed, so only a file system mounted inside itself could lead in a circle.
        if (const auto info = fs_.link_info(path); info && !seen_.emplace(info->device, info->inode).second) return;
        const auto entries = fs_.list(path);
        if (!entries) {
            list_.unreadable.push_back(entries.error());
            return;
        }
        if (!directory.relative.empty() && is_virtual_environment(*entries)) {
            list_.directories_skipped.push_back(directory.relative);
            return;
        }
        const IgnoreScopePtr ignore = with_ignore_file(directory, *entries);
        for (const DirectoryEntry& entry : *entries) {
            const Path relative = directory.relative.empty() ? entry.name : base::join(directory.relative, entry.name);
            if (is_skipped_name(entry, directory, *entries)) {
                list_.directories_skipped.push_back(relative);
            } else if (entry.kind != FileKind::directory) {
                add_file(relative, false, ignore);
            } else if (is_ignored(ignore, relative, true)) {
                list_.directories_skipped.push_back(relative);
            } else {
                pending_.push_back({relative, ignore});
            }
        }
    }

    static bool is_skipped_name(const DirectoryEntry& entry, const Directory& directory,
                                const std::vector<DirectoryEntry>& siblings) {
        // The .git of a worktree or submodule is a file; a copy of it would speak for the original repository.
        if (entry.name == ".git") return true;
        if (entry.kind != FileKind::directory) return false;
        if (std::ranges::binary_search(kSkippedNames, entry.name) || entry.name.ends_with(".egg-info")) return true;
        // Elsewhere these are ordinary names of packages.
        return (entry.name == "build" || entry.name == "dist") &&
               (directory.relative.empty() || has_entry(siblings, "setup.py"));
    }

    IgnoreScopePtr with_ignore_file(const Directory& directory, const std::vector<DirectoryEntry>& entries) {
        const auto found = std::ranges::find(entries, ".gitignore", &DirectoryEntry::name);
        if (found == entries.end() || found->kind != FileKind::regular) return directory.ignore;
        const auto content =
            base::read_file(fs_, base::join(absolute(directory.relative), ".gitignore"), kMaxIgnoreFileBytes);
        if (!content) {
            list_.unreadable.push_back(content.error());
            return directory.ignore;
        }
        return std::make_shared<IgnoreScope>(
            IgnoreScope{directory.relative, "", IgnoreFile::parse(*content), directory.ignore});
    }

    std::string reason_to_skip(const FoundFile& file, const IgnoreScopePtr& ignore) const {
        if (file.kind == FileKind::symlink) return "a symbolic link; links are not followed";
        if (file.kind != FileKind::regular) return "not a regular file, or not readable";
        if (is_ignored(ignore, file.path, false)) return "excluded by .gitignore";
        const bool included = any_matches(include_, file.path);
        if (!include_.empty() && !included) return "not matched by --include";
        if (!included && is_vendored(file.path)) return "vendored; name it with --include to analyse it";
        if (!included && is_generated(file.path)) return "generated; name it with --include to analyse it";
        if (any_matches(exclude_, file.path)) return "excluded by --exclude";
        return {};
    }

    std::uint64_t limit_of(FileType type) const {
        const bool is_parsed = type == FileType::python || type == FileType::cython || type == FileType::notebook;
        return is_parsed ? options_.max_python_bytes : options_.max_file_bytes;
    }

    base::FileSystem& fs_;
    const DiscoveryOptions& options_;
    std::vector<PathPattern> include_;
    std::vector<PathPattern> exclude_;
    std::vector<Directory> pending_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;  // device and inode of directories
    FileList list_;
};

}  // namespace

base::Result<FileList> discover(base::FileSystem& fs, const Path& path, const DiscoveryOptions& options) {
    TRY_ASSIGN(const base::FileInfo info, fs.info(path));
    if (info.kind != FileKind::directory) {
        Walk walk(fs, base::parent(path), options);
        walk.add_file(Path(base::file_name(path)), true, nullptr);
        return walk.take();
    }
    // The user named this directory, so a failure to list it is no detail.
    TRY(fs.list(path));
    FileList list = Walk(fs, path, options).run();
    if (list.files.empty())
        return base::fail(base::ErrorKind::bad_input, "the directory has no file that can be analysed", path);
    return list;
}

}  // namespace migrator
