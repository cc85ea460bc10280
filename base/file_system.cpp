#include "base/file_system.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/format.h"

namespace base {
namespace {

tl::unexpected<Error> system_failure(ErrorKind kind, std::string_view action, const Path& path, int code) {
    return fail(kind, base::format("cannot {}: {}", action, std::strerror(code)), path);
}

FileKind kind_of(mode_t mode) {
    if (S_ISREG(mode)) return FileKind::regular;
    if (S_ISDIR(mode)) return FileKind::directory;
    if (S_ISLNK(mode)) return FileKind::symlink;
    return FileKind::other;
}

constexpr std::int64_t kNanoseconds = 1'000'000'000;  // of a second

FileInfo info_of(const struct stat& st) {
    return {kind_of(st.st_mode),
            static_cast<std::uint64_t>(st.st_size),
            static_cast<std::uint32_t>(st.st_mode & 07777),
            static_cast<std::uint64_t>(st.st_ino),
            static_cast<std::uint64_t>(st.st_dev),
            static_cast<std::int64_t>(st.st_mtim.tv_sec) * kNanoseconds + st.st_mtim.tv_nsec};
}

class FileDescriptor {
public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    ~FileDescriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

class RealReadableFile : public ReadableFile {
public:
    RealReadableFile(int fd, Path path, std::uint64_t size) : fd_(fd), path_(std::move(path)), size_(size) {}

    std::uint64_t size() const override { return size_; }
    const Path& path() const override { return path_; }

    Status read_at(std::uint64_t offset, MutableByteSpan out) override {
        while (!out.empty()) {
            ssize_t got = ::pread(fd_.get(), out.data(), out.size(), static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return system_failure(ErrorKind::bad_input, "read", path_, errno);
            if (got == 0) {
                return fail(ErrorKind::bad_input, base::format("the file ends {} bytes early", out.size()),
                            base::format("{}: byte {}", path_, offset));
            }
            out = out.subspan(static_cast<std::size_t>(got));
            offset += static_cast<std::uint64_t>(got);
        }
        return {};
    }

    void drop_cache(std::uint64_t offset, std::uint64_t bytes) override {
        ::posix_fadvise(fd_.get(), static_cast<off_t>(offset), static_cast<off_t>(bytes), POSIX_FADV_DONTNEED);
    }

private:
    FileDescriptor fd_;
    Path path_;
    std::uint64_t size_;
};

class RealWritableFile : public WritableFile {
public:
    RealWritableFile(int fd, Path path) : fd_(fd), path_(std::move(path)) {}

    const Path& path() const override { return path_; }

    Status write_at(std::uint64_t offset, ByteSpan data) override {
        while (!data.empty()) {
            ssize_t put = ::pwrite(fd_.get(), data.data(), data.size(), static_cast<off_t>(offset));
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return system_failure(ErrorKind::write_failed, "write", path_, errno);
            data = data.subspan(static_cast<std::size_t>(put));
            offset += static_cast<std::uint64_t>(put);
        }
        return {};
    }

    Status allocate(std::uint64_t bytes) override {
        if (bytes == 0) return {};
        int code = ::posix_fallocate(fd_.get(), 0, static_cast<off_t>(bytes));
        // Some file systems cannot reserve; then the first failing write tells.
        if (code == 0 || code == EOPNOTSUPP || code == EINVAL) return {};
        return system_failure(ErrorKind::write_failed, base::format("reserve {} bytes", bytes), path_, code);
    }

    void write_behind(std::uint64_t offset, std::uint64_t bytes) override {
        auto at = static_cast<off_t>(offset);
        auto count = static_cast<off_t>(bytes);
#ifdef __linux__
        ::sync_file_range(fd_.get(), at, count, SYNC_FILE_RANGE_WRITE);
#endif
        ::posix_fadvise(fd_.get(), at, count, POSIX_FADV_DONTNEED);
    }

    Status sync() override {
        if (::fsync(fd_.get()) == 0) return {};
        return system_failure(ErrorKind::write_failed, "sync", path_, errno);
    }

