#include "migrator/source/walk.h"

#include <algorithm>
#include <array>

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

// Those of packages: outside an environment they are the project's own, or what it was shipped with.
constexpr auto kPackageNames = std::to_array<std::string_view>({"dist-packages", "site-packages"});

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

bool is_skipped_name(std::string_view name) {
    return std::ranges::binary_search(kSkippedNames, name) || name.ends_with(".egg-info");
}

bool is_packages_name(std::string_view name) { return std::ranges::binary_search(kPackageNames, name); }

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

}  // namespace

// A directory's .gitignore, and those of the directories around it.
struct IgnoreScope {
    std::string directory;  // relative to the root; empty: the root, or above it
    std::string above;      // of a file above the root: the way from there to the root, "src/"
    IgnoreFile rules;
    std::shared_ptr<const IgnoreScope> outer;
};

namespace {

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

// Everywhere the same, and git tracks none of it, or it speaks for this project alone.
bool is_never_in(std::string_view name) { return name == ".git" || name == ".migrator"; }

}  // namespace

Walk::Walk(base::FileSystem& fs, Path root, const DiscoveryOptions& options)
    : fs_(fs), options_(options), include_(parse_patterns(options.include)), exclude_(parse_patterns(options.exclude)) {
    list_.root = std::move(root);
}

std::optional<Walk::Tracked> Walk::Tracked::directory(std::string_view name) const {
    if (whole || (index && (index->has_whole_directory(at, name) || index->has_submodule(at, name))))
        return Tracked{nullptr, {}, true};
    const auto inner = index ? index->find(at, name) : std::nullopt;
    if (!inner) return std::nullopt;
    return Tracked{index, *inner, false};
}

Path Walk::absolute(const Path& relative) const {
    return relative.empty() ? list_.root : base::join(list_.root, relative);
}

void Walk::sort() {
    std::ranges::sort(list_.files, {}, &FoundFile::path);
    std::ranges::sort(list_.directories_skipped);
    std::ranges::sort(list_.packages_left_out);
    std::ranges::sort(list_.left_out, {}, &LeftOutPath::path);
    std::ranges::sort(list_.unreadable, {}, &base::Error::where);
}

void Walk::read_all() {
    find_repository();
    while (!pending_.empty()) {
        Directory directory = std::move(pending_.back());
        pending_.pop_back();
        read(std::move(directory));
    }
}

void Walk::add_named_file(const Path& name) {
    const bool included = include_.empty() || any_matches(include_, name);
    std::string_view reason = included ? "" : "not matched by --include";
    if (included && any_matches(exclude_, name)) reason = "excluded by --exclude";
    add_file(name, true, reason);
}

bool Walk::bring_in(const LeftOutPath& left_out) {
    if (!left_out.is_directory) return bring_in_file(left_out.path);
    std::erase(list_.directories_skipped, left_out.path);
    pending_.push_back({left_out.path, left_out.ignore, {}, false, false});
    while (!pending_.empty()) {
        Directory directory = std::move(pending_.back());
        pending_.pop_back();
        read(std::move(directory));
    }
    return true;
}

bool Walk::bring_in_file(const Path& path) {
    const auto info = fs_.link_info(absolute(path));
    if (!info || (info->kind != FileKind::regular && info->kind != FileKind::symlink)) return false;
    std::erase(list_.directories_skipped, path);
    add_file(path, false, any_matches(exclude_, path) ? "excluded by --exclude" : "");
    return true;
}

void Walk::analyse(FoundFile& file) {
    file.skipped_because.clear();
    if (file.bytes > limit_of(file.type)) file.limit = limit_of(file.type);
    file.analysed = file.limit == 0;
}

bool Walk::take_as_requirements(const Path& path) {
    const auto found = std::ranges::lower_bound(list_.files, path, {}, &FoundFile::path);
    const bool is_named = found != list_.files.end() && found->path == path && found->type == FileType::other &&
                          found->kind == FileKind::regular;
    if (!is_named || is_vendored(path) || any_matches(exclude_, path) ||
        !(include_.empty() || any_matches(include_, path)))
        return false;
    found->type = FileType::requirements;
    analyse(*found);
    return found->analysed;
}

