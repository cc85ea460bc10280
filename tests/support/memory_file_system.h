// MemoryFileSystem: a FileSystem in memory for tests.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/file_system.h"

namespace test {

class MemoryFileSystem : public base::FileSystem {
public:
    struct Node {
        base::FileKind kind = base::FileKind::regular;
        std::string content;  // of a file; the target of a link
        std::uint32_t mode = 0644;
        std::uint64_t inode = 0;
        std::int64_t modified = 0;
    };

    // Adds a file and its parent directories.
    void add(const base::Path& path, std::string content, std::uint32_t mode = 0644);
    // The content of a file; fails the test when it does not exist.
    std::string content(const base::Path& path);
    // Paths of all files and links, sorted.
    std::vector<base::Path> files() const;

    base::Result<std::unique_ptr<base::ReadableFile>> open(const base::Path& path) override;
    base::Result<std::unique_ptr<base::WritableFile>> create(const base::Path& path, std::uint32_t mode) override;
    base::Result<std::unique_ptr<base::LockedFile>> lock(const base::Path& path) override;
    base::Result<base::FileInfo> info(const base::Path& path) override;
    base::Result<base::FileInfo> link_info(const base::Path& path) override;
    base::Result<std::optional<base::FileInfo>> look(const base::Path& path) override;
    base::Result<std::vector<base::DirectoryEntry>> list(const base::Path& directory) override;
    base::Result<base::Path> read_link(const base::Path& path) override;
    base::Status make_link(const base::Path& target, const base::Path& link) override;
    base::Status make_directory(const base::Path& path) override;
    base::Status make_directories(const base::Path& path) override;
    base::Status rename(const base::Path& from, const base::Path& to) override;
    base::Status move(const base::Path& from, const base::Path& to) override;
    base::Status remove(const base::Path& path) override;
    base::Status set_attributes(const base::Path& path, std::uint32_t mode, std::int64_t modified) override;
    base::Result<base::Path> real_path(const base::Path& path) override;
    base::Status sync_directory(const base::Path& path) override;
    base::Result<std::uint64_t> free_bytes(const base::Path& path) override;
    base::Result<std::unique_ptr<base::FileSystem>> beneath(const base::Path& directory) override;

    // What a process that died leaves: files stay, and nobody has them locked.
    void forget_locks() { locked_.clear(); }
    // The append to a locked file with this number fails when its text is there, as a sync does; counted from 1 and from now.
    void fail_append(int number) { appends_to_failure_ = number; }

private:
    friend class MemoryLocked;
    std::shared_ptr<Node> find(const base::Path& path, bool follow);

    std::map<base::Path, std::shared_ptr<Node>> nodes_;  // by normalised path
    std::uint64_t next_inode_ = 1;
    std::set<base::Path> locked_;
    int appends_to_failure_ = 0;
};

}  // namespace test
