#include "base/real_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/format.h"
#include "base/guarded.h"

namespace base {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;  // of a second
constexpr std::uint64_t kMaxLockedBytes = 64 << 20;

FileKind kind_of(mode_t mode) {
    if (S_ISREG(mode)) return FileKind::regular;
    if (S_ISDIR(mode)) return FileKind::directory;
    if (S_ISLNK(mode)) return FileKind::symlink;
    return FileKind::other;
}

// Fills `out`; fails with bad_input where the file ends before.
Status read_all(int fd, std::uint64_t offset, MutableByteSpan out, const Path& path) {
    while (!out.empty()) {
        const ssize_t got =
            uninterrupted([&] { return ::pread(fd, out.data(), out.size(), static_cast<off_t>(offset)); });
        if (got < 0) return system_failure(ErrorKind::bad_input, "read", path, errno);
        if (got == 0) {
            return fail(ErrorKind::bad_input, format("the file ends {} bytes early", out.size()),
                        format("{}: byte {}", path, offset));
        }
        out = out.subspan(static_cast<std::size_t>(got));
        offset += static_cast<std::uint64_t>(got);
    }
    return {};
}

Status write_all(int fd, std::uint64_t offset, ByteSpan data, const Path& path) {
    while (!data.empty()) {
        const ssize_t put =
            uninterrupted([&] { return ::pwrite(fd, data.data(), data.size(), static_cast<off_t>(offset)); });
        if (put < 0) return system_failure(ErrorKind::write_failed, "write", path, errno);
        data = data.subspan(static_cast<std::size_t>(put));
        offset += static_cast<std::uint64_t>(put);
    }
    return {};
}

Status sync_file(int fd, const Path& path) {
    if (uninterrupted([&] { return ::fsync(fd); }) == 0) return {};
    return system_failure(ErrorKind::write_failed, "sync", path, errno);
}

class RealReadableFile : public ReadableFile {
public:
    RealReadableFile(FileDescriptor fd, Path path, std::uint64_t size)
        : fd_(std::move(fd)), path_(std::move(path)), size_(size) {}

    std::uint64_t size() const override { return size_; }
    const Path& path() const override { return path_; }
    Status read_at(std::uint64_t offset, MutableByteSpan out) override {
        return read_all(fd_.get(), offset, out, path_);
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
    RealWritableFile(FileDescriptor fd, Path path) : fd_(std::move(fd)), path_(std::move(path)) {}

    const Path& path() const override { return path_; }

    Status write_at(std::uint64_t offset, ByteSpan data) override { return write_all(fd_.get(), offset, data, path_); }

    Status allocate(std::uint64_t bytes) override {
        if (bytes == 0) return {};
        int code = EINTR;
        while (code == EINTR) code = ::posix_fallocate(fd_.get(), 0, static_cast<off_t>(bytes));
        // Some file systems cannot reserve; then the first failing write tells.
        if (code == 0 || code == EOPNOTSUPP || code == EINVAL) return {};
        return system_failure(ErrorKind::write_failed, format("reserve {} bytes", bytes), path_, code);
    }

    void write_behind(std::uint64_t offset, std::uint64_t bytes) override {
        auto at = static_cast<off_t>(offset);
        auto count = static_cast<off_t>(bytes);
#ifdef __linux__
        ::sync_file_range(fd_.get(), at, count, SYNC_FILE_RANGE_WRITE);
#endif
        ::posix_fadvise(fd_.get(), at, count, POSIX_FADV_DONTNEED);
    }

    Status sync() override { return sync_file(fd_.get(), path_); }

    Status set_mode(std::uint32_t mode) override {
        // Not every file system keeps modes; what cannot be kept there is no failure.
        if (::fchmod(fd_.get(), static_cast<mode_t>(mode)) == 0 || errno == EPERM || errno == ENOTSUP) return {};
        return system_failure(ErrorKind::write_failed, "set the mode of", path_, errno);
    }

    Result<FileInfo> info() override {
        struct stat st {};
        if (::fstat(fd_.get(), &st) != 0) return system_failure(ErrorKind::write_failed, "inspect", path_, errno);
        return info_of(st);
    }

    Status close() override {
        if (::close(fd_.release()) == 0 || errno == EINTR) return {};
        return system_failure(ErrorKind::write_failed, "close", path_, errno);
    }

private:
    FileDescriptor fd_;
    Path path_;
};

class RealLockedFile : public LockedFile {
public:
    RealLockedFile(FileDescriptor fd, FileDescriptor directory, std::string name, Path path, std::string content)
        : fd_(std::move(fd)),
          directory_(std::move(directory)),
          name_(std::move(name)),
          path_(std::move(path)),
          content_(std::move(content)) {}

