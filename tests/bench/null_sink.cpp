// Runs a conversion and throws the output away: what reading, planning and moving cost without a disk to write to.
//
//     null_sink --load-dir DIR --save-dir ANY [options of ckpt_convert]
#include <chrono>
#include <cstdio>

#include <sys/resource.h>

#include "base/console.h"
#include "base/data_store.h"
#include "base/format.h"
#include "ckpt_convert/app/convert.h"
#include "ckpt_convert/app/options.h"

namespace {

using base::Path;
using base::Result;
using base::Status;

class NullFile : public base::WritableFile {
public:
    explicit NullFile(Path path) : path_(std::move(path)) {}
    const Path& path() const override { return path_; }
    Status write_at(std::uint64_t, base::ByteSpan) override { return {}; }
    Status allocate(std::uint64_t) override { return {}; }
    void write_behind(std::uint64_t, std::uint64_t) override {}
    Status sync() override { return {}; }
    Status set_mode(std::uint32_t) override { return {}; }
    Result<base::FileInfo> info() override { return base::FileInfo{}; }
    Status close() override { return {}; }

private:
    Path path_;
};

// Reads from the disk, writes nowhere.
class NullLock : public base::LockedFile {
public:
    const std::string& content() const override { return empty_; }
    Status append(std::string_view) override { return {}; }
    Status truncate(std::uint64_t) override { return {}; }
    Status remove() override { return {}; }

private:
    std::string empty_;
};

class NullSink : public base::FileSystem {
public:
    Result<std::unique_ptr<base::ReadableFile>> open(const Path& path) override { return disk_.open(path); }
    Result<std::unique_ptr<base::WritableFile>> create(const Path& path, std::uint32_t) override {
        return std::unique_ptr<base::WritableFile>(std::make_unique<NullFile>(path));
    }
    Result<std::unique_ptr<base::LockedFile>> lock(const Path&) override {
        return std::unique_ptr<base::LockedFile>(std::make_unique<NullLock>());
    }
    Result<std::unique_ptr<base::FileSystem>> beneath(const Path& directory) override {
        return disk_.beneath(directory);
    }
    Result<base::FileInfo> info(const Path& path) override { return disk_.info(path); }
    Result<base::FileInfo> link_info(const Path& path) override { return disk_.link_info(path); }
    Result<std::optional<base::FileInfo>> look(const Path& path) override { return disk_.look(path); }
    Result<std::vector<base::DirectoryEntry>> list(const Path& directory) override {
        auto found = disk_.list(directory);
        return found ? found : Result<std::vector<base::DirectoryEntry>>(std::vector<base::DirectoryEntry>());
    }
    Result<Path> read_link(const Path& path) override { return disk_.read_link(path); }
    Status make_link(const Path&, const Path&) override { return {}; }
    Status make_directory(const Path&) override { return {}; }
    Status make_directories(const Path&) override { return {}; }
    Status rename(const Path&, const Path&) override { return {}; }
    Status move(const Path&, const Path&) override { return {}; }
    Status remove(const Path&) override { return {}; }
    Status set_attributes(const Path&, std::uint32_t, std::int64_t) override { return {}; }
    Result<Path> real_path(const Path& path) override { return path; }
    Status sync_directory(const Path&) override { return {}; }
    Result<std::uint64_t> free_bytes(const Path&) override { return UINT64_MAX; }

private:
    base::FileSystem& disk_ = base::real_file_system();
};

int fail(const base::Error& error) {
    base::print(stderr, base::format("null_sink: {}\n", error.text()));
    return base::exit_code(error.kind);
}

}  // namespace

int main(int argc, char** argv) {
    auto line = ckpt::parse_options(argc, argv, base::real_file_system());
    if (!line) return fail(line.error());
    const auto& options = line->options;
    if (!options) return 0;
    base::DataStore store;
    auto knowledge = ckpt::Knowledge::load(store);
    if (!knowledge) return fail(knowledge.error());
    NullSink sink;
    ckpt::ConvertObserver nobody;
    auto start = std::chrono::steady_clock::now();
    auto summary = ckpt::convert(sink, *knowledge, store, options->convert, nobody);
    if (!summary) return fail(summary.error());
    double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    base::print(stdout,
                base::format("{} tensors, {:.1f} GB read, {:.1f} GB made, {:.1f} s, {:.2f} GB/s, peak {:.1f} MB\n",
                             summary->tensors, static_cast<double>(summary->read_bytes) / 1e9,
                             static_cast<double>(summary->written_bytes) / 1e9, seconds,
                             static_cast<double>(summary->written_bytes) / seconds / 1e9,
                             static_cast<double>(usage.ru_maxrss) / 1e3));
    return 0;
}
