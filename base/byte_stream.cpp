#include "base/byte_stream.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include <zlib.h>

#include "base/check.h"

namespace base {
namespace {

constexpr std::size_t kPackedBytes = std::size_t{256} << 10;
constexpr int kGzipWindow = 15 + 16;  // the largest window, with the header of gzip

class FileStream : public ByteStream {
public:
    explicit FileStream(std::unique_ptr<ReadableFile> file) : file_(std::move(file)) {}

    Result<std::size_t> read(MutableByteSpan out) override {
        const std::size_t count = std::min<std::uint64_t>(out.size(), file_->size() - at_);
        TRY(file_->read_at(at_, out.first(count)));
        at_ += count;
        return count;
    }
    const Path& path() const { return file_->path(); }

private:
    std::unique_ptr<ReadableFile> file_;
    std::uint64_t at_ = 0;
};

class GzipStream : public ByteStream {
public:
    explicit GzipStream(std::unique_ptr<FileStream> packed) : packed_(std::move(packed)), in_(kPackedBytes) {
        CHECK(inflateInit2(&state_, kGzipWindow) == Z_OK);
    }
    ~GzipStream() override { inflateEnd(&state_); }
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    Result<std::size_t> read(MutableByteSpan out) override {
        state_.next_out = reinterpret_cast<Bytef*>(out.data());
        state_.avail_out = static_cast<uInt>(out.size());
        while (state_.avail_out == out.size() && !is_over_) {
            if (state_.avail_in == 0) TRY(refill());
            TRY(unpack());
        }
        return out.size() - state_.avail_out;
    }

private:
    Status refill() {
        TRY_ASSIGN(const std::size_t count, packed_->read(in_));
        state_.next_in = reinterpret_cast<Bytef*>(in_.data());
        state_.avail_in = static_cast<uInt>(count);
        if (count == 0 && !is_between_) return damaged();
        is_over_ = count == 0;
        return {};
    }

    Status unpack() {
        if (is_over_) return {};
        if (is_between_) CHECK(inflateReset(&state_) == Z_OK);
        is_between_ = false;
        const int result = inflate(&state_, Z_NO_FLUSH);
        if (result == Z_STREAM_END) is_between_ = true;
        else if (result != Z_OK && result != Z_BUF_ERROR) return damaged();
        return {};
    }

    Status damaged() const {
        return fail(ErrorKind::bad_input, "the gzip data is damaged or cut off", packed_->path());
    }

    std::unique_ptr<FileStream> packed_;
    std::vector<std::byte> in_;
    z_stream state_{};
    bool is_between_ = false;  // members: another one may follow
    bool is_over_ = false;
};

class TextStream : public ByteStream {
public:
    explicit TextStream(std::string_view text) : left_(text) {}

    Result<std::size_t> read(MutableByteSpan out) override {
        const std::size_t count = std::min(out.size(), left_.size());
        std::memcpy(out.data(), left_.data(), count);
        left_.remove_prefix(count);
        return count;
    }

private:
    std::string_view left_;
};

}  // namespace

std::unique_ptr<ByteStream> text_stream(std::string_view text) { return std::make_unique<TextStream>(text); }

Result<std::unique_ptr<ByteStream>> open_stream(FileSystem& fs, const Path& path) {
    TRY_ASSIGN(std::unique_ptr<ReadableFile> file, fs.open(path));
    std::byte magic[2] = {};
    if (file->size() >= sizeof magic) TRY(file->read_at(0, magic));
    auto plain = std::make_unique<FileStream>(std::move(file));
    if (magic[0] == std::byte{0x1f} && magic[1] == std::byte{0x8b})
        return std::unique_ptr<ByteStream>(std::make_unique<GzipStream>(std::move(plain)));
    return std::unique_ptr<ByteStream>(std::move(plain));
}

}  // namespace base