    Status close() override {
        if (::close(fd_.release()) == 0) return {};
        return system_failure(ErrorKind::write_failed, "close", path_, errno);
    }

private:
    FileDescriptor fd_;
    Path path_;
};

class RealFileSystem : public FileSystem {
public:
    Result<std::unique_ptr<ReadableFile>> open(const Path& path) override {
        int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0) return system_failure(ErrorKind::bad_input, "open", path, errno);
        FileDescriptor owned(fd);
        struct stat st {};
        if (::fstat(fd, &st) != 0) return system_failure(ErrorKind::bad_input, "inspect", path, errno);
        if (S_ISDIR(st.st_mode)) return fail(ErrorKind::bad_input, "this is a directory, a file is needed", path);
        return std::make_unique<RealReadableFile>(owned.release(), path, static_cast<std::uint64_t>(st.st_size));
    }

    Result<std::unique_ptr<WritableFile>> create(const Path& path, std::uint32_t mode) override {
        int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, static_cast<mode_t>(mode));
        if (fd < 0) return system_failure(ErrorKind::write_failed, "create", path, errno);
        // The process's umask must not take bits from a mode that was copied from another file.
        if (::fchmod(fd, static_cast<mode_t>(mode)) != 0 && errno != EPERM && errno != ENOTSUP) {
            int code = errno;
            ::close(fd);
            return system_failure(ErrorKind::write_failed, "set the mode of", path, code);
        }
        return std::make_unique<RealWritableFile>(fd, path);
    }

    Result<FileInfo> info(const Path& path) override {
        struct stat st {};
        if (::stat(path.c_str(), &st) != 0) return system_failure(ErrorKind::bad_input, "inspect", path, errno);
        return info_of(st);
    }

    Result<FileInfo> link_info(const Path& path) override {
        struct stat st {};
        if (::lstat(path.c_str(), &st) != 0) return system_failure(ErrorKind::bad_input, "inspect", path, errno);
        return info_of(st);
    }

    bool exists(const Path& path) override {
        struct stat st {};
        return ::lstat(path.c_str(), &st) == 0;
    }

    Result<std::vector<DirectoryEntry>> list(const Path& directory) override {
        DIR* stream = ::opendir(directory.c_str());
        if (stream == nullptr) return system_failure(ErrorKind::bad_input, "list", directory, errno);
        std::vector<DirectoryEntry> entries;
        while (const dirent* entry = ::readdir(stream)) {
            std::string name = entry->d_name;
            if (name == "." || name == "..") continue;
            entries.push_back({name, kind_of_entry(directory, *entry)});
        }
        ::closedir(stream);
        std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
        return entries;
    }

    Result<Path> read_link(const Path& path) override {
        std::string target(4096, '\0');
        ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
        if (length < 0) return system_failure(ErrorKind::bad_input, "read the link", path, errno);
        target.resize(static_cast<std::size_t>(length));
        return target;
    }

    Status make_link(const Path& target, const Path& link) override {
        if (::symlink(target.c_str(), link.c_str()) == 0) return {};
        return system_failure(ErrorKind::write_failed, "create the link", link, errno);
    }

    Status make_directories(const Path& path) override {
        for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
            Path prefix = path.substr(0, slash);
            if (!prefix.empty() && ::mkdir(prefix.c_str(), 0777) != 0 && errno != EEXIST) {
                return system_failure(ErrorKind::write_failed, "create the directory", prefix, errno);
            }
            if (slash == Path::npos) break;
        }
        struct stat st {};
        if (::stat(path.c_str(), &st) == 0 && S_ISDIR(st.st_mode)) return {};
        return fail(ErrorKind::write_failed, "cannot create the directory: something else has this name", path);
    }

    Status rename(const Path& from, const Path& to) override {
        if (::rename(from.c_str(), to.c_str()) == 0) return {};
        return system_failure(ErrorKind::write_failed, "rename to " + to, from, errno);
    }

    Status remove(const Path& path) override {
        if (::remove(path.c_str()) == 0) return {};
        return system_failure(ErrorKind::write_failed, "remove", path, errno);
    }

    Status set_attributes(const Path& path, std::uint32_t mode, std::int64_t modified) override {
        const timespec time{static_cast<time_t>(modified / kNanoseconds), static_cast<long>(modified % kNanoseconds)};
        const timespec times[2] = {{0, UTIME_OMIT}, time};
        // Not every file system keeps modes and times; what cannot be kept there is no failure.
        auto allowed = [](int result) { return result == 0 || errno == EPERM || errno == ENOTSUP; };
        // The time first: the mode may take away the permission.
        if (!allowed(::utimensat(AT_FDCWD, path.c_str(), times, 0)) ||
            !allowed(::chmod(path.c_str(), static_cast<mode_t>(mode))))
            return system_failure(ErrorKind::write_failed, "set mode and time of", path, errno);
        return {};
    }

