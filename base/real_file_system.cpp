// The machine's file system, whole or beneath a directory.
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/format.h"
#include "base/interrupt.h"
#include "base/real_file.h"

namespace base {
namespace {

constexpr unsigned kNoReplace = 1;  // RENAME_NOREPLACE, which older headers lack

// A directory, and a name in it that calls such as openat() take.
struct Place {
    FileDescriptor owned{-1};
    int directory = AT_FDCWD;
    std::string name;
};

bool is_missing(int code) { return code == ENOENT || code == ENOTDIR; }

class RealFileSystem : public FileSystem {
public:
    RealFileSystem() = default;
    RealFileSystem(FileDescriptor root, Path shown) : root_(std::move(root)), shown_(std::move(shown)) {}

    Result<std::unique_ptr<ReadableFile>> open(const Path& path) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::bad_input));
        // Without O_NONBLOCK a pipe would be waited for.
        FileDescriptor fd(open_at(at, O_RDONLY | O_NONBLOCK | O_NOCTTY | no_follow()));
        if (fd.get() < 0) return system_failure(ErrorKind::bad_input, "open", shown(path), errno);
        return readable_file(std::move(fd), shown(path));
    }

    Result<std::unique_ptr<WritableFile>> create(const Path& path, std::uint32_t mode) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::write_failed));
        constexpr int kMostTries = 8;  // not every file system counts links
        for (int look = 1;; ++look) {
            FileDescriptor fd(open_at(at, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, static_cast<mode_t>(mode)));
            if (fd.get() < 0) return system_failure(ErrorKind::write_failed, "create", shown(path), errno);
            // Who can lock it knows that its writer is gone. A file system without locks has no such files cleaned up.
            const bool is_taken = ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
            struct stat opened {};
            const bool is_gone = ::fstat(fd.get(), &opened) == 0 && opened.st_nlink == 0;
            // Between the two calls it looked like one of a writer that is gone.
            if ((is_taken || is_gone) && look < kMostTries) continue;
            return writable_file(std::move(fd), shown(path));
        }
    }

    Result<std::unique_ptr<LockedFile>> lock(const Path& path) override {
        constexpr int kFlags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
        TRY_ASSIGN(const Place at, place(path, ErrorKind::write_failed));
        for (;;) {
            FileDescriptor fd(open_at(at, kFlags | O_CREAT | O_EXCL, 0666));
            const bool is_new = fd.get() >= 0;
            if (!is_new && errno == EEXIST) {
                fd = FileDescriptor(open_at(at, kFlags));
                if (fd.get() < 0 && errno == ENOENT) continue;  // it was removed between the two calls
            }
            if (fd.get() < 0) return system_failure(ErrorKind::write_failed, "create", shown(path), errno);
            // A file system without locks: there the file is the lock.
            const bool is_locked = uninterrupted([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) == 0;
            if (!is_locked && (errno == EWOULDBLOCK || !is_new)) return std::unique_ptr<LockedFile>();
            // Who had it before may have removed it between the two calls.
            struct stat opened {
            }, named{};
            if (::fstat(fd.get(), &opened) != 0)
                return system_failure(ErrorKind::write_failed, "inspect", shown(path), errno);
            if (::fstatat(at.directory, at.name.c_str(), &named, AT_SYMLINK_NOFOLLOW) != 0 ||
                !info_of(opened).is_same_file(info_of(named)))
                continue;
            const Place above{FileDescriptor(-1), at.directory, parent(at.name)};
            FileDescriptor directory(open_at(above, O_RDONLY | O_DIRECTORY));
            if (directory.get() < 0) return system_failure(ErrorKind::write_failed, "open", shown(path), errno);
            return locked_file(std::move(fd), std::move(directory), std::string(file_name(at.name)), shown(path));
        }
    }

    Result<FileInfo> info(const Path& path) override {
        return stat_of(path, no_follow() != 0 ? AT_SYMLINK_NOFOLLOW : 0);
    }
    Result<FileInfo> link_info(const Path& path) override { return stat_of(path, AT_SYMLINK_NOFOLLOW); }

    Result<std::optional<FileInfo>> look(const Path& path) override {
        const auto at = place(path, ErrorKind::bad_input);
        if (!at && is_missing(errno)) return std::optional<FileInfo>();
        if (!at) return tl::unexpected<Error>(at.error());
        struct stat st {};
        if (::fstatat(at->directory, at->name.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0) return info_of(st);
        if (is_missing(errno)) return std::optional<FileInfo>();
        return system_failure(ErrorKind::bad_input, "inspect", shown(path), errno);
    }

    Result<std::vector<DirectoryEntry>> list(const Path& directory) override {
        TRY_ASSIGN(const Place at, place(directory, ErrorKind::bad_input));
        const int fd = open_at(at, O_RDONLY | O_DIRECTORY | no_follow());
        if (fd < 0) return system_failure(ErrorKind::bad_input, "list", shown(directory), errno);
        const auto close = [](DIR* open) { ::closedir(open); };
        const std::unique_ptr<DIR, decltype(close)> stream(::fdopendir(fd), close);
        if (stream == nullptr) {
            ::close(fd);
            return system_failure(ErrorKind::bad_input, "list", shown(directory), errno);
        }
        std::vector<DirectoryEntry> entries;
        for (;;) {
            // The end and an error look alike but for this.
            errno = 0;
            const dirent* entry = ::readdir(stream.get());
            if (entry == nullptr && errno == EINTR) continue;
            if (entry == nullptr && errno != 0)
                return system_failure(ErrorKind::bad_input, "list", shown(directory), errno);
            if (entry == nullptr) break;
            std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            entries.push_back({std::move(name), kind_of_entry(fd, *entry)});
        }
        std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return entries;
    }

    Result<Path> read_link(const Path& path) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::bad_input));
        std::string target(4096, '\0');
        const ssize_t length = ::readlinkat(at.directory, at.name.c_str(), target.data(), target.size());
        if (length < 0) return system_failure(ErrorKind::bad_input, "read the link", shown(path), errno);
        target.resize(static_cast<std::size_t>(length));
        return target;
    }

    Status make_link(const Path& target, const Path& link) override {
        TRY_ASSIGN(const Place at, place(link, ErrorKind::write_failed));
        if (::symlinkat(target.c_str(), at.directory, at.name.c_str()) == 0) return {};
        return system_failure(ErrorKind::write_failed, "create the link", shown(link), errno);
    }

    Status make_directory(const Path& path) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::write_failed));
        if (::mkdirat(at.directory, at.name.c_str(), 0777) == 0) return {};
        return system_failure(ErrorKind::write_failed, "create the directory", shown(path), errno);
    }

    Status make_directories(const Path& path) override {
        for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
            const Path prefix = path.substr(0, slash);
            TRY_ASSIGN(const Place at, place(prefix, ErrorKind::write_failed));
            if (!prefix.empty() && ::mkdirat(at.directory, at.name.c_str(), 0777) != 0 && errno != EEXIST)
                return system_failure(ErrorKind::write_failed, "create the directory", shown(prefix), errno);
            if (slash == Path::npos) break;
        }
        if (const auto made = info(path); made && made->kind == FileKind::directory) return {};
        return fail(ErrorKind::write_failed, "cannot create the directory: something else has this name", shown(path));
    }

    Status rename(const Path& from, const Path& to) override {
        TRY_ASSIGN(const Place source, place(from, ErrorKind::write_failed));
        TRY_ASSIGN(const Place target, place(to, ErrorKind::write_failed));
        if (::renameat(source.directory, source.name.c_str(), target.directory, target.name.c_str()) == 0) return {};
        return system_failure(ErrorKind::write_failed, "rename to " + shown(to), shown(from), errno);
    }

    Status move(const Path& from, const Path& to) override {
        TRY_ASSIGN(const Place source, place(from, ErrorKind::write_failed));
        TRY_ASSIGN(const Place target, place(to, ErrorKind::write_failed));
        const long moved = ::syscall(SYS_renameat2, source.directory, source.name.c_str(), target.directory,
                                     target.name.c_str(), kNoReplace);
        if (moved == 0) return {};
        // Not every file system and kernel has it.
        const bool is_unknown = errno == EINVAL || errno == ENOSYS || errno == ENOTSUP;
        if (is_unknown && !exists(to)) return rename(from, to);
        if (is_unknown) errno = EEXIST;
        return system_failure(ErrorKind::write_failed, "rename to " + shown(to), shown(from), errno);
    }

    Status remove(const Path& path) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::write_failed));
        if (::unlinkat(at.directory, at.name.c_str(), 0) == 0) return {};
        const int code = errno;
        if ((code == EISDIR || code == EPERM) && ::unlinkat(at.directory, at.name.c_str(), AT_REMOVEDIR) == 0)
            return {};
        return system_failure(ErrorKind::write_failed, "remove", shown(path), code == EISDIR ? errno : code);
    }

    Status set_attributes(const Path& path, std::uint32_t mode, std::int64_t modified) override {
        if (!is_whole()) return fail(ErrorKind::internal, "modes and times are set before a file has its name", path);
        TRY_ASSIGN(const Place at, place(path, ErrorKind::write_failed));
        constexpr std::int64_t kSecond = 1'000'000'000;  // nanoseconds
        const timespec time{static_cast<time_t>(modified / kSecond), static_cast<long>(modified % kSecond)};
        const timespec times[2] = {{0, UTIME_OMIT}, time};
        // Not every file system keeps modes and times; what cannot be kept there is no failure.
        auto allowed = [](int result) { return result == 0 || errno == EPERM || errno == ENOTSUP; };
        // The time first: the mode may take away the permission.
        if (!allowed(::utimensat(at.directory, at.name.c_str(), times, 0)) ||
            !allowed(::fchmodat(at.directory, at.name.c_str(), static_cast<mode_t>(mode), 0)))
            return system_failure(ErrorKind::write_failed, "set mode and time of", shown(path), errno);
        return {};
    }

    Result<Path> real_path(const Path& path) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::bad_input));
        const std::unique_ptr<char, decltype(&std::free)> real(::realpath(shown(path).c_str(), nullptr), &std::free);
        if (real == nullptr) return system_failure(ErrorKind::bad_input, "find", shown(path), errno);
        return Path(real.get());
    }

    Status sync_directory(const Path& path) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::write_failed));
        const FileDescriptor directory(open_at(at, O_RDONLY | O_DIRECTORY | no_follow()));
        if (directory.get() < 0) return system_failure(ErrorKind::write_failed, "open", shown(path), errno);
        // Not every file system can sync a directory; those that cannot say EINVAL.
        if (uninterrupted([&] { return ::fsync(directory.get()); }) == 0 || errno == EINVAL) return {};
        return system_failure(ErrorKind::write_failed, "sync", shown(path), errno);
    }

    Result<std::uint64_t> free_bytes(const Path& path) override {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::bad_input));
        const FileDescriptor directory(open_at(at, O_RDONLY | O_DIRECTORY | no_follow()));
        struct statvfs st {};
        if (directory.get() < 0 || ::fstatvfs(directory.get(), &st) != 0)
            return system_failure(ErrorKind::bad_input, "inspect", shown(path), errno);
        return static_cast<std::uint64_t>(st.f_bavail) * st.f_frsize;
    }

    Result<std::unique_ptr<FileSystem>> beneath(const Path& directory) override {
        TRY_ASSIGN(const Place at, place(directory, ErrorKind::bad_input));
        FileDescriptor root(open_at(at, O_RDONLY | O_DIRECTORY | no_follow()));
        if (root.get() < 0) return system_failure(ErrorKind::bad_input, "open", shown(directory), errno);
        return std::make_unique<RealFileSystem>(std::move(root), shown(directory));
    }

