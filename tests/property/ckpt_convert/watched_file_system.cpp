#include "tests/property/ckpt_convert/watched_file_system.h"

namespace test {
namespace {

using base::Path;
using base::Result;
using base::Status;

class WatchedReadable : public base::ReadableFile {
public:
    WatchedReadable(WatchedFileSystem& fs, std::unique_ptr<base::ReadableFile> file)
        : fs_(fs), file_(std::move(file)) {}
    std::uint64_t size() const override { return file_->size(); }
    const Path& path() const override { return file_->path(); }
    Status read_at(std::uint64_t offset, base::MutableByteSpan out) override {
        fs_.count_read(path(), offset, out.size());
        return file_->read_at(offset, out);
    }
    void drop_cache(std::uint64_t, std::uint64_t) override {}

private:
    WatchedFileSystem& fs_;
    std::unique_ptr<base::ReadableFile> file_;
};

class WatchedWritable : public base::WritableFile {
public:
    WatchedWritable(WatchedFileSystem& fs, std::unique_ptr<base::WritableFile> file)
        : fs_(fs), file_(std::move(file)) {}
    const Path& path() const override { return file_->path(); }
    Status write_at(std::uint64_t offset, base::ByteSpan data) override {
        TRY(fs_.change(path()));
        fs_.count_write(path(), offset, data.size());
        return file_->write_at(offset, data);
    }
    Status allocate(std::uint64_t bytes) override {
        TRY(fs_.change(path()));
        return file_->allocate(bytes);
    }
    void write_behind(std::uint64_t, std::uint64_t) override {}
    Status sync() override {
        TRY(fs_.change(path()));
        return file_->sync();
    }
    Status set_mode(std::uint32_t mode) override { return file_->set_mode(mode); }
    Result<base::FileInfo> info() override { return file_->info(); }
    Status close() override {
        TRY(fs_.change(path()));
        return file_->close();
    }

private:
    WatchedFileSystem& fs_;
    std::unique_ptr<base::WritableFile> file_;
};

void count(std::vector<int>& counts, std::uint64_t offset, std::uint64_t bytes) {
    if (counts.size() < offset + bytes) counts.resize(offset + bytes, 0);
    for (std::uint64_t i = 0; i < bytes; ++i) ++counts[offset + i];
}

}  // namespace

Result<std::unique_ptr<base::ReadableFile>> WatchedFileSystem::open(const Path& path) {
    TRY_ASSIGN(auto file, MemoryFileSystem::open(path));
    return std::make_unique<WatchedReadable>(*this, std::move(file));
}

Result<std::unique_ptr<base::WritableFile>> WatchedFileSystem::create(const Path& path, std::uint32_t mode) {
    TRY(change(path));
    TRY_ASSIGN(auto file, MemoryFileSystem::create(path, mode));
    return std::make_unique<WatchedWritable>(*this, std::move(file));
}

Status WatchedFileSystem::make_directories(const Path& path) {
    if (!exists(path)) TRY(change(path));
    return MemoryFileSystem::make_directories(path);
}

Status WatchedFileSystem::make_directory(const Path& path) {
    TRY(change(path));
    return MemoryFileSystem::make_directory(path);
}

Status WatchedFileSystem::move(const Path& from, const Path& to) {
    TRY(change(from));
    return MemoryFileSystem::move(from, to);
}

Status WatchedFileSystem::rename(const Path& from, const Path& to) {
    TRY(change(from));
    return MemoryFileSystem::rename(from, to);
}

void WatchedFileSystem::count_read(const Path& path, std::uint64_t offset, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    count(reads_[path], offset, bytes);
}

void WatchedFileSystem::count_write(const Path& path, std::uint64_t offset, std::uint64_t bytes) {
    std::lock_guard lock(mutex_);
    count(writes_[path], offset, bytes);
}

Status WatchedFileSystem::change(const Path& path) {
    std::lock_guard lock(mutex_);
    ++changes_;
    if (left_ == 0) return base::fail(base::ErrorKind::write_failed, "no space left on device", path);
    --left_;
    return {};
}

}  // namespace test