    Result<Path> real_path(const Path& path) override {
        const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr), &std::free);
        if (real == nullptr) return system_failure(ErrorKind::bad_input, "find", path, errno);
        return Path(real.get());
    }

    Status sync_directory(const Path& path) override {
        FileDescriptor directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
        if (directory.get() < 0) return system_failure(ErrorKind::write_failed, "open", path, errno);
        // Not every file system can sync a directory; those that cannot say EINVAL.
        if (::fsync(directory.get()) == 0 || errno == EINVAL) return {};
        return system_failure(ErrorKind::write_failed, "sync", path, errno);
    }

    Result<std::uint64_t> free_bytes(const Path& path) override {
        struct statvfs st {};
        if (::statvfs(path.c_str(), &st) != 0) return system_failure(ErrorKind::bad_input, "inspect", path, errno);
        return static_cast<std::uint64_t>(st.f_bavail) * st.f_frsize;
    }

private:
    FileKind kind_of_entry(const Path& directory, const dirent& entry) {
        switch (entry.d_type) {
            case DT_REG: return FileKind::regular;
            case DT_DIR: return FileKind::directory;
            case DT_LNK: return FileKind::symlink;
            case DT_UNKNOWN: break;  // some file systems do not say
            default: return FileKind::other;
        }
        auto found = link_info(join(directory, entry.d_name));
        return found ? found->kind : FileKind::other;
    }
};

}  // namespace

FileSystem& real_file_system() {
    static RealFileSystem instance;
    return instance;
}

Result<std::string> read_file(FileSystem& fs, const Path& path, std::uint64_t max_bytes) {
    TRY_ASSIGN(auto file, fs.open(path));
    if (file->size() > max_bytes) {
        return fail(ErrorKind::bad_input,
                    base::format("the file has {} bytes, at most {} are read", file->size(), max_bytes), path);
    }
    std::string content(file->size(), '\0');
    TRY(file->read_at(0, std::as_writable_bytes(std::span(content.data(), content.size()))));
    return content;
}

Status write_file_atomically(FileSystem& fs, const Path& path, std::string_view content, std::uint32_t mode) {
    return write_file_atomically(
        fs, path, [&](const TextSink& out) { out(content); }, mode);
}

Status write_file_atomically(FileSystem& fs, const Path& path, const TextSource& text, std::uint32_t mode) {
    Path partial = path + ".partial";
    TRY_ASSIGN(auto file, fs.create(partial, mode));
    auto written = [&]() -> Status {
        Status parts;
        std::uint64_t offset = 0;
        text([&](std::string_view part) {
            if (parts) parts = file->write_at(offset, as_bytes(part));
            offset += part.size();
        });
        TRY(std::move(parts));
        TRY(file->sync());
        TRY(file->close());
        return fs.rename(partial, path);
    }();
    if (!written) {
        // The first error is the one to report, whatever becomes of the clean-up.
        if (auto removed = fs.remove(partial); !removed) return written;
    }
    return written;
}

Status remove_tree(FileSystem& fs, const Path& path) {
    // Depth first without recursion: a directory is visited a second time when its children are gone.
    std::vector<std::pair<Path, bool>> pending{{path, false}};
    while (!pending.empty()) {
        auto [at, emptied] = pending.back();
        pending.pop_back();
        if (!fs.exists(at)) continue;
        TRY_ASSIGN(FileInfo info, fs.link_info(at));
        if (info.kind != FileKind::directory || emptied) {
            TRY(fs.remove(at));
            continue;
        }
        pending.emplace_back(at, true);
        TRY_ASSIGN(auto entries, fs.list(at));
        for (const auto& entry : entries) pending.emplace_back(join(at, entry.name), false);
    }
    return {};
}

Path join(std::string_view directory, std::string_view name) {
    if (directory.empty()) return Path(name);
    Path out(directory);
    if (out.back() != '/') out += '/';
    out += name;
    return out;
}

std::string_view file_name(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos || path == "/" ? path : path.substr(slash + 1);
}

Path parent(std::string_view path) {
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos) return ".";
    return slash == 0 ? "/" : Path(path.substr(0, slash));
}

}  // namespace base
