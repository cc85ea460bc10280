// FileSystem: the one seam to the disk, so that tests can run in memory and inject faults.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_reader.h"
#include "base/paths.h"
#include "base/result.h"

namespace base {

inline constexpr std::uint32_t kPermissionBits = 0777;  // without those that change whose rights a program has

enum class FileKind { regular, directory, symlink, other };

struct FileInfo {
    FileKind kind = FileKind::other;
    std::uint64_t bytes = 0;
    std::uint32_t mode = 0644;  // permission bits only
    std::uint64_t inode = 0;    // with `device`, tells that two paths are one file
    std::uint64_t device = 0;
    std::int64_t modified = 0;  // nanoseconds since 1970

    bool is_same_file(const FileInfo& other) const { return inode == other.inode && device == other.device; }
};

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
    // Exactly these permission bits, whatever the umask: of a file that takes the place of another.
    virtual Status set_mode(std::uint32_t mode) = 0;
    // Of the open file, whatever has its name by now.
    virtual Result<FileInfo> info() = 0;
    // Must be called to learn of late write errors; the destructor closes silently.
    virtual Status close() = 0;
};

struct DirectoryEntry {
    std::string name;
    FileKind kind = FileKind::other;  // a symlink is `symlink`, whatever it points to
};

// A file that this process alone has, until it is closed or the process ends, however it ends. Runs that know of each other
// only by the disk agree by it.
class LockedFile {
public:
    virtual ~LockedFile() = default;
    virtual const std::string& content() const = 0;    // when it was opened, and what was appended since
    virtual Status append(std::string_view text) = 0;  // and syncs it
    virtual Status truncate(std::uint64_t bytes) = 0;  // what is behind them goes
    virtual Status remove() = 0;                       // and gives it up
};

class FileSystem {
public:
    virtual ~FileSystem() = default;

    // A regular file; anything else of this name fails, and is not waited for.
    virtual Result<std::unique_ptr<ReadableFile>> open(const Path& path) = 0;
    // A new file; fails when anything has the name, also a link that leads nowhere. `mode`: less the umask.
    virtual Result<std::unique_ptr<WritableFile>> create(const Path& path, std::uint32_t mode = 0666) = 0;
    // The file of this name, or a new one. nullptr: another process has it.
    virtual Result<std::unique_ptr<LockedFile>> lock(const Path& path) = 0;
    virtual Result<FileInfo> info(const Path& path) = 0;       // follows symlinks
    virtual Result<FileInfo> link_info(const Path& path) = 0;  // does not
    // The same, and nothing where nothing has the name, by one look: others may make and remove it meanwhile.
    virtual Result<std::optional<FileInfo>> look(const Path& path) = 0;
    // Dangling symlinks exist, and so does what cannot be looked at: the next call tells why.
    bool exists(const Path& path);
    virtual Result<std::vector<DirectoryEntry>> list(const Path& directory) = 0;  // sorted by name
    virtual Result<Path> read_link(const Path& path) = 0;
    virtual Status make_link(const Path& target, const Path& link) = 0;
    virtual Status make_directory(const Path& path) = 0;  // a new one; fails when anything has the name
    virtual Status make_directories(const Path& path) = 0;
    virtual Status rename(const Path& from, const Path& to) = 0;  // replaces `to`
    virtual Status move(const Path& from, const Path& to) = 0;    // fails when anything has the name `to`
    virtual Status remove(const Path& path) = 0;                  // a file, a link or an empty directory
    virtual Status set_attributes(const Path& path, std::uint32_t mode, std::int64_t modified) = 0;
    virtual Result<Path> real_path(const Path& path) = 0;  // absolute and without links; the path must exist
    virtual Status sync_directory(const Path& path) = 0;
    virtual Result<std::uint64_t> free_bytes(const Path& path) = 0;
    // The directory as a file system of its own: paths are relative to it ("." is the directory itself), and no link and no
    // ".." leads out of it, whoever made the tree: a path with one fails.
    virtual Result<std::unique_ptr<FileSystem>> beneath(const Path& directory) = 0;
};

// The machine's file system.
FileSystem& real_file_system();

// Whether it is a directory, or a link to one.
bool is_directory(FileSystem& fs, const Path& path);

// Whether anything has the name, a dangling link too; an error when that cannot be told. For what is done where there is nothing.
Result<bool> is_there(FileSystem& fs, const Path& path);

// What a directory holds that other processes may make and remove meanwhile; nothing where it is not there.
Result<std::vector<DirectoryEntry>> list_if_there(FileSystem& fs, const Path& directory);

// The whole file as a string; fails with bad_input above `max_bytes`.
Result<std::string> read_file(FileSystem& fs, const Path& path, std::uint64_t max_bytes = 1ull << 30);

// True when `inner`, which need not exist, is `outer` or lies in it, whatever links and ".." lead there.
bool is_inside(FileSystem& fs, const Path& inner, const Path& outer);

// The directory above; of a relative path that ends at the working directory, the one above that. That of the root is the root.
Path directory_above(const Path& directory);

// `directory` and those above it, up to the one that holds `.git`, else to the root.
std::vector<Path> directories_above(FileSystem& fs, const Path& directory);

// Removes a file or a whole directory tree; symlinks are removed, never followed. Missing is fine.
Status remove_tree(FileSystem& fs, const Path& path);

}  // namespace base
