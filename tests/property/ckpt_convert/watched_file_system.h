// WatchedFileSystem: a file system in memory that counts how often each byte is read and written, and can break down.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <vector>

#include "tests/support/memory_file_system.h"

namespace test {

class WatchedFileSystem : public MemoryFileSystem {
public:
    using Counts = std::map<base::Path, std::vector<int>>;  // of each byte of each file

    Counts reads() const { return reads_; }
    // By the path under which a file was created, before it was renamed.
    Counts writes() const { return writes_; }

    // The next `count` changes succeed (files created, written, closed, renamed, directories made), all others fail.
    void break_after(std::uint64_t count) { left_ = count; }
    // Changes since then.
    std::uint64_t changes() const { return changes_; }

    base::Result<std::unique_ptr<base::ReadableFile>> open(const base::Path& path) override;
    base::Result<std::unique_ptr<base::WritableFile>> create(const base::Path& path, std::uint32_t mode) override;
    base::Status make_directories(const base::Path& path) override;
    base::Status make_directory(const base::Path& path) override;
    base::Status move(const base::Path& from, const base::Path& to) override;
    base::Status rename(const base::Path& from, const base::Path& to) override;

    void count_read(const base::Path& path, std::uint64_t offset, std::uint64_t bytes);
    void count_write(const base::Path& path, std::uint64_t offset, std::uint64_t bytes);
    // Fails with write_failed when it has broken down.
    base::Status change(const base::Path& path);

private:
    std::mutex mutex_;
    Counts reads_;
    Counts writes_;
    std::uint64_t left_ = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t changes_ = 0;
};

}  // namespace test
