// FileSystem: the one seam to the disk, so that tests can run in memory and inject faults.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/result.h"
#include "base/text_sink.h"

namespace base {

// Paths are byte strings with '/' separators, exactly as the operating system has them.
using Path = std::string;

// A file open for positioned reads. Thread-safe.
class ReadableFile {
public:
    virtual ~ReadableFile() = default;
    virtual std::uint64_t size() const = 0;
    virtual const Path& path() const = 0;
    // Fills `out` completely from `offset`; fails with bad_input when the file ends before.
    virtual Status read_at(std::uint64_t offset, MutableByteSpan out) = 0;
    // Tells the system that the bytes will not be read again, so that a large pass does not evict everything else.
    virtual void drop_cache(std::uint64_t offset, std::uint64_t bytes) = 0;
};

// A file open for positioned writes. Thread-safe for ranges that do not overlap.
class WritableFile {
public:
    virtual ~WritableFile() = default;
    virtual const Path& path() const = 0;
    virtual Status write_at(std::uint64_t offset, ByteSpan data) = 0;
    // Reserves space, so that a full disk is found before hours of work.
    virtual Status allocate(std::uint64_t bytes) = 0;
    // Starts writing the range to the disk and drops what is already there from the cache.
    virtual void write_behind(std::uint64_t offset, std::uint64_t bytes) = 0;
    virtual Status sync() = 0;
    // Must be called to learn of late write errors; the destructor closes silently.
    virtual Status close() = 0;
};

enum class FileKind { regular, directory, symlink, other };

struct FileInfo {
    FileKind kind = FileKind::other;
    std::uint64_t bytes = 0;
    std::uint32_t mode = 0644;  // permission bits only
    std::uint64_t inode = 0;    // with `device`, tells that two paths are one file
    std::uint64_t device = 0;
    std::int64_t modified = 0;  // nanoseconds since 1970
};

struct DirectoryEntry {
    std::string name;
    FileKind kind = FileKind::other;  // a symlink is `symlink`, whatever it points to
};

class FileSystem {
public:
    virtual ~FileSystem() = default;

    virtual Result<std::unique_ptr<ReadableFile>> open(const Path& path) = 0;
    // Creates or truncates.
    virtual Result<std::unique_ptr<WritableFile>> create(const Path& path, std::uint32_t mode = 0644) = 0;
    virtual Result<FileInfo> info(const Path& path) = 0;                          // follows symlinks
    virtual Result<FileInfo> link_info(const Path& path) = 0;                     // does not
    virtual bool exists(const Path& path) = 0;                                    // dangling symlinks exist
    virtual Result<std::vector<DirectoryEntry>> list(const Path& directory) = 0;  // sorted by name
    virtual Result<Path> read_link(const Path& path) = 0;
    virtual Status make_link(const Path& target, const Path& link) = 0;
    virtual Status make_directories(const Path& path) = 0;
    virtual Status rename(const Path& from, const Path& to) = 0;  // replaces `to`
    virtual Status remove(const Path& path) = 0;                  // a file, a link or an empty directory
    virtual Status set_attributes(const Path& path, std::uint32_t mode, std::int64_t modified) = 0;
    virtual Result<Path> real_path(const Path& path) = 0;  // absolute and without links; the path must exist
    virtual Status sync_directory(const Path& path) = 0;
    virtual Result<std::uint64_t> free_bytes(const Path& path) = 0;
};

// The machine's file system.
FileSystem& real_file_system();

// The whole file as a string; fails with bad_input above `max_bytes`.
Result<std::string> read_file(FileSystem& fs, const Path& path, std::uint64_t max_bytes = 1ull << 30);

// Writes PATH.partial, syncs it and renames it to PATH: a reader sees the old file, or the whole new one.
Status write_file_atomically(FileSystem& fs, const Path& path, std::string_view content, std::uint32_t mode = 0644);
Status write_file_atomically(FileSystem& fs, const Path& path, const TextSource& text, std::uint32_t mode = 0644);

// Removes a file or a whole directory tree; symlinks are removed, never followed. Missing is fine.
Status remove_tree(FileSystem& fs, const Path& path);

// "a/b" + "c" -> "a/b/c"; an empty first part gives the second.
Path join(std::string_view directory, std::string_view name);
// "a/b.py" -> "b.py"; trailing slashes are ignored.
std::string_view file_name(std::string_view path);
// "a/b.py" -> "a"; "b.py" -> ".".
Path parent(std::string_view path);

}  // namespace base