void Walk::add_file(const Path& relative, bool is_named, std::string_view reason) {
    FoundFile file;
    file.path = relative;
    file.type = file_type_of(relative);
    const Path path = absolute(relative);
    auto info = is_named ? fs_.info(path) : fs_.link_info(path);
    if (info) {
        file.kind = info->kind;
        file.bytes = info->bytes;
        file.mode = info->mode;
        file.modified = info->modified;
    } else {
        file.kind = FileKind::other;
        list_.unreadable.push_back(info.error());
    }
    if (file.kind == FileKind::symlink) reason = "a symbolic link; links are not followed";
    else if (file.kind != FileKind::regular) reason = "not a regular file, or not readable";
    const bool says_nothing = is_named || base::file_name(relative).find('.') == relative.npos;
    if (file.type == FileType::other && reason.empty() && says_nothing)
        file.type = type_by_first_line(path, file.bytes);
    if (file.type != FileType::other && reason.empty() && file.bytes > limit_of(file.type))
        file.limit = limit_of(file.type);
    file.analysed = file.type != FileType::other && reason.empty() && file.limit == 0;
    if (file.type != FileType::other) file.skipped_because = reason;
    list_.files.push_back(std::move(file));
}

FileType Walk::type_by_first_line(const Path& path, std::uint64_t bytes) {
    std::array<std::byte, kFirstLineBytes> first{};
    const std::size_t size = std::min<std::uint64_t>(bytes, first.size());
    auto opened = fs_.open(path);
    // What cannot be read is nobody's script.
    if (!opened || !(*opened)->read_at(0, {first.data(), size})) return FileType::other;
    const std::string_view text(reinterpret_cast<const char*>(first.data()), size);
    return file_type_of_script(text.substr(0, text.find_first_of("\r\n")));
}

// The .gitignore files of the directories around the root, up to the one that is the repository, and what it tracks; nothing outside
// of a repository.
void Walk::find_repository() {
    Directory top;
    const auto root = fs_.real_path(list_.root);
    std::vector<Path> around;
    if (root) around.push_back(*root);
    while (!around.empty() && !fs_.exists(base::join(around.back(), ".git"))) {
        Path parent = base::parent(around.back());
        if (parent == around.back() || parent == ".") around.clear();
        else around.push_back(std::move(parent));
    }
    if (around.size() > 1) {
        const Path& tree = around.back();
        const Path way_from_tree = root->substr(base::join(tree, "").size());
        if (const auto index = index_of(tree)) {
            if (const auto at = index->find_path(way_from_tree)) top.tracked = {index, *at, false};
        }
    }
    IgnoreScopePtr out;
    for (std::size_t i = around.size(); i > 1; --i) {
        const Path& directory = around[i - 1];
        const auto content = base::read_file(fs_, base::join(directory, ".gitignore"), kMaxIgnoreFileBytes);
        if (!content) continue;
        const std::string way = root->substr(base::join(directory, "").size()) + "/";
        IgnoreFile rules = IgnoreFile::parse(*content);
        // What the user names is looked at, ignored or not.
        bool is_root_ignored = false;
        for (std::size_t end = way.find('/'); end != way.npos; end = way.find('/', end + 1))
            is_root_ignored |= rules.decide(std::string_view(way).substr(0, end), true) == true;
        if (is_root_ignored) {
            out = nullptr;
            break;
        }
        out = std::make_shared<IgnoreScope>(IgnoreScope{"", way, std::move(rules), out});
    }
    top.ignore = std::move(out);
    pending_.push_back(std::move(top));
}

std::shared_ptr<const base::GitIndex> Walk::index_of(const Path& tree) {
    auto index = base::read_git_index(fs_, tree);
    if (!index) list_.unusable_indexes.push_back(index.error());
    if (!index || !*index) return nullptr;
    return std::make_shared<const base::GitIndex>(std::move(**index));
}

// Of a repository in a directory its own index and its own rules count, not those around it.
void Walk::enter_work_tree(Directory& directory) {
    if (const auto index = index_of(absolute(directory.relative)))
        directory = {directory.relative, nullptr, {index, base::GitIndex::kRoot, false}, false, directory.is_installed};
}

void Walk::read(Directory directory) {
    const Path path = absolute(directory.relative);
    // Links are not followed, so only a file system mounted inside itself could lead in a circle.
    if (const auto info = fs_.link_info(path); info && !seen_.emplace(info->device, info->inode).second) return;
    const auto entries = fs_.list(path);
    if (!entries) {
        list_.unreadable.push_back(entries.error());
        return;
    }
    if (has_entry(*entries, ".git")) enter_work_tree(directory);
    if (!directory.relative.empty() && is_virtual_environment(*entries)) {
        if (!directory.tracked.index) {
            list_.directories_skipped.push_back(directory.relative);
            return;
        }
        directory.only_tracked = directory.is_installed = true;
    }
    directory.ignore = with_ignore_file(directory, *entries);
    const bool is_built = directory.relative.empty() || has_entry(*entries, "setup.py");
    for (const DirectoryEntry& entry : *entries) {
        const Path relative = base::join(directory.relative, entry.name);
        Reason reason = directory.only_tracked ? Reason::ignored : Reason::none;
        // The .git of a worktree or submodule is a file; a copy of it would speak for the original repository.
        if (is_never_in(entry.name) && (entry.kind == FileKind::directory || entry.name == ".git"))
            reason = Reason::never;
        else if (entry.kind == FileKind::directory && is_skipped_name(entry.name))
            reason = is_packages_name(entry.name) && !directory.is_installed ? Reason::packages : Reason::installed;
        else if (entry.kind == FileKind::directory &&
                 // Elsewhere these are ordinary names of packages.
                 (((entry.name == "build" || entry.name == "dist") && is_built) ||
                  is_ignored(directory.ignore, relative, true)))
            reason = Reason::ignored;
        read_entry(directory, entry, reason);
    }
}

