#include "ckpt_convert/formats/torch_dist/read_ahead_file.h"

#include <doctest/doctest.h>

#include "tests/unit/ckpt_convert/formats/format_test_support.h"

namespace {

// Counts what is asked of it; fails when told to.
class CountingFile : public base::ReadableFile {
public:
    explicit CountingFile(std::string content) : content_(std::move(content)) {}
    std::uint64_t size() const override { return content_.size(); }
    const base::Path& path() const override { return path_; }
    base::Status read_at(std::uint64_t offset, base::MutableByteSpan out) override {
        ++reads;
        if (broken || offset > size() || out.size() > size() - offset)
            return base::fail(base::ErrorKind::bad_input, "cannot read", path_);
        std::memcpy(out.data(), content_.data() + offset, out.size());
        return {};
    }
    void drop_cache(std::uint64_t, std::uint64_t) override {}

    int reads = 0;
    bool broken = false;

private:
    base::Path path_ = "f";
    std::string content_;
};

std::string numbered(std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(i * 31 + i / 256);
    return out;
}

}  // namespace

TEST_CASE("read ahead: every byte is that of the file") {
    std::string content = numbered(300'000);
    CountingFile inner(content);
    ckpt::ReadAheadFile file(inner);
    CHECK(file.size() == content.size());
    CHECK(file.path() == "f");
    for (std::uint64_t offset : {0u, 1u, 200'000u, 5u, 199'000u, 299'999u, 16'383u, 16'384u, 300'000u, 100'000u}) {
        for (std::uint64_t bytes : {0u, 1u, 512u, 20'000u, 70'000u, 290'000u}) {
            if (bytes > content.size() - offset) continue;
            std::string out(bytes, '?');
            REQUIRE(file.read_at(offset, std::as_writable_bytes(std::span(out))));
            CHECK(out == content.substr(offset, bytes));
        }
    }
}

TEST_CASE("read ahead: two places at a time") {
    CountingFile inner(numbered(300'000));
    ckpt::ReadAheadFile file(inner);
    std::string out(100, '?');
    for (std::uint64_t i = 0; i < 100; ++i) {
        REQUIRE(file.read_at(i * 100, std::as_writable_bytes(std::span(out))));
        REQUIRE(file.read_at(200'000 + i * 100, std::as_writable_bytes(std::span(out))));
    }
    CHECK(inner.reads == 2);
}

TEST_CASE("read ahead: what cannot be read") {
    CountingFile inner(numbered(1000));
    ckpt::ReadAheadFile file(inner);
    std::string out(100, '?');
    CHECK_FALSE(file.read_at(901, std::as_writable_bytes(std::span(out))).has_value());
    CHECK_FALSE(file.read_at(UINT64_MAX, std::as_writable_bytes(std::span(out))).has_value());
    CHECK(file.read_at(900, std::as_writable_bytes(std::span(out))));
    inner.broken = true;
    CHECK_FALSE(file.read_at(0, std::as_writable_bytes(std::span(out))).has_value());
    CHECK(file.read_at(900, std::as_writable_bytes(std::span(out))));
    CHECK_FALSE(file.read_at(0, std::as_writable_bytes(std::span(out))).has_value());
}
