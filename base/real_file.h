// The files of the machine's file system: descriptors behind the interfaces of file_system.h. Private to it.
#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "base/file_system.h"

namespace base {

class FileDescriptor {
public:
    explicit FileDescriptor(int fd) : fd_(fd) {}
    FileDescriptor(const FileDescriptor&) = delete;
    FileDescriptor& operator=(const FileDescriptor&) = delete;
    FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept;
    ~FileDescriptor();

    int get() const { return fd_; }
    int release() { return std::exchange(fd_, -1); }

private:
    int fd_;
};

// What the call returns that a signal did not interrupt. Not for close(), which has closed all the same.
template <class Call>
auto uninterrupted(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

tl::unexpected<Error> system_failure(ErrorKind kind, std::string_view action, const Path& path, int code);

FileInfo info_of(const struct stat& st);

std::unique_ptr<WritableFile> writable_file(FileDescriptor fd, Path path);

// Fails with bad_input when it is no regular file.
Result<std::unique_ptr<ReadableFile>> readable_file(FileDescriptor fd, Path path);

// Of a regular file that is open for reading and writing and locked. `directory`: that of `name`.
Result<std::unique_ptr<LockedFile>> locked_file(FileDescriptor fd, FileDescriptor directory, std::string name,
                                                Path path);

}  // namespace base