private:
    bool is_whole() const { return root_.get() < 0; }
    int no_follow() const { return is_whole() ? 0 : O_NOFOLLOW; }
    Path shown(const Path& path) const {
        if (is_whole()) return path;
        return path == "." ? shown_ : join(shown_, path);
    }

    static int open_at(const Place& at, int flags, mode_t mode = 0) {
        return uninterrupted([&] { return ::openat(at.directory, at.name.c_str(), flags | O_CLOEXEC, mode); });
    }

    // Beneath a directory every part but the last is opened by itself, without following links. When that fails, errno says
    // whether something is missing.
    Result<Place> place(const Path& path, ErrorKind kind) const {
        if (kind == ErrorKind::write_failed) note_change();
        Place out;
        out.name = path;
        errno = EINVAL;
        if (path.find('\0') != Path::npos) return fail(kind, "no path has a NUL byte", shown(path));
        if (is_whole()) return out;
        out.directory = root_.get();
        if (path == ".") return out;
        if (!stays_below(path)) return fail(kind, "the path leads out of the directory that it is in", shown(path));
        for (std::size_t slash = out.name.find('/'); slash != std::string::npos; slash = out.name.find('/')) {
            const std::string part = out.name.substr(0, slash);
            FileDescriptor next(uninterrupted(
                [&] { return ::openat(out.directory, part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }));
            if (next.get() < 0) return unreachable(out.directory, part, path, kind);
            out.owned = std::move(next);
            out.directory = out.owned.get();
            out.name.erase(0, slash + 1);
        }
        return out;
    }

    // errno tells a link from something that is not there.
    tl::unexpected<Error> unreachable(int directory, const std::string& part, const Path& path, ErrorKind kind) const {
        const int code = errno;
        struct stat st {};
        const bool is_link = ::fstatat(directory, part.c_str(), &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
        auto error = is_link ? fail(kind, format("{} is a link, and links are not followed here", part), shown(path))
                             : system_failure(kind, "open", shown(path), code);
        errno = is_link ? ELOOP : code;
        return error;
    }

    Result<FileInfo> stat_of(const Path& path, int flags) const {
        TRY_ASSIGN(const Place at, place(path, ErrorKind::bad_input));
        struct stat st {};
        if (::fstatat(at.directory, at.name.c_str(), &st, flags) != 0)
            return system_failure(ErrorKind::bad_input, "inspect", shown(path), errno);
        return info_of(st);
    }

    static FileKind kind_of_entry(int directory, const dirent& entry) {
        switch (entry.d_type) {
            case DT_REG: return FileKind::regular;
            case DT_DIR: return FileKind::directory;
            case DT_LNK: return FileKind::symlink;
            case DT_UNKNOWN: break;  // some file systems do not say
            default: return FileKind::other;
        }
        struct stat st {};
        const bool is_known = ::fstatat(directory, entry.d_name, &st, AT_SYMLINK_NOFOLLOW) == 0;
        return is_known ? info_of(st).kind : FileKind::other;
    }

    FileDescriptor root_{-1};  // -1: the whole file system, with links and ".."
    Path shown_;               // of root_
};

// Files of hundreds of ranks are open at once. Programs begin with fewer than the system allows them, for the sake of those that use
// select().
void raise_file_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit);  // as it is, it may be enough
}

}  // namespace

FileSystem& real_file_system() {
    static RealFileSystem instance;
    static const bool raised = (raise_file_limit(), true);
    (void)raised;
    return instance;
}

}  // namespace base