    const std::string& content() const override { return content_; }

    Status append(std::string_view text) override {
        TRY(write_all(fd_.get(), content_.size(), as_bytes(text), path_));
        content_ += text;
        return sync_file(fd_.get(), path_);
    }

    Status truncate(std::uint64_t bytes) override {
        if (uninterrupted([&] { return ::ftruncate(fd_.get(), static_cast<off_t>(bytes)); }) != 0)
            return system_failure(ErrorKind::write_failed, "shorten", path_, errno);
        content_.resize(bytes);
        return {};
    }

    Status remove() override {
        if (::unlinkat(directory_.get(), name_.c_str(), 0) != 0)
            return system_failure(ErrorKind::write_failed, "remove", path_, errno);
        ::close(fd_.release());
        return {};
    }

private:
    FileDescriptor fd_;
    FileDescriptor directory_;
    std::string name_;
    Path path_;
    std::string content_;
};

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
}

FileDescriptor::~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
}

tl::unexpected<Error> system_failure(ErrorKind kind, std::string_view action, const Path& path, int code) {
    if (code == ENOMEM) return tl::unexpected<Error>(memory_error());  // of no file
    return fail(kind, format("cannot {}: {}", action, std::strerror(code)), path);
}

FileInfo info_of(const struct stat& st) {
    return {kind_of(st.st_mode),
            static_cast<std::uint64_t>(st.st_size),
            static_cast<std::uint32_t>(st.st_mode & 07777),
            static_cast<std::uint64_t>(st.st_ino),
            static_cast<std::uint64_t>(st.st_dev),
            static_cast<std::int64_t>(st.st_mtim.tv_sec) * kNanoseconds + st.st_mtim.tv_nsec};
}

std::unique_ptr<WritableFile> writable_file(FileDescriptor fd, Path path) {
    return std::make_unique<RealWritableFile>(std::move(fd), std::move(path));
}

Result<std::unique_ptr<ReadableFile>> readable_file(FileDescriptor fd, Path path) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) return system_failure(ErrorKind::bad_input, "inspect", path, errno);
    if (S_ISDIR(st.st_mode)) return fail(ErrorKind::bad_input, "this is a directory, a file is needed", path);
    if (!S_ISREG(st.st_mode))
        return fail(ErrorKind::bad_input, "this is a pipe, a device or a socket, a file is needed", path);
    return std::make_unique<RealReadableFile>(std::move(fd), std::move(path), static_cast<std::uint64_t>(st.st_size));
}

Result<std::unique_ptr<LockedFile>> locked_file(FileDescriptor fd, FileDescriptor directory, std::string name,
                                                Path path) {
    struct stat st {};
    if (::fstat(fd.get(), &st) != 0) return system_failure(ErrorKind::write_failed, "inspect", path, errno);
    const auto bytes = static_cast<std::uint64_t>(st.st_size);
    if (!S_ISREG(st.st_mode) || bytes > kMaxLockedBytes)
        return fail(ErrorKind::usage, "a run needs this name for a while; move what has it", path);
    std::string content(bytes, '\0');
    TRY(read_all(fd.get(), 0, std::as_writable_bytes(std::span(content.data(), content.size())), path));
    return std::make_unique<RealLockedFile>(std::move(fd), std::move(directory), std::move(name), std::move(path),
                                            std::move(content));
}

}  // namespace base