void Walk::read_entry(const Directory& directory, const DirectoryEntry& entry, Reason reason) {
    const Path relative = base::join(directory.relative, entry.name);
    if (reason == Reason::never) return list_.directories_skipped.push_back(relative);
    if (entry.kind != FileKind::directory) {
        const bool is_tracked = directory.tracked.has_file(entry.name);
        if (reason == Reason::ignored && !is_tracked) return leave_out(relative, directory, reason, false);
        return add_file(relative, false, reason_to_skip(relative, directory, is_tracked));
    }
    auto tracked = directory.tracked.directory(entry.name);
    const bool may_be_in = reason == Reason::ignored || reason == Reason::packages;
    const bool is_included = may_be_in && names_directory(relative);
    if (reason != Reason::none && !tracked && !is_included) return leave_out(relative, directory, reason, true);
    const bool is_all_in = is_included || reason == Reason::none || tracked->whole;
    pending_.push_back({relative, directory.ignore, tracked.value_or(Tracked{}), !is_all_in,
                        directory.is_installed || reason == Reason::installed});
}

void Walk::leave_out(const Path& relative, const Directory& directory, Reason reason, bool is_directory) {
    list_.directories_skipped.push_back(relative);
    if (reason == Reason::installed || directory.is_installed) return;
    for (const PathPattern& pattern : exclude_) {
        if (pattern.matches(relative, is_directory) || pattern.matches_file_or_parent(relative)) return;
    }
    if (reason == Reason::packages) {
        if (has_code(relative)) list_.packages_left_out.push_back(relative);
        return;
    }
    list_.left_out.push_back({relative, is_directory,
                              is_directory ? has_code(relative) : is_code(file_type_of(relative)), directory.ignore});
}

bool Walk::names_directory(const Path& directory) const {
    return std::ranges::any_of(include_, [&](const PathPattern& pattern) {
        return pattern.matches(directory, true) || pattern.matches_file_or_parent(directory) ||
               pattern.leads_into(directory);
    });
}

// Looked for as far as the first file of code.
bool Walk::has_code(const Path& directory) {
    std::vector<Path> pending{directory};
    while (!pending.empty()) {
        const Path next = std::move(pending.back());
        pending.pop_back();
        const auto entries = fs_.list(absolute(next));
        if (!entries || is_virtual_environment(*entries)) continue;
        for (const DirectoryEntry& entry : *entries) {
            if (entry.kind == FileKind::directory && !is_skipped_name(entry.name))
                pending.push_back(base::join(next, entry.name));
            if (entry.kind == FileKind::regular && is_code(file_type_of(base::join(next, entry.name)))) return true;
        }
    }
    return false;
}

std::shared_ptr<const IgnoreScope> Walk::with_ignore_file(const Directory& directory,
                                                          const std::vector<DirectoryEntry>& entries) {
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

std::string_view Walk::reason_to_skip(const Path& file, const Directory& directory, bool is_tracked) const {
    const bool included = any_matches(include_, file);
    if (!included && !is_tracked && is_ignored(directory.ignore, file, false)) return "excluded by .gitignore";
    if (!include_.empty() && !included) return "not matched by --include";
    if (!included && directory.is_installed)
        return "a cache or installed packages; name it with --include to analyse it";
    if (!included && is_vendored(file)) return "vendored; name it with --include to analyse it";
    if (!included && is_generated(file)) return "generated; name it with --include to analyse it";
    if (any_matches(exclude_, file)) return "excluded by --exclude";
    return {};
}

std::uint64_t Walk::limit_of(FileType type) const {
    const bool is_parsed = type == FileType::python || type == FileType::cython || type == FileType::notebook;
    return is_parsed ? options_.max_python_bytes : options_.max_file_bytes;
}

}  // namespace migrator
